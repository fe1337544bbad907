// The page's own sections, from the top down.
const evidence = fields(page.evidence);
const run = fields(page.run);
const tool = fields(page.tool);

function audited() {
  const models = Object.entries(fields(evidence.models));
  const rows = Object.entries(fields(evidence.rows));
  const inputs = list(page.inputs);
  return section('audited', 'What was audited',
      facts([
        ['Evidence', evidence.path],
        ['Models', models.map(([name, count]) => `${name} × ${count}`).join(', ')],
        ['Examples', rows.map(([name, count]) => `${name} ${count.toLocaleString('en')}`).join(', ')],
        ['Outputs', evidence.kind ? `${evidence.kind}${
            evidence.kind_declared === false ? ' (detected)' : ''}${
            evidence.classes ? `, ${evidence.classes} classes` : ''}` : ''],
        ['Notes', known(evidence.notes) ? loose(evidence.notes) : ''],
      ]),
      inputs.length === 0 ? null : details(`${plural(inputs.length, 'file')} with SHA-256`,
          table({
            caption: 'Every file that was read', name: 'files', rows: inputs, pageSize: 200,
            columns: [
              {title: 'file', value: (row) => row.path},
              {title: 'shape', value: (row) => list(row.shape).join(' × ')},
              {title: 'SHA-256', value: (row) => row.sha256,
               cell: (row) => h('code', {class: 'hash'}, row.sha256 || '')},
            ],
          })));
}

function testTable(caption, tests) {
  const optional = (title, key, cell) => (tests.some((test) => known(test[key]) && test[key] !== '')
      ? {title, value: (test) => test[key], numeric: typeof tests[0][key] === 'number', cell} : null);
  return table({
    caption, name: caption, rows: tests, columns: [
      {title: 'metric', value: (test) => test.metric,
       cell: (test) => term(breakable(test.metric || ''), () => Object.entries(test)
           .map(([key, value]) => [key, loose(value)]))},
      {title: 'method − retrained', numeric: true, value: (test) => test.estimate,
       cell: (test) => [number(test.estimate), known(test.lower) && known(test.upper)
           ? h('small', {}, range(test.lower, test.upper)) : null]},
      optional('margin', 'margin'),
      optional('adjusted p', 'holm'),
      optional('shows', 'shows'),
      optional('how', 'what'),
    ].filter(Boolean),
  });
}

function cannot(title, text) {
  return text ? h('p', {class: 'cannot'}, h('strong', {}, title), sentence(text)) : null;
}

function verdict(entry, shared) {
  const tests = list(entry.tests);
  const mark = (name, word) => (word ? h('p', {class: 'mark'}, `${name}: `, badge(word)) : null);
  return h('article', {class: 'verdict'},
      h('h3', {}, (entry.method || entry.model) + (entry.variant ? ` (${entry.variant})` : ''),
        entry.word ? ' ' : null,
        entry.word ? h('span', {class: `word ${entry.tone}`}, entry.word_text) : null),
      h('div', {class: 'card'},
        h('div', {},
          h('div', {class: 'marks'}, mark('traces', entry.under),
            mark('over-forgetting', entry.over), mark('like retraining', entry.equivalent),
            mark('utility lost', entry.utility_loss)),
          h('p', {}, sentence(entry.sentence || ''))),
        forest(tests, entry.method || entry.model)),
      shared ? null : cannot('Cannot be concluded: ', entry.cannot),
      tests.length === 0 ? null : details(plural(tests.length, 'test') + ' behind this',
          testTable(`Tests on ${entry.method || entry.model}${entry.variant ? ` (${entry.variant})` : ''}`, tests)));
}

function verdicts() {
  const all = list(page.verdicts);
  if (all.length === 0) {
    return section('verdicts', 'Verdicts', h('p', {}, 'These results hold no verdicts: nothing ' +
        'was tested for traces or over-forgetting. The tables below have the numbers, beside those ' +
        'of the retrained and original models.'));
  }
  // What holds for all methods is said once, so that verdicts fit on a page.
  const shared = all.length > 1 && all.every((entry) => entry.cannot === all[0].cannot);
  return section('verdicts', 'Verdicts',
      h('p', {}, 'Each mark is the outcome of a test. “Shown”: the test found it. “Excluded”: there is none ' +
          'beyond the declared margin. “Undecided”: tested, and the evidence shows neither; that is ' +
          'not forgetting. “Not tested”: something needed is missing. The pictures show each test’s ' +
          'difference from retrained in units of its margin (the band), with its 95 % interval. ' +
          'Circles are primary tests, squares are others.'),
      all.map((entry) => verdict(entry, shared)),
      shared ? cannot('Cannot be concluded of any of them: ', all[0].cannot) : null);
}

// One cause after the other; a long list is folded, its heading says how many of which metric groups.
function remarkGroup({cause, about, texts}) {
  if (!cause) return bullets(texts);
  const heading = about ? `${cause} (${about})` : cause;
  return texts.length > 2 ? details(heading, bullets(texts)) : [h('h3', {}, heading), bullets(texts)];
}

function remarks() {
  const all = list(page.remarks);
  const found = list(evidence.findings);
  if (all.length + found.length === 0) return null;
  return section('remarks', 'How far these numbers can be trusted', all.map(remarkGroup),
      found.length ? [h('h3', {}, 'Found while reading'), bullets(found)] : null);
}

function allNumbers() {
  const extra = page.rows_in_results - allRows.length;
  const bench = allRows.some((row) => row.variant || row.audit);
  const text = (title, key) => ({title, value: (row) => row[key]});
  return section('all', 'All numbers',
      extra > 0 ? h('p', {}, `${plural(extra, 'row')} of other settings are in results.json only.`)
                : null,
      details(`${plural(allRows.length, 'number')} of every metric, setting and model`,
        h('div', {class: 'wide'}, table({
        caption: 'Every metric, setting and model', name: 'all numbers', rows: allRows,
        filter: true,
        columns: [
          {title: 'metric', value: (row) => row.metric,
           cell: (row) => term(breakable(row.metric), () => rowNote(row))},
          text('setting', 'setting'),
          ...(bench ? [text('variant', 'variant'), text('audit', 'audit'), text('split', 'split_seed')] : []),
          {title: 'model', value: (row) => row.model, cell: (row) => breakable(row.model)},
          {title: 'value', value: (row) => row.value, numeric: true,
           cell: (row) => (known(row.value) ? number(row.value) : row.status)},
          {title: 'interval', value: (row) => row.lower, numeric: true,
           cell: (row) => (known(row.lower) && known(row.upper) ? range(row.lower, row.upper) : '')},
          {title: 'retrained', value: (row) => row.reference, numeric: true,
           cell: (row) => (known(row.reference) ? number(row.reference) : '')},
          {title: 'n', value: (row) => row.n, numeric: true},
          {title: 'better', value: (row) => (known(row.ideal)
              ? `${row.direction} (${number(row.ideal)})` : row.direction)},
          {title: 'what it is', value: (row) => row.control || 'method'},
          {title: 'status', value: (row) => row.status + (row.note ? `: ${row.note}` : ''),
           cell: (row) => h('span', {class: 'note-text'},
                            row.status + (row.note ? `: ${row.note}` : ''))},
        ],
      }))));
}

function skipped() {
  const all = list(page.skipped);
  return all.length === 0 ? null : section('skipped', 'Not measured, and what it would take',
      h('dl', {class: 'skipped'}, all.map((entry) => [
        h('dt', {}, entry.group, h('small', {}, fields(page.groups)[entry.group] || '')),
        h('dd', {}, sentence(entry.missing))])));
}

function runFacts() {
  const options = Object.entries(fields(run.options));
  return section('run', 'How the numbers were made',
      facts([
        ['Command', run.command ? h('code', {}, run.command) : ''],
        ['Program', [tool.name, tool.version, tool.commit, tool.compiler, tool.build]
            .filter(Boolean).join(', ')],
        ['Seed', known(run.seed) ? String(run.seed) : ''],
        ['Threads', known(run.threads) ? String(run.threads) : ''],
        ['Started', run.started],
        ['Seconds', known(run.seconds) ? number(run.seconds) : ''],
      ]),
      options.length === 0 ? null : details(plural(options.length, 'metric option'),
          facts(options.map(([name, value]) => [name, loose(value)]))));
}

function limits() {
  const byGrade = {
    A: 'The retrained models show how much retraining itself varies; a difference smaller than that ' +
       'cannot be seen with this many models.',
    B: 'With one retrained model nothing shows how much retraining varies: a difference may be an ' +
       'accident of that one training.',
    C: 'Shadow models stand for models that never saw the forget set; if they were trained on other ' +
       'data or in another way, the comparison is wrong by an amount that is not seen here.',
    D: 'Without any model that never saw the forget set, no number here shows forgetting.',
  };
  return section('limits', 'Limits of proof', bullets([
    byGrade[evidence.grade],
    'Failing to find a trace is not proof of forgetting: a stronger attack, more models or other ' +
        'queries may find one.',
    'Only the outputs that were supplied were looked at. What a model would say to other inputs, ' +
        'what its weights hold, and copies of the data elsewhere are outside this page.',
    'Retain examples that resemble forget examples can keep their trace alive; here that looks like ' +
        'remaining traces.',
    'Many numbers are shown at once: some will look striking by chance. Decide by what was declared ' +
        'before the run.',
    'The page shows what the files with the hashes above say; it cannot show that they came from ' +
        'the models that they name.',
  ].filter(Boolean)));
}
