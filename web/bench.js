// What a whole experiment says: findings, controls, comparison, noise, cost.
const bench = fields(page.bench);
const measureTitles = {
  d_prime: "d′", p: 'p', tau: "Kendall's τ", n: 'n', wilcoxon_p: 'Wilcoxon p',
  adjusted_p: 'adjusted p', retraining_seconds: 'seconds of retraining',
};

function badge(word) {
  const known = {shown: 'yes', held: 'yes', passed: 'yes', excluded: 'no', 'did not hold': 'no',
                 failed: 'no'};
  return h('span', {class: `badge ${known[word] || 'open'}`}, word.replaceAll('_', ' '));
}

function findings() {
  const all = list(bench.findings);
  if (all.length === 0) return null;
  const count = (outcome) => all.filter((finding) => finding.outcome === outcome).length;
  return section('findings', 'Findings of papers, checked',
      h('p', {}, `${plural(all.length, 'finding')} of papers were written down as checks before ` +
          `the experiment ran: ${count('held')} held, ${count('did not hold')} did not hold, ` +
          `${count('inconclusive')} were inconclusive.`),
      h('ol', {class: 'findings'}, all.map((finding) => h('li', {},
          badge(finding.outcome), ' ', h('strong', {}, sentence(finding.finding)), ' ',
          finding.source ? h('cite', {}, finding.source) : null,
          h('p', {}, sentence(finding.sentence), ' ',
            finding.how ? h('span', {class: 'quiet'}, `(n = ${finding.n})`) : null)))));
}

function controls() {
  const rows = list(bench.controls);
  return section('controls', 'Controls: what each metric says where the answer is known',
      rows.length === 0 ? null : h('p', {}, 'Retrained models never saw the forget ' +
          'set; original models were trained on it. A metric that cannot tell them apart has ' +
          'failed, and its values for methods say nothing.'),
      list(bench.failed_controls).length ? bullets(bench.failed_controls) : null,
      looseTable('Every metric and variant that has controls', 'controls', rows,
                 {titles: measureTitles}));
}

function comparison() {
  const own = fields(bench.comparison);
  const left = own.pairs_left_out || 0;
  return section('comparison', 'Which method is better, and how certain that is',
      list(own.sentences).length ? bullets(own.sentences) : null,
      list(page.plots).filter((plot) => plot.lead === 'comparison').map(figureOf),
      own.ranks ? looseTable('Methods by metric: mean over blocks, rank and its stability', 'ranks',
                             unpack(own.ranks), {titles: measureTitles}) : null,
      own.pairs ? looseTable('Pairs of methods: paired tests over blocks', 'pairs',
                             unpack(own.pairs), {titles: measureTitles}) : null,
      left > 0 ? h('p', {}, `${plural(left, 'pair')} of methods that do not differ are in ` +
          'results.json only.') : null);
}

function variance() {
  return section('variance', 'Where the noise comes from',
      list(bench.variance_sentences).length ? bullets(bench.variance_sentences) : null,
      list(page.plots).filter((plot) => plot.lead === 'variance').map(figureOf),
      bench.variance ? looseTable('Share of the variance of one measurement by its source', 'noise',
                                  unpack(bench.variance), {titles: measureTitles}) : null);
}

function failedRuns() {
  const runs = list(bench.failed_runs);
  if (runs.length === 0) return null;
  return section('failed-runs', 'Runs that failed',
      h('p', {}, 'The tables above show the runs that worked. These did not:'),
      looseTable('Methods of which some runs failed, and the most frequent reason', 'failed-runs',
                 runs));
}

function costs() {
  return section('costs', 'Cost',
      list(page.plots).filter((plot) => plot.lead === 'costs').map(figureOf),
      looseTable('What each method costs, beside retraining', 'costs', list(bench.costs),
                 {titles: measureTitles}));
}

function plan() {
  if (!page.bench) return null;
  const variants = list(bench.variants).map((variant) => ({variant: variant.name, ...fields(variant.factors)}));
  return section('plan', 'The experiment',
      facts([['Recipe', bench.recipe], ['Size', known(bench.size) ? loose(bench.size) : '']]),
      known(bench.notes) && bench.notes.length
          ? bullets([].concat(bench.notes).map(String)) : null,
      looseTable('Variants that were compared', 'variants', variants));
}
