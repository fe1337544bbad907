// Tables that sort, filter and page; with a caption, and headers that say how they are sorted.
const collator = new Intl.Collator('en', {numeric: true});

function compare(left, right) {
  const leftKnown = known(left) && left !== '', rightKnown = known(right) && right !== '';
  if (leftKnown !== rightKnown) return leftKnown ? -1 : 1;  // undefined last, either way
  if (!leftKnown) return 0;
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return collator.compare(String(left), String(right));
}

const isUndefined = (value) => !known(value) || value === '';

class Table {
  // columns: {title, value(row): what is sorted and searched, cell(row): what is shown, numeric}
  constructor({caption, columns, rows, pageSize = 100, filter = false, name}) {
    Object.assign(this, {columns, rows, pageSize, name});
    this.shown = rows;
    this.first = 0;
    this.sorted = {column: -1, descending: false};
    this.body = h('tbody');
    this.heads = columns.map((column, index) => this.head(column, index));
    this.status = h('p', {class: 'status', 'aria-live': 'polite'});
    const table = h('table', {class: 'sortable'}, h('caption', {}, caption),
                    h('thead', {}, h('tr', {}, this.heads)), this.body);
    const scroller = region(name, table);
    this.element = h('div', {class: 'table'}, filter ? this.filterBox() : null, scroller,
                     this.pager = h('div', {class: 'pager'}));
    this.draw();
  }

  head(column, index) {
    const button = h('button', {type: 'button', class: 'sort', onclick: () => this.sort(index)},
                     breakable(column.title), h('span', {class: 'arrow', 'aria-hidden': 'true'}));
    return h('th', {scope: 'col', class: column.numeric ? 'number' : null, 'aria-sort': 'none'},
             button);
  }

  filterBox() {
    const input = h('input', {type: 'search', spellcheck: 'false', autocomplete: 'off'});
    input.addEventListener('input', () => this.filter(input.value));
    return h('label', {class: 'filter'}, `Filter ${this.name}: `, input);
  }

  filter(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.shown = this.rows.filter((row) => {
      row.searched ??= this.columns.map((column) => column.value(row)).join(' ').toLowerCase();
      return words.every((word) => row.searched.includes(word));
    });
    this.order();
  }

  sort(index) {
    const again = this.sorted.column === index;
    this.sorted = {column: index, descending: again && !this.sorted.descending};
    this.heads.forEach((head, i) => head.setAttribute('aria-sort',
        i !== index ? 'none' : this.sorted.descending ? 'descending' : 'ascending'));
    this.order();
  }

  order() {
    const {column, descending} = this.sorted;
    if (column >= 0) {
      const value = this.columns[column].value;
      const sign = descending ? -1 : 1;
      this.shown = [...this.shown].sort((left, right) => {
        const a = value(left), b = value(right);
        return isUndefined(a) || isUndefined(b) ? compare(a, b) : sign * compare(a, b);
      });
    }
    this.first = 0;
    this.draw();
  }

  draw(everything = false) {
    const end = everything ? this.shown.length : this.first + this.pageSize;
    const rows = this.shown.slice(everything ? 0 : this.first, end);
    this.body.replaceChildren(...rows.map((row) => this.line(row)));
    arrows(this.body.parentElement || this.body);
    this.drawPager(everything);
  }

  line(row) {
    return h('tr', {class: row.status === 'unreliable' ? 'unreliable' : null},
             this.columns.map((column, index) => {
               const content = column.cell ? column.cell(row) : column.value(row);
               const shown = column.numeric && !column.cell ? number(content) : content;
               return h(index === 0 ? 'th' : 'td',
                        {scope: index === 0 ? 'row' : null, class: column.numeric ? 'number' : null},
                        ...[known(shown) ? shown : ''].flat());
             }));
  }

  drawPager(everything) {
    const total = this.shown.length;
    const last = everything ? total : Math.min(this.first + this.pageSize, total);
    const go = (first) => () => {
      this.first = first;
      this.draw();
    };
    const turn = (text, first, possible) => h('button', {
      type: 'button', onclick: go(first), disabled: !possible}, text);
    this.status.textContent = total === 0 ? 'No row fits.'
        : total === this.rows.length && total <= this.pageSize ? plural(total, 'row')
        : `Rows ${everything ? 1 : this.first + 1} to ${last} of ${total.toLocaleString('en')}`;
    this.pager.replaceChildren(this.status, ...(total > this.pageSize && !everything ? [
      turn('Previous', this.first - this.pageSize, this.first > 0),
      turn('Next', this.first + this.pageSize, last < total),
    ] : []));
  }
}

// One tab stop per table: inside, arrow keys, Home and End go from number to number.
function arrows(table) {
  for (const button of table.querySelectorAll('button')) button.tabIndex = -1;
}

function stepFrom(region, active, key) {
  const cells = [...region.querySelectorAll('tr')].map((line) => [...line.children]);
  const buttonOf = (cell) => cell && cell.querySelector('button');
  const row = cells.findIndex((line) => line.some((cell) => cell.contains(active)));
  if (row < 0) return region.querySelector('tbody button') || region.querySelector('button');
  const column = cells[row].findIndex((cell) => cell.contains(active));
  const [down, right] = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1],
                         Home: [0, -1], End: [0, 1]}[key];
  let found = null;
  for (let r = row + down, c = column + right; cells[r] && cells[r][c]; r += down, c += right) {
    const button = buttonOf(cells[r][c]);
    if (!button) continue;
    found = button;
    if (key !== 'Home' && key !== 'End') break;
  }
  return found;
}

document.addEventListener('keydown', (event) => {
  if (!/^(Arrow(Up|Down|Left|Right)|Home|End)$/.test(event.key)) return;
  const region = event.target instanceof Element && event.target.closest('.scroll');
  if (!region || !region.querySelector('button')) return;
  const next = stepFrom(region, document.activeElement, event.key);
  if (!next) return;
  event.preventDefault();
  next.focus();
});

const tables = [];

function table(options) {
  const made = new Table(options);
  tables.push(made);
  return made.element;
}

// A table of whatever objects the results hold: one column per key, estimates with their interval.
function looseTable(caption, name, objects, {hide = [], titles = {}} = {}) {
  const rows = objects.filter((object) => object && typeof object === 'object');
  if (rows.length === 0) return null;
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
      (key) => !hide.includes(key) && rows.some((row) => known(row[key]) && row[key] !== ''));
  return table({
    caption, name, rows: rows.map((row) => ({...row})), filter: rows.length > 12,
    columns: keys.map((key) => ({
      title: titles[key] || key.replaceAll('_', ' '),
      numeric: rows.every((row) => !known(row[key]) || typeof row[key] === 'number' ||
                                   isEstimate(row[key])),
      value: (row) => sortable(row[key]),
      cell: (row) => loose(row[key]),
    })),
  });
}

const isEstimate = (value) => value && typeof value === 'object' && 'value' in value;

function sortable(value) {
  if (isEstimate(value)) return value.value;
  return value && typeof value === 'object' ? loose(value) : value;
}

function loose(value) {
  if (!known(value)) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return number(value);
  if (Array.isArray(value)) return value.map(loose).join('; ');
  if (typeof value !== 'object') return String(value);
  if (isEstimate(value)) {
    if (!known(value.value)) return 'undefined';
    return known(value.lower) && known(value.upper)
        ? `${number(value.value)} (${range(value.lower, value.upper)})` : number(value.value);
  }
  if ('metric' in value) return value.setting ? `${value.metric} (${value.setting})` : value.metric;
  return Object.entries(value).filter(([, part]) => known(part) && part !== '')
      .map(([key, part]) => `${key.replaceAll('_', ' ')} ${loose(part)}`).join(', ');
}
