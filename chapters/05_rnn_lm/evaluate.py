"""Evaluate trained models, each by itself and all together.

python chapters/05_rnn_lm/evaluate.py --run runs/05_rnn_lm/001 --run runs/05_rnn_lm/002
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from common.errors import UserError, exits_cleanly
from common.evaluation.perplexity import sentence_log_probs, summarise
from common.evaluation.streaming import stream_log_probs
from common.programs.arguments import names_of
from common.programs.chapters import load_run
from common.search.ensemble import check_same_words, log_mean
from common.text.corpus import load_corpus
from common.training import cli
from common.training.past_runs import latest_run
from data.phenomena import phenomena_table

from .settings import CHAPTER, STATES


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Perplexity of trained models, and of the mean of their probabilities.")
    parser.add_argument("--run", action="append", type=Path, metavar="DIR", help="folder of a run; may be repeated")
    parser.add_argument("--split", choices=("dev", "test"), default="test", help="which sentences (default: test)")
    arguments = parser.parse_args()
    folders = arguments.run or [latest_run(CHAPTER, holding="model.npz")]

    loaded = [load_run(folder, CHAPTER) for folder in folders]
    models, settings = [model for model, _ in loaded], loaded[0][1]
    check_same_words(models)
    for name in ("corpus", "unk", "state"):
        if len({getattr(run_settings, name) for _, run_settings in loaded}) > 1:
            raise UserError(f"these runs have a different --{name}; evaluate them one by one")
    sentences = getattr(load_corpus(settings.corpus), arguments.split)
    log_probs_of = stream_log_probs if STATES[settings.state] else sentence_log_probs
    columns = {}
    for name, model in zip(names_of(folders), models, strict=True):
        columns[name] = log_probs_of(model, sentences, settings.unk)
    if len(columns) > 1:
        columns["ensemble"] = [log_mean(each) for each in zip(*columns.values(), strict=True)]

    width = max(map(len, columns)) + 2
    print(f"{settings.corpus}, {arguments.split}, --unk {settings.unk}, state {settings.state} between sentences")
    for name, log_probs in columns.items():
        result = summarise(models[0].vocab, sentences, log_probs, settings.unk)
        print(f"{name:{width}} perplexity {result.perplexity:8.2f}  in {result.predictions:,} predictions")
    if settings.corpus == "village":
        print("\n" + phenomena_table(sentences, columns))


if __name__ == "__main__":
    main()
