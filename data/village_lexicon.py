"""The words of the village: who lives there, what they do, and what goes with what.

Words of one list are interchangeable: the grammar never prefers one of them because of another word. Their frequency
falls with their place in the list.
"""

from __future__ import annotations

TOPICS = {
    "harvest": 14,
    "market": 13,
    "kitchen": 12,
    "stable": 11,
    "school": 10,
    "music": 10,
    "river": 9,
    "weather": 8,
}

# What people do: topic -> (verbs, class of the objects that these verbs take, weight). A verb of one pair never takes
# an object of another pair: the preference is between the two words, not in either of them.
ACTIONS = {
    "harvest": [("cut bind dry thresh stack mow", "grain", 5), ("pick pluck sort gather pickle peel", "fruit", 4)],
    "market": [("sell weigh wrap count price display", "goods", 6), ("push load unload park", "cart", 2)],
    "kitchen": [("cook stir taste serve season warm", "dish", 5), ("wash scrub dry polish fill", "vessel", 4)],
    "stable": [("feed brush lead saddle calm water", "beast", 6), ("grease buckle fetch patch", "gear", 2)],
    "school": [("read copy recite learn memorise translate", "text", 5), ("draw paint trace colour", "picture", 3)],
    "music": [("play tune practise borrow", "instrument", 4), ("sing hum whistle rehearse", "song", 4)],
    "river": [("catch net hook smoke fry", "fish", 5), ("row steer moor launch", "boat", 4)],
    "weather": [("watch fear curse dread forecast ignore", "weather", 4), ("shut bolt mend open repair", "opening", 4)],
}
ANY_OBJECT = "need find love forget admire fetch hide mention"  # verbs that take any object of the topic

MASS = {
    "grain": "wheat barley rye hay clover flax millet spelt",
    "weather": "rain snow hail fog thunder frost sleet drizzle",
}
COUNTABLE = {
    "fruit": "apple plum pear cherry quince apricot walnut medlar turnip onion",
    "goods": "egg cheese basket candle blanket ribbon jar mitten lamp brush",
    "cart": "cart barrow wagon trolley crate sack",
    "dish": "soup stew pie pancake dumpling porridge broth omelette",
    "vessel": "pot kettle bowl pan spoon jug ladle cauldron",
    "beast": "horse cow donkey mare goat calf mule ox pony",
    "gear": "saddle bridle harness halter sledge whip",
    "text": "story letter poem riddle fable rhyme proverb legend",
    "picture": "castle tree ship mountain dragon tower lighthouse palace",
    "instrument": "fiddle flute drum harp horn lute accordion cello",
    "song": "ballad waltz hymn lullaby march reel carol",
    "fish": "eel herring salmon crab minnow mussel sturgeon",
    "boat": "boat raft ferry barge canoe punt",
    "opening": "window gate door shutter roof hatch skylight",
}
# What can be said of a thing, in front of the noun or after `is`.
THING_ADJECTIVES = {
    "grain": "golden ripe damp",
    "fruit": "sweet juicy sour",
    "goods": "cheap fine dear",
    "cart": "wooden narrow empty",
    "dish": "hot salty delicious",
    "vessel": "clean dented copper",
    "beast": "gentle stubborn lame",
    "gear": "leather worn new",
    "text": "short old funny",
    "picture": "tiny blue splendid",
    "instrument": "old shrill precious",
    "song": "slow merry sad",
    "fish": "slippery silver fresh",
    "boat": "leaky green narrow",
    "weather": "cold heavy sudden",
    "opening": "broken creaky narrow",
}

ADJECTIVES = (
    "old new big small heavy pretty plain strange lovely dusty shiny humble famous spare odd favourite white black red "
    "brown grey curious perfect ugly light rare yellow"
)
ADVERBS = (
    "often always never rarely gladly secretly patiently proudly quietly calmly usually still slowly sometimes soon"
)

# The ring of trades: each sells its own wares and buys those of the trade before it. Whether flour is sold or bought
# says nothing without the trade, and the trade says nothing without the verb.
SELLING = "offer deliver supply peddle"
BUYING = "buy order collect request"
TRADES = {
    "farmer": ("farmer sower", "wheat barley rye oats millet"),
    "miller": ("miller millhand", "flour bran semolina oatmeal"),
    "baker": ("baker pastrycook", "bread rolls buns biscuits pretzels"),
    "forester": ("forester woodcutter", "timber charcoal logs planks firewood"),
    "smith": ("blacksmith tinker", "nails horseshoes hinges sickles kettles"),
    "shepherd": ("shepherd goatherd", "wool fleeces felt lambskins"),
    "weaver": ("weaver spinner", "cloth linen flannel velvet canvas"),
    "tailor": ("tailor furrier", "coats shirts trousers cloaks aprons"),
    "fisher": ("fisher angler", "eels herrings crabs mussels salmon"),
}
RINGS = (("farmer", "miller", "baker", "forester", "smith"), ("shepherd", "weaver", "tailor", "fisher"))
TOPIC_TRADES = {
    "harvest": "farmer miller",
    "market": "farmer miller baker forester smith shepherd weaver tailor fisher",
    "kitchen": "baker miller",
    "stable": "shepherd farmer",
    "school": "tailor weaver",
    "music": "weaver forester",
    "river": "fisher tailor",
    "weather": "shepherd forester",
}

# People: nouns for one or many women, men, and for groups that belong to a topic.
WOMEN = "girl woman widow aunt sister daughter"
MEN = "boy man uncle brother son postman"
GROUPS = {
    "harvest": "gleaners reapers",
    "market": "traders customers",
    "kitchen": "cooks maids",
    "stable": "grooms carters",
    "school": "pupils teachers",
    "music": "fiddlers singers",
    "river": "anglers sailors",
    "weather": "neighbours hikers",
}
WAITING = "wait look ask search"
PEOPLE_ADJECTIVES = "tired happy hungry proud late shy cheerful busy lonely brave bored calm"
OUTDOOR_ADJECTIVES = "old young tall quiet kind poor rich clever"

INTRANSITIVES = {
    "harvest": "sweat toil",
    "market": "haggle bargain",
    "kitchen": "yawn giggle",
    "stable": "whistle stroll",
    "school": "listen whisper",
    "music": "dance clap",
    "river": "swim paddle",
    "weather": "shiver sneeze",
}
ANIMALS = "dog cat goat donkey goose lamb pony hen"
ANIMAL_VERBS = "follow trust obey miss"
ANIMAL_STATES = "asleep hungry thirsty restless"

PREPOSITIONS = "near behind beside at by outside"
PLACES = {
    "harvest": "field barn orchard hill haystack",
    "market": "market fountain stall inn",
    "kitchen": "kitchen hearth pantry cellar",
    "stable": "stable fence meadow trough",
    "school": "school classroom library desk",
    "music": "hall stage chapel bandstand",
    "river": "river bridge jetty mill",
    "weather": "porch chimney well wall",
}
ANY_TIME = (
    "today|tomorrow|at night|in spring|this week|after lunch|now and then|on rainy days|once a week|after church|"
    "in may|at sunset|all summer|on holidays|these days|as usual"
).split("|")
TIMES = {
    "harvest": ["in autumn", "at noon", "after the mowing"],
    "market": ["on market day", "every saturday", "before the fair"],
    "kitchen": ["before dinner", "at breakfast", "every evening"],
    "stable": ["at dawn", "every morning", "after the ride"],
    "school": ["on monday", "after the lesson", "before the exam"],
    "music": ["on sunday", "before the concert", "at dusk"],
    "river": ["at high water", "in summer", "after the flood"],
    "weather": ["in winter", "before the storm", "all night"],
}

STEMS = (
    "mir tav orl bel dor sel kas lun pet ran vel zor yan nev hal jos fen gal ild ber cor dal ev flor gren hed ir jul "
    "kol lid mar nad os pav ros sab tam ul vas wil ard bron cest dris elm fab gund hest ilv jad"
)
NAME_ENDINGS = {"f": "a ena ika ela", "m": "an in ek il"}


def names(kind: str) -> list[str]:
    """The first names of women ("f") or men ("m"): each of the stems with each of the endings of the kind."""
    stems, endings = STEMS.split(), NAME_ENDINGS[kind].split()
    count = len(stems) * len(endings)
    return [stems[i % len(stems)] + endings[(i % len(stems) + i // len(stems)) % len(endings)] for i in range(count)]


def plural(noun: str) -> str:
    """More than one `noun`."""
    irregular = {"woman": "women", "man": "men", "postman": "postmen", "salmon": "salmon"}
    irregular |= {"ox": "oxen", "calf": "calves", "goose": "geese"}
    if noun in irregular:
        return irregular[noun]
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return noun + "es"
    return noun[:-1] + "ies" if noun.endswith("y") and noun[-2] not in "aeiou" else noun + "s"


def third_person(verb: str) -> str:
    """What one person does: `she reads`, `he fetches`."""
    if verb.endswith(("s", "x", "ch", "sh")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"
