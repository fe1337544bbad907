// Synthetic results.json in the shape of docs/reference/audit-output.md: every key that the page knows, any size.

// A small generator, so that the same numbers come every time (Numerical Recipes' constants).
function stream(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const ids = ['epsilon.f_score', 'epsilon.median', 'utility.accuracy.retain', 'utility.accuracy.test',
             'utility.accuracy.forget', 'iam.online.auc', 'iam.online.mean.forget', 'attacks.loss.auc',
             'conformal.cr.forget', 'conformal.cr.test', 'sde.otr', 'mmd.otr', 'zrf.score',
             'miau.score'];

// "unlearned/finetune/0" in its parts; parts stay as they are.
function subject(model) {
  if (typeof model !== 'string') return model;
  const [role, ...rest] = model.split('/');
  const method = ['unlearned', 'partial', 'checkpoint'].includes(role) ? rest.shift() : '';
  return {role, method, name: rest.join('/')};
}

function row(metric, model, value, more = {}) {
  return {metric, subject: subject(model), value, lower: value - 0.02, upper: value + 0.03,
          interval: 'bootstrap 95 %',
          n: 200, direction: metric.startsWith('conformal') ? 'lower' : 'match', ideal: null,
          reference: 0.5, status: 'ok', note: '', control: '', settings: {}, facts: {}, seed: 1, ...more};
}

function histogram(metric, model, group, random, {bins = 20, control = '', params = {}} = {}) {
  const left = Array.from({length: bins}, (_, i) => i / bins);
  return {kind: 'histogram', metric, subject: subject(model), group, params, control, columns: {
    left, right: left.map((x) => x + 1 / bins), count: left.map(() => Math.floor(100 * random()))}};
}

function roc(metric, model, control, random, points = 200) {
  const bend = 0.3 + 0.6 * random();
  const fpr = Array.from({length: points}, (_, i) => i / (points - 1));
  return {kind: 'roc', metric, subject: subject(model), group: '', params: {}, control,
          columns: {fpr, tpr: fpr.map((x) => x ** bend)}};
}

function sorted(model, control, random, points) {
  const share = Array.from({length: points}, (_, i) => (i + 1) / points);
  const scale = 1 + 3 * random();
  return {kind: 'sorted', metric: 'epsilon', subject: subject(model), group: '', params: {}, control,
          columns: {share, value: share.map((x) => scale * (1 - x))}};
}

function picture(random, size = 14) {
  const bytes = Uint8Array.from({length: size * size}, () => 256 * random());
  return {width: size, height: size, channels: 1, pixels: Buffer.from(bytes).toString('base64')};
}

function seriesOf(models, random, points) {
  const made = [];
  for (const [model, control] of models) {
    if (['constant', 'graded', 'checkpoint'].includes(control)) continue;
    made.push(histogram('epsilon', model, 'forget', random, {control, params: {beyond: 3.5}}));
    made.push(sorted(model, control, random, points));
    if (control !== 'retrained') {
      for (const place of ['largest', 'median']) {
        for (const group of ['retrained', control ? 'original' : 'unlearned']) {
          made.push(histogram('epsilon.confidence', model, group, random,
                              {control, params: {row: place === 'largest' ? 7 : 3, place}}));
        }
      }
    }
    for (const attack of ['iam.online', 'attacks.loss']) made.push(roc(attack, model, control, random));
    for (const group of ['forget', 'retain', 'test']) {
      made.push(histogram('iam.online', model, group, random, {control}));
    }
    for (const group of ['forget', 'in-training reference', 'out-of-training reference']) {
      made.push(histogram('sde.h', model, group, random, {control, params: {layer: 'penultimate'}}));
    }
    for (const group of ['calibration', 'forget']) {
      made.push(histogram('conformal', model, group, random, {control, params: {score: 'scp'}}));
    }
    made.push({kind: 'curve', metric: 'conformal.q', subject: subject(model), group: '', control,
               params: {x: 'calibration rows'}, columns: {
                 x: [50, 100, 200, 400], y: [0.8, 0.9, 0.92, 0.93],
                 lower: [0.6, 0.8, 0.88, 0.9], upper: [0.95, 0.96, 0.96, 0.95]}});
  }
  return made;
}

function rowsOf(metrics, models, random) {
  const rows = [];
  for (const metric of metrics) {
    const level = random();
    for (const [model, control] of models) {
      const value = Number((level + 0.2 * random()).toFixed(6));
      if (metric.startsWith('conformal.cr.')) {
        for (const alpha of [0.05, 0.1, 0.15, 0.2]) {
          rows.push(row(metric, model, value + alpha, {control, settings: {alpha, score: 'scp'}}));
        }
        continue;
      }
      const more = {control};
      if (metric === 'mmd.otr' && !control) {
        Object.assign(more, {status: 'unreliable', note: 'the control failed: it is noise'});
      }
      if (metric === 'zrf.score' && !control) {
        Object.assign(more, {value: null, lower: null, upper: null, status: 'undefined',
                             note: 'one class only'});
      }
      if (metric === 'miau.score') more.value = 'inf';
      rows.push(row(metric, model, value, more));
    }
  }
  return rows;
}

function benchOf(methods) {
  const measure = (metric) => ({metric, setting: 'alpha=0.05;', audit: 'main'});
  return {
    recipe: 'recipes/synthetic.toml', size: 'small', notes: 'a note',
    variants: [{name: 'random', factors: {forget: 0.1}}, {name: 'class', factors: {forget: 0.2}}],
    findings: [
      {finding: 'Attacks call retrained models members', source: 'Paper A, Table 2', outcome: 'held',
       sentence: '0.61 against 0.5', estimate: {value: 0.11, lower: 0.05, upper: 0.2}, n: 5,
       how: 't interval over 5 models'},
      {finding: 'Fine-tuning forgets', source: 'Paper B', outcome: 'did not hold', sentence: 'no',
       n: 5, how: 'exact'},
      {finding: 'More is better', source: 'Paper C', outcome: 'inconclusive', sentence: 'unclear',
       n: 2, how: 'MOVER'}],
    failed_runs: [{variant: 'random', method: 'scrub', runs: 4, failed: 1, why: 'a weight is not finite'}],
    failed_controls: ['mmd.otr fails its controls in variant random'],
    controls: [{...measure('epsilon.f_score'), variant: 'random', replicates: 5,
                retrained: {value: 0.9, lower: 0.8, upper: 1}, original: {value: 0.1, lower: 0, upper: 0.2},
                power: 1, d_prime: 3.2, verdict: 'passed', reason: ''}],
    comparison: {
      metrics: [{...measure('epsilon.f_score'), blocks: 5, sentence: `${methods[0]} is first`,
                 methods: methods.map((method, i) => ({method, n: 5, value: {value: i / 10,
                     lower: i / 10 - 0.05, upper: i / 10 + 0.05}, best: i === 0 ? 0.97 : 0})),
                 pairs: [{left: methods[0], right: methods[1] || methods[0],
                          n: 5, difference: 0.1, lower: 0.05, upper: 0.15, t: 3.1, p: 0.01,
                          adjusted_p: 0.02, better: methods[0]}]}],
      agreement: [{left: measure('epsilon.f_score'), right: measure('iam.online.auc'), methods: 4,
                   tau: 0.6, p: 0.1},
                  {left: measure('epsilon.f_score'), right: measure('sde.otr'), methods: 4,
                   tau: -0.4, p: 0.3}]},
    variance: [{...measure('epsilon.f_score'), variant: 'random', method: '*', n: 20, mean: 0.4,
                total: 0.01, noisiest: 'training', sentence: 'training is the noisiest',
                levels: [{level: 'split', share: 0.2, estimable: true},
                         {level: 'training', share: 0.8, estimable: true},
                         {level: 'attack', estimable: false}]}],
    methods: ['epsilon.f_score', 'utility.accuracy.test'].flatMap((metric) =>
      ['random', 'class'].flatMap((variant) => ['retrained', ...methods, 'original'].map(
        (method, i) => ({...measure(metric), variant, method, control: i === 0, n: 5,
                         role: ['retrained', 'original'].includes(method) ? method : '', value: 0.1 * i,
                         lower: 0.1 * i - 0.05, upper: 0.1 * i + 0.05, interval: 't 95 %',
                         reference: 0.4, direction: 'higher', unreliable: i === 2 ? 0.8 : 0})))),
    costs: methods.map((method, i) => ({method, seconds: 3 + i, retraining_seconds: 40,
                                        ratio: (3 + i) / 40, steps: 100, samples: 12800, n: 4})),
  };
}

/// Results with `methods` (names), `metrics` (a count), and sorted series of `points` points.
export function made({methods = ['finetune', 'scrub', 'ssd'], metrics = ids.length, points = 200,
                      bench = false, checkpoint = false, path = 'made/evidence'} = {}) {
  const random = stream(7);
  const models = [['retrained', 'retrained'],
                  ...methods.map((method) => [{role: 'unlearned', method, name: ''}, '']),
                  ['original', 'original'], ['constant_predictor', 'constant'],
                  ['partial/25/0', 'graded'], ['partial/75/0', 'graded'],
                  ...(checkpoint ? [['checkpoint/original.0.5/0', 'checkpoint']] : [])];
  const names = [...ids];
  for (let i = 0; names.length < metrics; ++i) names.push(`made.metric_${i}`);
  const results = {
    schema: 2,
    tool: {name: 'vestige', version: 'made', commit: 'made', compiler: 'none', build: 'Release'},
    run: {command: `vestige audit ${path}`, seed: 1, threads: 2, started: '2026-01-02T03:04:05Z',
          seconds: 1.5, options: {'epsilon.mode': 'exact'}},
    evidence: {path, kind: 'logits', kind_declared: false, classes: 10, grade: 'A',
               grade_reason: '40 retrained models', models: {original: 40, retrained: 40},
               rows: {forget: 200}, findings: ['labels look fine']},
    inputs: [{path: 'labels/forget.npy', sha256: '0'.repeat(64), shape: [200]}],
    remarks: ['a remark'],
    skipped: [{family: 'lm', missing: 'needs tokens'}],
    results: rowsOf(names.slice(0, metrics), models, random),
    series: seriesOf(models, random, points),
    verdicts: methods.map((method, i) => ({
      method, subject: {role: 'unlearned', method, name: ''}, under: ['shown', 'not shown', 'inconclusive'][i % 3],
      over: 'not shown', equivalent: 'inconclusive', sentence: `${method} still holds the rows`,
      cannot: 'whether other rows are held', tests: [{metric: 'epsilon.f_score', estimate: 0.1,
        lower: 0.05, upper: 0.2, margin: 0.1, what: 'difference to retrained', core: true, room: 0.4,
        retrained: 0.2, original: 0.6}, {metric: 'utility.accuracy.test', estimate: -0.005 * i,
        lower: -0.02 - 0.005 * i, upper: 0.02, margin: 0.01, what: 'difference to retrained'}]})),
    remembered: {split: 'forget', columns: ['epsilon.finetune', 'iam.finetune', 'iam.original', 'iam.retrained'],
            rows: Array.from({length: 50}, (_, i) => ({row: 3 * i, id: `id-${i}`, label: i % 10,
              subject: `person ${i % 7}`, scores: [5 - i / 10, i === 3 ? null : random(), 0.9, 0.1]})),
            pictures: [0, 3].map((at) => ({row: at, image: picture(random),
              maps: {'original/0': picture(random), 'unlearned/finetune/0': picture(random),
                     'retrained/0': picture(random)}})),
            texts: [6, 9].map((at) => ({row: at, text: `A forgotten sentence ${at}. `.repeat(8),
              continuation: 'the river runs north', said: [
                {model: 'original/0', text: 'the river runs south'}, {model: 'retrained/0', text: 'a hill'}]}))},
    correlations: {epsilon: {methods, spearman: methods.map((_, i) => methods.map(
        (_, j) => (i === j ? 1 : i < j ? 0.4 : null)))}},
    samples: {file: 'samples.csv', columns: []},
  };
  if (bench) {
    results.bench = benchOf(methods);
    results.results.forEach((one, i) => Object.assign(one,
        {variant: i % 2 ? 'class' : 'random', split_seed: 1, audit: 'main', attack_seed: 1}));
  }
  return results;
}

/// Names that try to become markup or code.
export const hostileNames = [
  '<script>window.hacked = 1</script>', '</script><img src=x onerror="window.hacked=1">',
  '"><svg onload=window.hacked=1>', "'; window.hacked = 1; '", '${window.hacked = 1}',
  '{{constructor.constructor("window.hacked=1")()}}', '\u2028window.hacked=1\u2029', '\\"\\u003c',
];

export function hostile() {
  const results = made({methods: hostileNames, bench: true, path: hostileNames[1]});
  results.remarks = hostileNames;
  results.skipped = hostileNames.map((name) => ({family: name, missing: name}));
  results.evidence.findings = hostileNames;
  results.remembered.rows[0].id = hostileNames[0];
  results.remembered.columns[0] = hostileNames[1];
  results.remembered.texts = hostileNames.map((name, i) => ({row: 3 * i, text: name, continuation: name,
    said: [{model: name, text: name}]}));
  results.run.options = {[hostileNames[0]]: hostileNames[1]};
  return results;
}
