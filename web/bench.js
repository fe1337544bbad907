// What a whole experiment says: findings, controls, comparison, noise, cost.
const bench = fields(page.bench);
const measureTitles = {
  d_prime: "d′", p: 'p', tau: "Kendall's τ", n: 'n', wilcoxon_p: 'Wilcoxon p',
  adjusted_p: 'adjusted p', retraining_seconds: 'seconds of retraining',
};

function badge(word) {
  const known = {shown: 'yes', held: 'yes', passed: 'yes', 'not shown': 'no', 'did not hold': 'no',
                 failed: 'no'};
  return h('span', {class: `badge ${known[word] || 'open'}`}, word);
}

// One object per line: a `measure` or `left`/`right` inside becomes text, `t` its own columns.
function flat(object) {
  const result = {};
  for (const [key, value] of Object.entries(object)) {
    const nested = value && typeof value === 'object' && !Array.isArray(value);
    if (key === 't' && nested) {
      for (const [part, inner] of Object.entries(value)) result[part] = inner;
    } else {
      result[key] = value;
    }
  }
  return result;
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
            finding.how ? h('span', {class: 'quiet'}, `(${finding.how}, n ${finding.n})`) : null)))));
}

function controls() {
  const rows = list(bench.controls);
  return section('controls', 'Controls: what each metric says where the answer is known',
      rows.length === 0 ? null : h('p', {}, 'Floor: retrained models, which know nothing of the ' +
          'forget rows. Ceiling: originals, which know all. A metric that cannot tell them apart ' +
          'has failed, and its values for methods say nothing.'),
      list(bench.failed_controls).length ? bullets(bench.failed_controls) : null,
      looseTable('Every metric and arm that has controls', 'controls', rows.map(flat),
                 {hide: ['graded', 'steps'], titles: measureTitles}));
}

function comparison() {
  const own = fields(bench.comparison);
  const perMetric = list(own.metrics);
  const named = (metric) => loose(metric.measure || metric.metric || '');
  const methods = perMetric.flatMap((metric) => list(metric.methods).map(
      (method) => ({metric: named(metric), ...flat(method)})));
  const pairs = perMetric.flatMap((metric) => list(metric.pairs).map(
      (pair) => ({metric: named(metric), ...flat(pair)})));
  const sentences = perMetric.filter((metric) => metric.sentence).map((metric) => metric.sentence);
  return section('comparison', 'Which method is better, and how sure that is',
      sentences.length ? bullets(sentences) : null,
      looseTable('Methods by metric: mean over blocks, rank and its stability', 'ranks', methods,
                 {titles: measureTitles}),
      looseTable('Pairs of methods: paired tests over blocks', 'pairs', pairs,
                 {titles: measureTitles}));
}

function variance() {
  const rows = list(bench.variance).map((row) => {
    const result = {...row};
    for (const level of list(row.levels)) {
      result[`share of ${level.level}`] = level.estimable === false ? 'not estimable'
          : known(level.share) ? level.share : null;
    }
    delete result.levels;
    return result;
  });
  return section('variance', 'Where the noise comes from',
      looseTable('Share of the variance of one measurement by its source', 'noise', rows,
                 {titles: measureTitles}));
}

function costs() {
  return section('costs', 'Cost',
      looseTable('What each method costs, beside retraining', 'costs', list(bench.costs),
                 {titles: measureTitles}));
}

function plan() {
  if (!page.bench) return null;
  const arms = list(bench.arms).map((arm) => ({arm: arm.name, ...fields(arm.factors)}));
  return section('plan', 'The experiment',
      facts([['Recipe', bench.recipe], ['Size', known(bench.size) ? loose(bench.size) : ''],
             ['Plan', known(bench.plan) ? loose(bench.plan) : '']]),
      known(bench.notes) && bench.notes.length
          ? bullets([].concat(bench.notes).map(String)) : null,
      looseTable('Arms: the variants that were compared', 'arms', arms));
}
