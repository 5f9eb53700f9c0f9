// Chromium for a test, with a fresh profile. `problems` collects the page's console warnings and errors and its
// exceptions.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { long, slowdown, soon } from './lab.mjs';

const require = createRequire(import.meta.url);
const { chromium } = require('playwright-core'); // for an import, Node would search 6 MB for what is exported
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const flags = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

// The headless shell draws pages with less processor time than the whole browser.
const installed = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

export class Browser {
  static async start({ viewport = { width: 1280, height: 900 }, scale = 1 } = {}) {
    const browser = new Browser();
    browser.chromium = await chromium.launch({ executablePath: process.env.CHROMIUM || installed.find(existsSync), headless: true, chromiumSandbox: false, args: flags });
    browser.context = await browser.chromium.newContext({ viewport, deviceScaleFactor: scale, colorScheme: 'light', reducedMotion: 'reduce' });
    browser.context.setDefaultTimeout(60_000 * slowdown);
    browser.page = await browser.context.newPage();
    browser.problems = [];
    const { page, problems } = browser;
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(`${message.type()}: ${message.text()} (${message.location().url})`));
    page.on('pageerror', (error) => problems.push(`exception: ${error.stack}`));
    await page.addInitScript(() => document.addEventListener('securitypolicyviolation',
      (event) => console.error(`policy: ${event.violatedDirective} forbids ${event.blockedURI}`)));
    return browser;
  }

  /** Accessibility violations that axe finds on the page. With --thorough, also in dark colours: only those of
   * contrast, because nothing else differs. `exclude`: selectors of what is left out. Problems that the page reports
   * meanwhile are discarded: axe's own styles violate the page's content security policy. */
  async inaccessible({ exclude = [] } = {}) {
    const found = [], problems = [...this.problems];
    if (!(await this.page.evaluate(() => 'axe' in globalThis))) await this.page.evaluate(axe);
    const schemes = [['light', {}], ['dark', { runOnly: ['color-contrast'] }]];
    for (const [colorScheme, rules] of long ? schemes : schemes.slice(0, 1)) {
      await this.page.emulateMedia({ colorScheme });
      const violations = await this.page.evaluate(async ([context, options]) => {
        const result = await globalThis.axe.run(context, { ...options, resultTypes: ['violations'], preload: false });
        return result.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
      }, [{ exclude }, rules]);
      found.push(...violations.map((text) => `${colorScheme}: ${text}`));
    }
    await this.page.emulateMedia({ colorScheme: 'light' });
    await this.page.evaluate(() => new Promise((done) => { setTimeout(done, 50); }));
    this.problems.splice(0, Infinity, ...problems);
    return found;
  }

  /** Asserts that the page has reported no problem since the last call. With --thorough, also that axe finds nothing,
   * in the first rows of tables; accessibility.test.mjs always has axe look at every view as a whole. */
  async faultless() {
    assert.deepEqual(this.problems.splice(0), []);
    if (long) assert.deepEqual(await this.inaccessible({ exclude: ['tbody tr:nth-child(n + 9)'] }), []);
  }

  /** Forgets reported problems that match, which a test has caused itself. */
  ignore(pattern) {
    this.problems.splice(0, Infinity, ...this.problems.filter((text) => !pattern.test(text)));
  }

  /** Waits until pending drawing is done: the page draws once per frame, its charts in the next frame. */
  drawn() {
    return this.page.evaluate(() => new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)));
    }));
  }

  /** The boxes {x, y, width, height} in px of elements (selectors or locators, the first that each finds), all read at
   * one moment at which nothing is being drawn. Playwright's boundingBox() is null for an element that a redrawing
   * replaces meanwhile. */
  boxes(...wanted) {
    return soon(async () => {
      await this.drawn();
      const locators = wanted.map((one) => (typeof one === 'string' ? this.page.locator(one) : one));
      const elements = await Promise.all(locators.map((one) => one.first().elementHandle()));
      const boxes = await this.page.evaluate((all) => all.map((one) => one.isConnected && one.checkVisibility() && one.getBoundingClientRect().toJSON()), elements);
      boxes.forEach((box, at) => assert.ok(box, `${wanted[at]} is not shown`));
      return boxes;
    });
  }

  /** Throws when the page stays wider than the screen for 5 s; the error lists the elements beyond its edge. */
  async fits(what) {
    await this.drawn();
    return soon(async () => {
      const wide = await this.page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        const beyond = (element) => element.getBoundingClientRect().right > clientWidth + 0.5;
        const called = ({ localName, className }) => [localName, ...String(className.baseVal ?? className).split(' ')].filter(Boolean).join('.');
        return scrollWidth > clientWidth && `${scrollWidth} > ${clientWidth}: ${[...document.querySelectorAll('body *')].filter(beyond).map(called).join(' ')}`;
      });
      if (wide) throw new Error(`${what}: ${wide}`);
    }, 5);
  }

  close() {
    return this.chromium.close();
  }
}
