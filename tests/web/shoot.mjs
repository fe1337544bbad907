// node tests/web/shoot.mjs PAGE.html FOLDER: pictures of a page, light, dark and on paper, to look
// at.
import {mkdirSync, writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

import {Browser} from './driver.mjs';

const [page, folder] = process.argv.slice(2);
mkdirSync(folder, {recursive: true});
const browser = await Browser.open({width: 1280, height: 1400});
try {
  await browser.timeouts(120000);
  for (const scheme of ['light', 'dark']) {
    await browser.colours(scheme);
    await browser.goto(pathToFileURL(resolve(page)).href);
    await browser.run(`async () => {
      while (document.documentElement.dataset.drawn !== 'all') {
        await new Promise((ready) => setTimeout(ready, 100));
      }
    }`);
    const height = await browser.run('() => document.documentElement.scrollHeight');
    const step = 1350;
    for (let top = 0, part = 0; top < height && part < 40; top += step, ++part) {
      await browser.run('(top) => window.scrollTo({top, behavior: "instant"})', top);
      await new Promise((ready) => setTimeout(ready, 120));
      writeFileSync(`${folder}/${scheme}-${String(part).padStart(2, '0')}.png`,
                    await browser.screenshot());
    }
  }
  writeFileSync(`${folder}/page.pdf`, await browser.pdf());
  for (const line of await browser.log()) console.log(line.level, line.message);
} finally {
  await browser.close();
}
