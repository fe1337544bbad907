// Plots: each is drawn when it comes into view, the rest while the reader reads, all for printing.
const plotData = new Map();  // name -> rows, unpacked once
const dark = window.matchMedia('(prefers-color-scheme: dark)');
let printing = false;

// Vega follows the page's colours; the palette is Okabe and Ito's, lighter where the page is dark.
function theme() {
  const night = dark.matches && !printing;
  const ink = night ? '#d8d4cb' : '#2b2a27', quiet = night ? '#8f8b82' : '#6f6b63';
  const line = night ? '#3b3a37' : '#dedad1';
  const font = 'system-ui, "Segoe UI", "DejaVu Sans", sans-serif';
  return {
    background: null,
    aria: false,  // a plot is one image with one description
    font,
    axis: {labelColor: ink, titleColor: ink, gridColor: line, domainColor: quiet, tickColor: quiet,
           titleFontWeight: 'normal', labelFontSize: 11, titleFontSize: 11.5, gridOpacity: 0.8},
    legend: {labelColor: ink, titleColor: ink, titleFontWeight: 'normal', labelFontSize: 11,
             orient: 'bottom', direction: 'horizontal',
             columns: document.documentElement.clientWidth < 500 ? 2 : 4,
             labelLimit: 220},
    header: {labelColor: ink, titleColor: ink, labelFontSize: 11.5},
    title: {color: ink},
    view: {stroke: line},
    mark: {color: night ? '#5aa9dc' : '#0072B2'},
    rule: {color: quiet},
    text: {color: ink},
    range: {category: night
        ? ['#5aa9dc', '#f0884a', '#35c59b', '#df9bc0', '#efb73e', '#8fd0f5', '#b49ae0', '#a9a9a9']
        : ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#8A6FBF', '#6B6B6B']},
  };
}

function rowsOf(plot) {
  if (!plotData.has(plot.name)) plotData.set(plot.name, unpack(plot.spec.data.values));
  return plotData.get(plot.name);
}

// Colours that a specification names itself, for dark paper.
const lighter = {'#0072B2': '#5aa9dc', '#D55E00': '#f0884a', '#009E73': '#35c59b',
                 '#CC79A7': '#df9bc0', '#7A7A7A': '#a9a9a9', '#9AA0A6': '#6f757b'};

function recoloured(part) {
  if (typeof part === 'string') return lighter[part] || part;
  if (!part || typeof part !== 'object') return part;
  if (Array.isArray(part)) return part.map(recoloured);
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, recoloured(value)]));
}

// On a phone a plot is drawn as narrow as the page, one panel a row, so that its letters keep their size.
function narrowed(spec) {
  const room = document.documentElement.clientWidth - 130;  // the page's edges and an axis
  if (room > 480) return;
  const fit = (width) => (typeof width === 'number' ? Math.min(width, room) : width);
  if ('width' in spec) spec.width = fit(spec.width);
  if (spec.facet) spec.columns = 1;
  if (spec.spec) spec.spec = {...spec.spec, width: fit(spec.spec.width)};
}

// The specification with its data as rows again. `standalone`: as vestige writes it to plots/.
function specOf(plot, standalone = false) {
  const {data, ...drawing} = plot.spec;
  const night = dark.matches && !printing && !standalone;
  const spec = night ? recoloured(drawing) : {...drawing};
  spec.data = {values: rowsOf(plot).map((row) => ({...row}))};
  if (!standalone) {
    delete spec.title;  // the page has it as a heading
    delete spec.config;
    if (!printing) narrowed(spec);
  }
  return spec;
}

class Figure {
  constructor(plot) {
    this.plot = plot;
    this.place = h('div', {class: 'plot', role: 'img', 'aria-label': plot.alt});
    this.menus = h('div', {class: 'menus'});  // what the reader may choose stands outside the image
    this.message = h('p', {class: 'status'}, 'This plot is drawn when it comes into view.');
    this.place.append(this.message);
    const save = (kind) => h('button', {type: 'button', onclick: () => this.save(kind),
                                        'aria-label': `Save ${plot.title} as ${kind}`}, kind);
    this.element = h('figure', {class: 'wide', id: `plot-${plot.name}`, 'data-state': 'waiting'},
        h('h3', {class: 'plot-title'}, plot.title), h('p', {class: 'how'}, plot.how), this.menus,
        this.place,
        h('figcaption', {}, h('p', {class: 'save'}, 'Save: ', save('SVG'), save('PNG'),
                              save('Vega-Lite')), this.numbers()));
  }

  // The same in words and numbers, made when it is opened.
  numbers() {
    const box = h('details', {class: 'numbers'}, h('summary', {}, 'The same in words and numbers'),
                  h('p', {}, this.plot.alt));
    box.addEventListener('toggle', () => {
      if (!box.open || box.querySelector('table')) return;
      const rows = rowsOf(this.plot);
      box.append(looseTable(`Numbers of the plot: ${this.plot.title}`, this.plot.title, rows) || '');
    });
    return box;
  }

  draw() {
    if (this.element.dataset.state === 'waiting' || !this.drawing) this.drawing = this.embed();
    return this.drawing;
  }

  async embed() {
    this.element.dataset.state = 'drawing';
    try {
      const result = await window.vegaEmbed(this.place, specOf(this.plot), {
        actions: false, ast: true, renderer: 'svg', config: theme(), tooltip: {theme: 'custom'},
        defaultStyle: false, logLevel: window.vega.Error, bind: this.menus,
      });
      this.place.setAttribute('role', 'img');
      this.place.setAttribute('aria-label', this.plot.alt);
      this.place.removeAttribute('aria-roledescription');
      for (const drawing of this.place.querySelectorAll('svg')) drawing.setAttribute('aria-hidden', 'true');
      this.view = result.view;
      this.place.classList.remove('vega-embed');
      this.element.dataset.state = 'drawn';
    } catch (error) {
      this.element.dataset.state = 'failed';
      this.place.replaceChildren(h('p', {class: 'status'}, `This plot could not be drawn: ${
          error.message}. Its numbers are below.`));
    }
  }

  redraw() {
    if (this.element.dataset.state !== 'drawn') return Promise.resolve();
    this.view.finalize();
    this.menus.replaceChildren();
    this.drawing = null;
    return this.draw();
  }

  async save(kind) {
    await this.draw();
    const link = h('a', {download: `${this.plot.name}.${
        kind === 'Vega-Lite' ? 'vl.json' : kind.toLowerCase()}`});
    if (kind === 'Vega-Lite') {
      const text = JSON.stringify(specOf(this.plot, true), null, 1);
      link.href = URL.createObjectURL(new Blob([text], {type: 'application/json'}));
    } else {
      link.href = await this.view.toImageURL(kind.toLowerCase(), kind === 'PNG' ? 2 : 1);
    }
    link.click();
  }
}

const figures = [];

function figureOf(plot) {
  const figure = new Figure(plot);
  figures.push(figure);
  return figure.element;
}

// What answers the reader's next question stands open; `lead` says which plots do.
function leadPlots(id, title, ...words) {
  const own = list(page.plots).filter((plot) => plot.lead === id);
  return own.length === 0 ? null : section(id, title, ...words, own.map(figureOf));
}

// All others are folded by heading, and drawn where they are.
function otherPlots() {
  const plots = list(page.plots).filter((plot) => !plot.lead);
  if (plots.length === 0) return null;
  const headings = [...new Set(plots.map((plot) => plot.section))];
  return section('plots', 'Values and distributions by metric group', headings.map((heading) => {
    const own = plots.filter((plot) => plot.section === heading);
    const box = details(`${heading}: ${plural(own.length, 'plot')}`, own.map(figureOf));
    box.classList.add('group');
    return box;
  }));
}

const canDraw = () => typeof window.vegaEmbed === 'function';

async function drawAll() {
  if (!canDraw()) return;
  for (const figure of figures) await figure.draw();
  document.documentElement.dataset.drawn = 'all';
}

// Draws one waiting plot whenever the reader's browser has nothing else to do.
function drawWhenIdle() {
  const next = figures.find((figure) => figure.element.dataset.state === 'waiting');
  if (!next) {
    document.documentElement.dataset.drawn = 'all';
    return;
  }
  const later = window.requestIdleCallback || ((callback) => setTimeout(callback, 50));
  later(() => next.draw().then(() => setTimeout(drawWhenIdle, 20)));
}

function startPlots() {
  if (!canDraw()) {
    for (const figure of figures) {
      figure.element.dataset.state = 'absent';
      figure.message.textContent = 'Plots were not built into the program that made this page; ' +
          'the numbers are below.';
    }
    return;
  }
  const byPlace = new Map(figures.map((figure) => [figure.place, figure]));
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      byPlace.get(entry.target).draw();
    }
  }, {rootMargin: '400px'});
  for (const figure of figures) watcher.observe(figure.place);
  setTimeout(drawWhenIdle, 600);
  dark.addEventListener('change', async () => {
    for (const figure of figures) await figure.redraw();
  });
}
