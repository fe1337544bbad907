// A browser under test: headless Chromium through ChromeDriver's W3C protocol, with Node.js alone.
import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';

const find = (names) => names.find((name) => existsSync(name));
export const chromium = find(['/usr/bin/chromium', '/usr/bin/chromium-browser',
                              '/usr/bin/google-chrome']);
export const chromedriver = find(['/usr/bin/chromedriver', '/usr/bin/chromium-driver']);

async function started(process) {
  let text = '';
  for await (const chunk of process.stdout) {
    text += chunk;
    const port = /started successfully on port (\d+)/.exec(text);
    if (port) return Number(port[1]);
  }
  throw new Error(`chromedriver did not start: ${text}`);
}

export class Browser {
  static async open({width = 1280, height = 1000} = {}) {
    const browser = new Browser();
    browser.process = spawn(chromedriver, ['--port=0'], {stdio: ['ignore', 'pipe', 'ignore']});
    browser.base = `http://127.0.0.1:${await started(browser.process)}`;
    const {sessionId} = await browser.send('POST', '/session', {capabilities: {alwaysMatch: {
      browserName: 'chrome',
      'goog:loggingPrefs': {browser: 'ALL'},
      'goog:chromeOptions': {binary: chromium, args: [
        '--headless=new', '--no-sandbox', '--disable-background-networking', '--disable-gpu',
        '--disable-dev-shm-usage', '--hide-scrollbars', `--window-size=${width},${height}`]},
    }}});
    browser.base += `/session/${sessionId}`;
    return browser;
  }

  async send(method, path, body) {
    const answer = await fetch(this.base + path, {
      method, headers: {'content-type': 'application/json'},
      body: body === undefined ? undefined : JSON.stringify(body)});
    const {value} = await answer.json();
    if (value && value.error) throw new Error(`${path}: ${value.error}: ${value.message}`);
    return value;
  }

  goto(url) { return this.send('POST', '/url', {url}); }

  /// Runs a function of the page with arguments; it may be asynchronous.
  run(code, ...args) {
    const script = `const done = arguments[arguments.length - 1];
      Promise.resolve((${code})(...[...arguments].slice(0, -1)))
        .then(done, (error) => done({failed: String(error && error.stack || error)}));`;
    return this.send('POST', '/execute/async', {script, args}).then((value) => {
      if (value && value.failed) throw new Error(value.failed);
      return value;
    });
  }

  cdp(cmd, params = {}) { return this.send('POST', '/goog/cdp/execute', {cmd, params}); }

  colours(scheme) {
    return this.cdp('Emulation.setEmulatedMedia',
                    {features: [{name: 'prefers-color-scheme', value: scheme}]});
  }

  timeouts(script) { return this.send('POST', '/timeouts', {script}); }

  /// What the page wrote to its console since the last call.
  log() { return this.send('POST', '/se/log', {type: 'browser'}); }

  async screenshot() { return Buffer.from(await this.send('GET', '/screenshot'), 'base64'); }

  async pdf() { return Buffer.from(await this.send('POST', '/print', {background: true}), 'base64'); }

  async close() {
    try {
      await this.send('DELETE', '', undefined);
    } finally {
      this.process.kill();
    }
  }
}
