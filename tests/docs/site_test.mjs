// node tests/docs/site_test.mjs SITE: the site of make docs, opened from disk: three pages show their text and pictures,
// the search finds a page, and nothing is fetched from a network.
import assert from 'node:assert';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

import {Browser} from '../web/driver.mjs';

const site = pathToFileURL(resolve(process.argv[2])).href;
const browser = await Browser.open({width: 1280, height: 900});

async function look() {
  return browser.run(`async () => ({
    title: document.querySelector('h1').textContent,
    broken: [...document.images].filter((image) => !image.naturalWidth).map((image) => image.src),
    tables: document.querySelectorAll('article table').length,
    elsewhere: performance.getEntriesByType('resource').map((own) => own.name)
      .filter((name) => !/^(file|blob|data):/.test(name)),
  })`);
}

async function hits(words) {
  return browser.run(`async (words) => {
    const query = document.querySelector('[data-md-component=search-query]');
    query.focus();
    query.value = words;
    query.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
    for (let tries = 0; tries < 300; ++tries) {
      await new Promise((done) => setTimeout(done, 100));
      const found = [...document.querySelectorAll('.md-search-result__item a')].map((link) => link.href);
      if (found.length) return found;
    }
    return [];
  }`, words);
}

try {
  await browser.timeouts(60000);
  for (const [page, title, tables] of [['index.html', 'Vestige: documentation', 2],
                                       ['start/read-a-report.html', 'How to read a report', 1],
                                       ['concepts/troubleshooting.html', 'Troubleshooting by code', 4]]) {
    await browser.goto(`${site}/${page}`);
    const seen = await look();
    assert.ok(seen.title.startsWith(title), `${page}: ${seen.title}`);
    assert.deepEqual(seen.broken, [], page);
    assert.deepEqual(seen.elsewhere, [], page);
    assert.ok(seen.tables >= tables, `${page}: ${seen.tables} tables`);
  }
  const found = await hits('ledger');
  assert.ok(found.some((link) => link.includes('/practice/ledger.html')), `search: ${found}`);
  const errors = (await browser.log()).filter(({level}) => level === 'SEVERE').map(({message}) => message);
  assert.deepEqual(errors, []);
  console.log('site: three pages and the search work from disk');
} finally {
  await browser.close();
}
