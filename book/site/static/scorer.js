// What a search lists first: lessons and their parts, then other pages, then the pages made of code.
var Scorer = {
  score: function (result) {
    var page = result[0], score = result[4];
    if (/^chapters\/\d\d_\w+\/(index|PART\d)$/.test(page)) return score + 40;
    return /^(api|code|exercises)\//.test(page) ? score - 40 : score;
  },
  objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
  title: 15, partialTitle: 7, term: 5, partialTerm: 2,
};
