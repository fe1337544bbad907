// The tests behind a verdict as one picture: each difference to retrained in units of its margin.
const forestEnd = 5;  // margins; beyond that an arrow

function svg(name, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Plain names where the program gave one: "accuracy on the retain set" for utility.accuracy.retain.
const plainName = (metric) => fields(page.names)[metric] || metric;

// A name that is too long for the place beside the picture stands on two lines, cut between words
// nearest to its middle.
function nameLines(name) {
  if (name.length <= 30) return [name];
  const spaces = [...name.matchAll(/ /g)].map((found) => found.index);
  if (spaces.length === 0) return [name];
  const middle = name.length / 2;
  const cut = spaces.reduce((best, at) => (Math.abs(at - middle) < Math.abs(best - middle) ? at : best));
  return [name.slice(0, cut), name.slice(cut + 1)];
}

function forestLine(test, y, at) {
  const units = (value) => value / test.margin;
  const clamp = (value) => Math.max(-forestEnd, Math.min(forestEnd, value));
  const value = units(test.estimate), lower = units(test.lower), upper = units(test.upper);
  const tone = {under: 'traces', over: 'over', utility_loss: 'traces'}[test.shows] ||
      (test.within ? 'forgotten' : 'open');
  const parts = [svg('line', {class: 'bar', x1: at(clamp(lower)), x2: at(clamp(upper)), y1: y, y2: y})];
  if (Math.abs(value) <= forestEnd) {
    parts.push(svg(test.core ? 'circle' : 'rect', test.core
        ? {class: 'mark', cx: at(value), cy: y, r: 4}
        : {class: 'mark', x: at(value) - 3, y: y - 3, width: 6, height: 6}));
  } else {
    const end = at(Math.sign(value) * forestEnd), back = -7 * Math.sign(value);
    parts.push(svg('path', {class: 'mark', d: `M${end},${y}l${back},-4v8z`}));
    // Away from the names on the left, and within the picture on the right.
    parts.push(svg('text', {x: end, y: y - 5, 'text-anchor': value < 0 ? 'start' : 'end'},
                   `${number(value)} ×`));
  }
  return svg('g', {class: tone}, ...parts);
}

function forest(tests, method) {
  const drawn = tests.filter((test) => known(test.estimate) && known(test.lower) &&
                                       known(test.upper) && test.margin > 0);
  if (drawn.length === 0) return null;
  const left = 200, width = 500, step = 28, top = 16, height = top + step * drawn.length + 22;
  const at = (value) => left + (width - left) * (value + forestEnd) / (2 * forestEnd);
  const words = drawn.map((test) => `${plainName(test.metric)} ${number(test.estimate)}, ${
      range(test.lower, test.upper)}, margin ${number(test.margin)}`);
  const label = (text, x, anchor, attributes = {}) =>
      svg('text', {x, y: height - 6, 'text-anchor': anchor, ...attributes}, text);
  const lines = drawn.map((test, index) => {
    const y = top + step * index;
    const parts = nameLines(plainName(test.metric));
    return svg('g', {}, svg('title', {}, test.metric),
        ...parts.map((part, place) => svg('text', {
          x: left - 8, 'text-anchor': 'end', class: place > 0 ? 'second' : '',
          y: y + (parts.length > 1 ? -1 + 11 * place : 4)}, part)),
        forestLine(test, y, at));
  });
  const picture = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'forest',
    'aria-label': `Differences to retrained of ${method}: ${words.join('; ')}.`},
  svg('g', {'aria-hidden': 'true'},
    svg('rect', {class: 'band', x: at(-1), y: 2, width: at(1) - at(-1), height: height - 22}),
    svg('line', {class: 'zero', x1: at(0), x2: at(0), y1: 2, y2: height - 20}),
    ...lines, label('lower', at(-forestEnd), 'start'), label('retrained ± margin', at(0), 'middle'),
    label('higher', at(forestEnd), 'end')));
  return h('div', {class: 'forest-place'}, picture);
}
