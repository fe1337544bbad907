// Puts the page together, and gets it ready for paper.
function contents() {
  const sections = [...document.querySelectorAll('main > section')];
  return [
    h('ol', {}, sections.map((element) => h('li', {},
        h('a', {href: `#${element.id}`}, element.querySelector('h2').textContent)))),
    h('p', {class: 'save'}, h('button', {type: 'button', id: 'print', onclick: printPage},
                              'Print with all plots and tables')),
  ];
}

// Paper gets the first screen, the verdicts and the limits; the rest by choice, as an appendix.
function openForPrint() {
  printing = true;
  const appendix = 'appendix' in document.documentElement.dataset;
  const wanted = appendix ? 'details:not(.numbers)' : 'header details:not(.variant)';
  for (const element of document.querySelectorAll(wanted)) {
    if (!element.open) element.dataset.closed = 'true';
    element.open = true;
  }
  for (const one of appendix ? tables : []) {
    if (one.shown.length <= 3000 && !one.element.closest('.numbers')) one.draw(true);
  }
}

function closeAfterPrint() {
  printing = false;
  for (const element of document.querySelectorAll('details[data-closed]')) {
    element.open = false;
    delete element.dataset.closed;
  }
  for (const one of tables) one.draw();
}

async function printPage() {
  printing = true;
  document.documentElement.dataset.appendix = 'true';
  await drawAll();
  if (dark.matches) for (const figure of figures) await figure.redraw();
  window.print();
  printing = false;
  delete document.documentElement.dataset.appendix;
  if (dark.matches) for (const figure of figures) await figure.redraw();
}

document.getElementById('main').append(...[
  verdicts(), findings(), leadPlots('trade-off', 'Utility against forgetting'),
  leadPlots('roc', 'Attacks'), remembered(), samples(), requests(), comparison(), controls(), failedRuns(),
  variance(), costs(), plan(), mainTables(), otherPlots(), remarks(), allNumbers(), skipped(), audited(),
  runFacts(), limits(),
].filter(Boolean));
document.getElementById('contents').append(...contents());
document.getElementById('end').append(h('p', {}, 'This page holds its own data and asks no network ' +
    'for anything. The same numbers are in results.json, the plots in plots/.'));
window.addEventListener('beforeprint', openForPrint);
window.addEventListener('afterprint', closeAfterPrint);
document.addEventListener('DOMContentLoaded', startPlots);
document.documentElement.dataset.ready = 'true';
performance.mark('vestige-ready');
