// The table of methods by headline metrics, and that of checkpoints. Reasons stand below, numbered.
let mainTableCount = 0;

class MainTable {
  constructor(rows, caption) {
    this.caption = caption;
    this.reasons = [];
    this.place = ++mainTableCount;  // ids are the page's
    const own = rows.filter((row) => row.control !== 'graded');  // these have a plot
    this.blocks = list(page.headline).map((block) => own.filter((row) => row.block === block))
        .filter((block) => block.length > 0);
    const present = new Set(this.blocks.flat().map((row) => row.method));
    this.methods = list(page.methods).filter((method) => present.has(method));
  }

  element() {
    if (this.blocks.length === 0) return null;
    const lines = this.methods.length <= 8 ? this.byMetric() : this.byMethod();
    const table = h('table', {class: 'main'}, h('caption', {}, this.caption), lines);
    arrows(table);
    return h('div', {class: 'wide'},
        region(this.caption, table),
        this.reasons.length === 0 ? null : h('ol', {class: 'reasons'},
            this.reasons.map((reason, index) => h('li', {id: `reason-${this.place}-${index + 1}`}, reason))));
  }

  head(method) {
    const row = this.blocks.flat().find((other) => other.method === method);
    const role = roles[row.control];
    return [h('span', {class: 'method'}, breakable(method)), role ? h('small', {}, role) : null];
  }

  metric(block) {
    const row = block[0];
    return [term(breakable(row.metric), () => metricNote(row)),
            h('small', {}, row.setting ? `${row.setting}; ` : '', direction(row))];
  }

  byMetric() {
    return [
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'metric'),
                       this.methods.map((method) => h('th', {scope: 'col', class: 'number'},
                                                      this.head(method))))),
      h('tbody', {}, this.blocks.map((block) => h('tr', {}, h('th', {scope: 'row'}, this.metric(block)),
          this.methods.map((method) => this.cell(block, method))))),
    ];
  }

  byMethod() {
    return [
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'model'),
                       this.blocks.map((block) => h('th', {scope: 'col', class: 'number'},
                                                    this.metric(block))))),
      h('tbody', {}, this.methods.map((method) => h('tr', {}, h('th', {scope: 'row'}, this.head(method)),
          this.blocks.map((block) => this.cell(block, method))))),
    ];
  }

  cell(block, method) {
    const own = block.filter((row) => row.method === method);
    if (own.length === 0) return h('td', {class: 'number quiet'}, '–');
    const bad = own.find((row) => row.status !== 'ok');
    const values = own.map((row) => row.value).filter(known);
    const text = values.length === 0 ? bad ? bad.status : 'undefined'
        : own.length === 1 ? number(values[0])
        : range(Math.min(...values), Math.max(...values));
    const small = own.length > 1 ? plural(own.length, 'value')
        : known(own[0].lower) && known(own[0].upper) ? range(own[0].lower, own[0].upper) : null;
    const control = own[0].control;
    return h('td', {class: `number ${bad ? bad.status : ''} ${control ? 'control' : ''}`},
        term(text, () => rowNote(own[0]), {'aria-label': `${method}, ${own[0].metric}: ${text}`}),
        bad ? this.reason(bad) : null,
        bad && bad.status === 'unreliable' ? h('small', {}, 'unreliable') : null,
        small ? h('small', {}, small) : null);
  }

  reason(row) {
    const text = `${row.metric}: ${row.note || row.status}`;
    if (!this.reasons.includes(text)) this.reasons.push(text);
    const index = this.reasons.indexOf(text) + 1;
    return h('sup', {}, h('a', {href: `#reason-${this.place}-${index}`, 'aria-label': `reason ${index}`},
                          String(index)));
  }
}

// The means of an experiment as rows of the main table.
function meansAsRows() {
  const headline = new Map(allRows.filter((row) => page.headline.includes(row.block))
      .map((row) => [row.metric, row]));
  const first = new Map();  // of each metric the first setting
  return unpack(bench.methods).filter((mean) => {
    const way = `${mean.setting}|${mean.audit}`;
    if (!first.has(mean.metric)) first.set(mean.metric, way);
    return headline.has(mean.metric) && first.get(mean.metric) === way;
  }).map((mean) => ({
    ...headline.get(mean.metric), ...mean, setting: headline.get(mean.metric).setting,
    model: mean.method, note: '', status: known(mean.value) ? 'ok' : 'undefined',
    control: mean.role,
    ...(mean.failed_runs > 0
        ? {note: `${mean.failed_runs} of ${mean.runs} runs failed and are not in it`} : {}),
    ...(mean.controls_failed ? {status: 'unreliable',
        note: 'the metric failed its own controls here and says nothing about methods'} :
        mean.unreliable > 0.5 ? {status: 'unreliable',
        note: `${Math.round(100 * mean.unreliable)} % of its values were called unreliable`} : {}),
  }));
}

function mainTables() {
  const rows = bench.methods ? meansAsRows() : allRows;
  const variants = [...new Set(rows.map((row) => row.variant || ''))];
  // Checkpoints are models on the way: they stand apart from the methods.
  const tables = (variant, checkpoints, caption) => new MainTable(
      rows.filter((row) => (row.variant || '') === variant && (row.control === 'checkpoint') === checkpoints),
      variant ? `Variant ${variant}: ${caption.toLowerCase()}` : caption).element();
  const made = variants.flatMap((variant) => [tables(variant, false, 'Methods by main metrics'),
                                      tables(variant, true, 'Checkpoints by main metrics')]);
  return section('main-table', 'Main numbers',
      h('p', {}, 'One metric of each metric group and the accuracies, in the setting that has controls. ' +
          'Retrained models show what perfect forgetting scores, originals what no forgetting ' +
          'scores, and a constant predictor what a broken model scores. Small figures are ' +
          'intervals, or the number of values behind a range; touch a number for all about it.'),
      made);
}
