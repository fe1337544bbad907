// Elements and numbers. Text of the results only ever becomes text nodes.
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) {
      element.addEventListener(name.slice(2), value);
    } else {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

// Three significant digits; undefined is a word, never an empty place.
function number(value) {
  if (value === null || value === undefined) return 'undefined';
  if (typeof value === 'string') return value === 'inf' ? '∞' : value === '-inf' ? '−∞' : value;
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return minus(String(value));
  const size = Math.abs(value);
  if (size < 1e-4 || size >= 1e7) return minus(value.toExponential(2));
  return minus(size >= 1000 ? value.toFixed(0) : String(Number(value.toPrecision(3))));
}

// A long name may break after its dots and slashes, and nowhere else.
function breakable(text) {
  return String(text).split(/(?<=[./])/).flatMap((part, index) =>
      (index === 0 ? [part] : [document.createElement('wbr'), part]));
}

const minus = (text) => text.replace('-', '−');
const known = (value) => value !== null && value !== undefined;
const range = (low, high) => `${number(low)} to ${number(high)}`;
const plural = (count, word) => `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
const sentence = (text) => (!text || /[.!?]$/.test(text) ? text : text + '.');

function direction(row) {
  const better = row.direction === 'match' ? 'should match retrained' : `${row.direction} is better`;
  return known(row.ideal) ? `${better}, ideal ${number(row.ideal)}` : better;
}

// What a control is, in words.
const roles = {
  retrained: 'retrained: perfect forgetting',
  original: 'original: nothing forgotten',
  constant: 'constant predictor',
  graded: 'partly retrained',
  checkpoint: 'checkpoint: a model on the way',
};

function section(id, title, ...content) {
  const body = content.flat(Infinity).filter(Boolean);
  if (body.length === 0) return null;
  return h('section', {id, 'aria-labelledby': `${id}-title`},
           h('h2', {id: `${id}-title`}, title), body);
}

// A table that scrolls sideways by itself, one tab stop. Names of landmarks differ from each other, whatever the case,
// and from those of sections: "all numbers, table", and a second "tests" is "tests, table 2".
const regionNames = new Map();

function region(name, content) {
  const key = name.toLowerCase(), count = (regionNames.get(key) || 0) + 1;
  regionNames.set(key, count);
  return h('div', {class: 'scroll', tabindex: '0', role: 'region',
                   'aria-label': `${name}, table${count === 1 ? '' : ` ${count}`}`}, content);
}

const bullets = (texts) => h('ul', {}, texts.map((text) => h('li', {}, text)));

// A closed list of facts that printing opens.
function details(summary, ...content) {
  return h('details', {}, h('summary', {}, summary), ...content);
}

function facts(pairs) {
  return h('dl', {class: 'facts'}, pairs.filter(([, value]) => known(value) && value !== '')
      .map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}
