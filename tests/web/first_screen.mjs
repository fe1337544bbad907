// node tests/web/first_screen.mjs PAGE.html PICTURE.png: the first screen of a page, as README shows it.
import {writeFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

import {Browser} from './driver.mjs';

const [page, picture] = process.argv.slice(2);
const browser = await Browser.open({width: 1280, height: 800});
try {
  await browser.colours('light');
  await browser.goto(pathToFileURL(resolve(page)).href);
  await browser.cdp('Emulation.setDeviceMetricsOverride',
                    {width: 1240, height: 720, deviceScaleFactor: 1, mobile: false});
  writeFileSync(picture, await browser.screenshot());
} finally {
  await browser.close();
}
