// node page_test.mjs VESTIGE SOURCE WORK: the report page in a real browser. Exit code 77: skipped,
// because no browser is installed. Times are printed and never fail the test; sizes may.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, readFileSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';

import {Browser, chromedriver, chromium} from './driver.mjs';
import {hostile, hostileNames, made} from './synthetic_results.mjs';

const [vestige, source, work] = process.argv.slice(2);
if (!chromium || !chromedriver) {
  console.log('skipped: chromium and chromium-driver are not installed (make setup installs them)');
  process.exit(77);
}
rmSync(work, {recursive: true, force: true});
mkdirSync(work, {recursive: true});

function pageOf(name, results) {
  const json = join(work, `${name}.json`), html = join(work, `${name}.html`);
  writeFileSync(json, JSON.stringify(results));
  execFileSync(vestige, ['report', json, '--html', html]);
  return html;
}

const browser = await Browser.open();
await browser.timeouts(120000);
let plots = true;  // whether the program under test was built with them

async function open(html) {
  await browser.log();
  await browser.goto(pathToFileURL(html).href);
  plots = await browser.run('() => typeof window.vegaEmbed === "function"');
}

/// Waits until every plot is drawn, and checks that each has marks.
async function allDrawn(least) {
  if (!plots) {
    console.log('  plots were not built into this program: only tables are checked');
    return;
  }
  const states = await browser.run(`async () => {
    while (document.documentElement.dataset.drawn !== 'all') {
      await new Promise((ready) => setTimeout(ready, 50));
    }
    return [...document.querySelectorAll('figure[id^=plot-]')].map((figure) => ({
      id: figure.id, state: figure.dataset.state,
      label: figure.querySelector('.plot').getAttribute('aria-label').length,
      how: figure.querySelector('.how').textContent.length,
      marks: figure.querySelectorAll(
          '.plot svg .mark-symbol path, .plot svg .mark-line path, .plot svg .mark-rect path, ' +
          '.plot svg .mark-area path').length}));
  }`);
  assert.ok(states.length >= least, `${states.length} plots, expected ${least}`);
  for (const {id, state, marks, label, how} of states) {
    assert.equal(state, 'drawn', id);
    assert.ok(marks > 0, `${id} has no marks`);
    assert.ok(label > 10 && how > 20, `${id} lacks words`);
  }
  console.log(`  ${states.length} plots drawn`);
}

async function quietConsole() {
  const lines = (await browser.log()).filter(({level}) => level === 'SEVERE' || level === 'WARNING');
  assert.deepEqual(lines.map(({message}) => message), []);
}

const tests = {
  async 'the demonstration evidence'() {
    for (const name of ['fashion-pool', 'fashion-one']) {
      const out = join(work, name);
      execFileSync(vestige, ['audit', join(source, 'demo', name), '--out', out, '--quiet']);
      await open(join(out, 'report.html'));
      await allDrawn(3);
      await quietConsole();
    }
  },

  async 'every section and every kind of plot'() {
    await open(pageOf('full', made({bench: true})));
    await allDrawn(16);
    const sections = await browser.run(
        '() => [...document.querySelectorAll("main > section")].map((one) => one.id)');
    assert.deepEqual(sections, ['verdicts', 'findings', 'trade-off', 'roc', 'remembered',
      'comparison', 'controls', 'failed-runs', 'variance', 'costs', 'plan', 'main-table', 'plots',
      'remarks', 'all', 'skipped', 'audited', 'run', 'limits']);
    const text = await browser.run('() => document.querySelector("main").innerText');
    for (const part of ['unreliable', 'inconclusive', 'needs tokens', 'did not hold',
                        'not estimable', '80 % of its values were called unreliable']) {
      assert.ok(text.includes(part), `'${part}' is not on the page`);
    }
    const heat = await browser.run(`() => [document.querySelectorAll('.heat td:not(.quiet)').length,
        document.querySelectorAll('.heat td.quiet').length]`);
    assert.deepEqual(heat, [30, 0]);  // the most remembered rows that have a score
    const inked = await browser.run(`() => [...document.querySelectorAll('canvas')].map((canvas) =>
        canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
            .some((byte, i) => i % 4 !== 3 && byte > 0))`);
    assert.deepEqual(inked, Array(8).fill(true));
    await quietConsole();
  },

  async 'a row of the map opens its text by keyboard'() {
    await open(pageOf('texts', made()));
    const seen = await browser.run(`() => {
      const region = document.querySelector('.heat').closest('.scroll');
      region.focus();
      const press = (key) => document.activeElement.dispatchEvent(
          new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
      press('ArrowDown');
      for (let i = 0; i < 2; ++i) press('ArrowDown');
      const button = document.activeElement;
      const text = document.getElementById('row-6');
      const closed = !text.open;
      button.click();
      return {tab: button.tabIndex, name: button.textContent, closed, open: text.open,
              focus: document.activeElement === text.querySelector('summary'),
              marked: [...text.querySelectorAll('mark')].map((one) => one.textContent),
              said: text.querySelector('dl').innerText};
    }`);
    assert.deepEqual([seen.tab, seen.closed, seen.open, seen.focus], [-1, true, true, true], JSON.stringify(seen));
    assert.match(seen.name, /^6 id-2/);
    assert.deepEqual(seen.marked, ['the river runs']);
    assert.match(seen.said, /the river runs north[^]*the river runs south[^]*a hill/);
    await quietConsole();
  },

  async 'checkpoints stand apart from methods'() {
    await open(pageOf('checkpoint', made({checkpoint: true})));
    const tables = await browser.run(`() => [...document.querySelectorAll('#main-table table')].map(
        (one) => [one.caption.textContent, one.innerText.includes('checkpoint/original.0.5')])`);
    assert.deepEqual(tables, [['Methods by main metrics', false],
                              ['Checkpoints by main metrics', true]]);
    await quietConsole();
  },

  async 'undefined and unreliable stand with their reasons'() {
    await open(pageOf('reasons', made()));
    const text = await browser.run('() => document.querySelector("#main-table").innerText');
    for (const part of ['undefined', 'zrf.score: one class only', 'unreliable',
                        'mmd.otr: the control failed: it is noise']) {
      assert.ok(text.includes(part), `'${part}' is not in the main table`);
    }
  },

  async 'a table sorts, filters and pages'() {
    await open(pageOf('sort', made()));
    const column = `(at) => [...document.querySelectorAll('#all tbody tr')].map(
        (line) => line.children[at].textContent)`;
    const press = (title) => browser.run(`(title) => {
      const button = [...document.querySelectorAll('#all .sort')].find(
          (one) => one.textContent.trim() === title);
      button.click();
      return button.closest('th').getAttribute('aria-sort');
    }`, title);
    const values = async () => (await browser.run(column, 3)).map((text) => Number(text))
        .filter((value) => !Number.isNaN(value));
    assert.equal(await press('value'), 'ascending');
    const up = await values();
    assert.ok(up.length > 50);
    assert.deepEqual(up, [...up].sort((a, b) => a - b));
    assert.equal(await press('value'), 'descending');
    const down = await values();
    assert.deepEqual(down, [...down].sort((a, b) => b - a));
    const metrics = await browser.run(`(text) => {
      const input = document.querySelector('#all input');
      input.value = text;
      input.dispatchEvent(new Event('input'));
      return [...document.querySelectorAll('#all tbody th')].map((cell) => cell.textContent);
    }`, 'MMD finetune');
    assert.deepEqual(metrics, ['mmd.otr']);
    assert.equal(await browser.run('() => document.querySelector("#all .status").textContent'),
                 'Rows 1 to 1 of 1');
  },

  async 'definitions show on focus and on tap, and close with Escape'() {
    await open(pageOf('notes', made()));
    const shown = await browser.run(`() => {
      document.querySelector('#all details').open = true;
      const button = document.querySelector('#all .term');
      button.focus();
      const byFocus = document.getElementById('note').innerText;
      document.dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));
      const closed = document.getElementById('note').hidden;
      button.click();
      return {byFocus, closed, byTap: !document.getElementById('note').hidden,
              described: button.getAttribute('aria-describedby')};
    }`);
    for (const part of ['Direction', 'n\n200', 'Retrained', 'forgetting quality']) {
      assert.ok(shown.byFocus.includes(part), shown.byFocus);
    }
    assert.deepEqual([shown.closed, shown.byTap, shown.described], [true, true, 'note']);
  },

  async 'details open, and all of them for print'() {
    await open(pageOf('print', made()));
    const result = await browser.run(`() => {
      document.documentElement.dataset.appendix = 'true';
      const files = document.querySelector('#audited details');
      files.querySelector('summary').click();
      const opened = files.open && files.innerText.includes('0'.repeat(64));
      files.open = false;
      window.dispatchEvent(new Event('beforeprint'));
      const paper = [...document.querySelectorAll('details:not(.numbers)')].every((one) => one.open);
      const rows = document.querySelectorAll('#all tbody tr').length;
      window.dispatchEvent(new Event('afterprint'));
      return {opened, paper, rows, closed: !files.open};
    }`);
    assert.deepEqual(result, {opened: true, paper: true, closed: true,
                              rows: made().results.length});
    assert.ok((await browser.pdf()).length > 20000);
  },

  async 'paper: at most six pages, the answer on the first; phone: nothing wider than it'() {
    await open(join(work, 'fashion-one', 'report.html'));
    const pdf = (await browser.pdf()).toString('latin1');
    const pages = (pdf.match(/\/Type \/Page\b/g) || []).length;
    console.log(`  ${pages} pages`);
    assert.ok(pages >= 2 && pages <= 6, `${pages} pages`);
    await browser.cdp('Emulation.setDeviceMetricsOverride',
                      {width: 390, height: 800, deviceScaleFactor: 1, mobile: true});
    const phone = await browser.run(`() => ({
      wide: document.documentElement.scrollWidth,
      summary: document.querySelector('.glance tbody svg').getBoundingClientRect().width,
      hidden: [...document.querySelectorAll('header svg')].every((one) =>
          one.getAttribute('role') === 'img' || one.getAttribute('aria-hidden') === 'true')})`);
    // Letters of a plot keep their size: it is drawn narrow, not made small.
    await open(join(work, 'fashion-one', 'report.html'));
    await allDrawn(3);
    const scale = !plots ? 1 : await browser.run(`() => Math.min(...['trade-off', 'roc'].map((id) => {
      const drawing = document.querySelector('#' + id + ' .plot svg');
      return drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
    }))`);
    await browser.cdp('Emulation.clearDeviceMetricsOverride');
    assert.ok(scale > 0.85, `plots are drawn at ${scale} of their size`);
    assert.deepEqual([phone.wide, phone.hidden], [390, true]);
    assert.ok(phone.summary > 300, `${phone.summary} px`);
  },

  // axe-core 4.14.0 (tests/web/vendor) on the whole page with everything unfolded, and on a phone.
  async 'axe finds nothing'() {
    const axe = readFileSync(join(source, 'tests/web/vendor/axe-core/axe.min.js'), 'utf8');
    const pages = [join(work, 'fashion-one', 'report.html'), pageOf('axe', made({bench: true}))];
    for (const [html, width] of [[pages[0], 1280], [pages[0], 390], [pages[1], 800]]) {
      await browser.cdp('Emulation.setDeviceMetricsOverride',
                        {width, height: 1000, deviceScaleFactor: 1, mobile: width < 500});
      await open(html);
      await allDrawn(3);
      const found = await browser.run(`async () => {
        ${axe};
        for (const one of document.querySelectorAll('details:not(.numbers)')) one.open = true;
        const {violations, passes} = await window.axe.run(document, {resultTypes: ['violations']});
        return {passes: passes.length, violations: violations.map(({id, impact, nodes}) =>
            ({id, impact, count: nodes.length, first: nodes[0].html.slice(0, 200)}))};
      }`);
      console.log(`  ${width} px: ${found.passes} rules passed, ${found.violations.length} violated: ${
          found.violations.map(({id, impact}) => `${id} (${impact})`).join(', ') || 'none'}`);
      assert.deepEqual(found.violations, []);
      assert.ok(found.passes > 20, 'axe looked at nothing');
    }
    await browser.cdp('Emulation.clearDeviceMetricsOverride');
  },

  async 'one tab stop per table, arrows inside; plots are one image each'() {
    await open(join(work, 'fashion-one', 'report.html'));
    await allDrawn(3);
    const seen = await browser.run(`() => {
      const visible = (one) => one.checkVisibility() && one.tabIndex >= 0 && !one.disabled;
      const stops = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex]')]
          .filter(visible);
      const region = document.querySelector('#main-table .scroll');
      region.focus();
      const press = (key) => document.activeElement.dispatchEvent(
          new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
      press('ArrowDown');
      const first = document.activeElement.textContent;
      press('ArrowRight');
      const second = document.activeElement;
      press('End');
      const row = second.closest('tr');
      return {stops: stops.length, first, moved: second.closest('td') === row.children[1],
              end: document.activeElement.closest('tr') === row,
              read: [...document.querySelectorAll('.plot [role]')].filter(
                  (one) => !one.closest('[aria-hidden=true]')).length};
    }`);
    console.log(`  ${seen.stops} tab stops`);
    assert.ok(seen.stops < 100, `${seen.stops} tab stops`);
    assert.ok(seen.first.length > 0 && seen.moved && seen.end, JSON.stringify(seen));
    assert.equal(seen.read, 0);
  },

  async 'a forest of tests beside each verdict'() {
    await open(join(work, 'fashion-one', 'report.html'));
    const cards = await browser.run(`() => [...document.querySelectorAll('.verdict')].map((card) => ({
      marks: card.querySelectorAll('.forest .mark').length,
      tests: card.querySelectorAll('details tbody tr').length,
      label: card.querySelector('.forest').getAttribute('aria-label')}))`);
    assert.ok(cards.length >= 1);
    for (const {marks, tests, label} of cards) {
      assert.ok(marks > 0 && marks <= tests, `${marks} marks of ${tests} tests`);
      assert.match(label, /margin/);
    }
  },

  async 'dark and light'() {
    const html = pageOf('colours', made());
    const seen = {};
    for (const scheme of ['light', 'dark']) {
      await browser.colours(scheme);
      await open(html);
      await allDrawn(10);
      seen[scheme] = await browser.run(`() => {
        const sum = (colour) => colour.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0);
        const label = document.querySelector('.plot .role-axis-label text');
        return {paper: sum(getComputedStyle(document.body).backgroundColor),
                ink: sum(getComputedStyle(document.body).color),
                plot: label ? sum(getComputedStyle(label).fill) : null};
      }`);
    }
    await browser.colours('light');
    assert.ok(seen.light.paper > 700 && seen.light.ink < 150, JSON.stringify(seen));
    assert.ok(seen.dark.paper < 150 && seen.dark.ink > 600, JSON.stringify(seen));
    if (plots) assert.ok(seen.light.plot < 200 && seen.dark.plot > 500, JSON.stringify(seen));
  },

  async 'hostile names stay text'() {
    await open(pageOf('hostile', hostile()));
    await allDrawn(10);
    await browser.run(`() => {
      for (const one of document.querySelectorAll('details')) one.open = true;
      for (const one of document.querySelectorAll('.term')) one.focus();
      for (const mark of document.querySelectorAll('.plot svg path')) {
        mark.dispatchEvent(new MouseEvent('mousemove', {bubbles: true}));
      }
    }`);
    const state = await browser.run(`() => ({hacked: window.hacked, images:
        document.querySelectorAll('img, iframe, object, main script').length,
        heading: document.querySelector('h1').textContent,
        methods: [...document.querySelectorAll('.verdict h3')].map((one) => one.firstChild.textContent)})`);
    assert.equal(state.hacked ?? null, null);
    assert.equal(state.images, 0);
    assert.match(state.heading, /shown to forget like retraining|was judged|traces?|shown to forget/i);
    assert.deepEqual(state.methods, hostileNames);
    await quietConsole();
  },

  async 'old results without series, verdicts and remembered rows'() {
    const results = made();
    for (const key of ['series', 'verdicts', 'remembered', 'correlations', 'samples', 'inputs']) {
      delete results[key];
    }
    await open(pageOf('old', results));
    await allDrawn(3);
    assert.match(await browser.run('() => document.querySelector("#verdicts").innerText'),
                 /no verdicts/);
    await quietConsole();
  },

  // 30 methods, 60 metrics, 10,000 forget rows: at most 2.5 MB, interactive in under 1 s.
  async 'a big page stays small and quick'() {
    const methods = Array.from({length: 30}, (_, i) => `method_${i}`);
    const html = pageOf('big', made({methods, metrics: 60, points: 10000}));
    const size = statSync(html).size;
    console.log(`  ${(size / 1e6).toFixed(2)} MB, of which the program's own ` +
                `${((size - readFileSync(html, 'utf8').match(/id="results">(.*)/)[1].length) / 1e6)
                    .toFixed(2)} MB`);
    assert.ok(size <= 2.5e6, `${size} bytes`);
    await open(html);
    const times = await browser.run(`() => {
      const load = performance.getEntriesByType('navigation')[0];
      return {ready: performance.getEntriesByName('vestige-ready')[0].startTime,
              interactive: load.domInteractive, complete: load.domContentLoadedEventEnd};
    }`);
    console.log(`  built after ${times.ready.toFixed(0)} ms, interactive after ${
        times.interactive.toFixed(0)} ms, everything loaded after ${times.complete.toFixed(0)} ms`);
    const sort = await browser.run(`() => {
      const start = performance.now();
      document.querySelectorAll('#all .sort')[3].click();
      return performance.now() - start;
    }`);
    console.log(`  sorting all numbers takes ${sort.toFixed(0)} ms`);
    const start = Date.now();
    await allDrawn(18);
    console.log(`  all plots drawn ${((Date.now() - start) / 1000).toFixed(1)} s later`);
    await quietConsole();
  },
};

let failed = 0;
try {
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`passed: ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED: ${name}\n${error.stack}`);
    }
  }
} finally {
  await browser.close();
}
process.exit(failed === 0 ? 0 : 1);
