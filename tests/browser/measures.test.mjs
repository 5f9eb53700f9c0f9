// Every view at 390, 1024, 1440 and 2560 px, in light and dark colours: nothing is wider than its box, no element has
// two classes that lay it out differently, and every control can do something.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { environmentOf, historyLines } from '../harness/history.mjs';
import { Lab, soon } from '../harness/lab.mjs';

const WIDTHS = [390, 1024, 1440, 2560];
const at = (n) => new Date(Date.UTC(2026, 0, 1 + n));
const devices = ['GPU-a', 'GPU-b', 'GPU-c', 'GPU-d'].map((id) => ({ id, name: 'NVIDIA H100 80GB HBM3', node: 'a-machine' }));
const environment = { devices: devices.map(({ id, name }, ordinal) => ({ id, name, ordinal, backend: 'cuda', peers: [], properties: { total_memory_bytes: 85e9 } })), variables: { OMPI_MCA_btl_base: '1' } };
const run = (n, fields, measurements) => linesOf({ at: at(n), n, devices, environment, ...fields }, measurements);
const check = (device, name, median, peak) => ({ axes: { device, check: name }, samples: [median], peak: { value: peak, what: `peak of ${name}` } });

let lab, browser, page;
const ids = {};
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  const history = historyLines([50, 50, 55], (index) => ({ environment: environmentOf(index < 2 ? '570.1' : '580.2') }));
  const made = {
    health: run(40, { experiment: 'health' }, devices.flatMap(({ id }) => [check(id, 'h2d', 55, 63), check(id, 'memory', 2940, 3350), check(id, 'gemm', 6, 10)])),
    matmul: run(41, { experiment: 'matmul' }, ['naive', 'blocked', 'openblas'].flatMap((step, index) => [64, 128].map((size) => (
      { axes: { m: size, n: size, k: size, type: 'fp32', layout: 'nn', step, load: 'sustained' }, metric: 'throughput', unit: 'GFLOP/s', samples: [1 + index] })))),
    occupancy: run(42, { experiment: 'occupancy-ilp' }, [1, 4, 16].flatMap((warps) => [1, 2, 4, 8].map((independent) => (
      { axes: { variant: 'load', warps, independent, bytes: 1048576 }, samples: [warps * independent * 100] })))),
  };
  for (const [name, [line]] of Object.entries(made)) ids[name] = line.id;
  const runs = history.filter(({ type }) => type === 'run');
  [ids.base, ids.head] = [runs[1].id, runs[2].id];
  const imported = await importInto(lab, [...history, ...Object.values(made).flat()]);
  assert.equal(imported.json.imported, 6, imported.text);
  ids.device = (await lab.get('/api/v1/devices')).json.devices[0].id;
  const sweep = await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: { min_bytes: [4096, 8192], max_bytes: 8192, direction: 'h2d', min_samples: 1, max_samples: 1 } });
  assert.equal(sweep.status, 202, sweep.text);
  ids.sweep = sweep.json.id;
});
after(async () => {
  await browser.close();
  await lab.close();
});

/** The addresses of all views, with every tab of a run. */
const addresses = () => [
  '/', '/experiments/transfer', '/experiments/matmul', '/experiments/transfer?mode=sweep', '/experiments/health', '/kernels', '/program', '/runs', '/runs?q=nothing-has-this',
  `/runs/${ids.head}`, `/runs/${ids.health}`, `/runs/${ids.matmul}`, `/runs/${ids.occupancy}`,
  ...['table', 'references', 'method', 'environment'].map((tab) => `/runs/${ids.head}?tab=${tab}`),
  `/sweeps/${ids.sweep}`, `/compare?base=${ids.base}&head=${ids.head}`, '/compare', `/compare?head=${ids.health}`, '/trends', '/machines', `/devices/${ids.device}`, `/runs/${ids.health}/embed`, '/devices/GPU-a', '/devices/GPU-a/card', '/notices', '/tokens', '/challenges', '/http-api', '/nowhere',
];

const open = async (path) => {
  await page.goto(lab.address + path);
  await page.locator('main h1').first().waitFor();
  await soon(async () => assert.equal(await page.locator('main .loading').count(), 0));
  await browser.drawn();
};

/** What is wider than its box: elements that reach beyond one that does not scroll, and boxes that hide a part of their
 * text. */
const tooWide = () => page.evaluate(() => {
  const called = ({ localName, className }) => [localName, ...String(className.baseVal ?? className).split(' ')].filter(Boolean).join('.');
  const hidden = new Map([[null, false]]);
  const isHidden = (element) => { // but for screen readers
    if (!hidden.has(element)) hidden.set(element, element.getBoundingClientRect().width <= 1 || isHidden(element.parentElement));
    return hidden.get(element);
  };
  const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest('svg, [aria-hidden="true"]') && !isHidden(element);
  const scrolls = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).overflowX);
  const found = [];
  for (const element of document.querySelectorAll('main *, header *, footer *')) {
    if (!shown(element) || ['OPTION', 'BR'].includes(element.tagName)) continue;
    const parent = element.parentElement;
    const { right, width } = element.getBoundingClientRect();
    const { overflowX, position, marginRight } = getComputedStyle(element);
    if (['absolute', 'fixed', 'sticky'].includes(position) || parseFloat(marginRight) < 0) continue; // placed on purpose
    if (!scrolls(parent) && right > parent.getBoundingClientRect().right + 1.5 && getComputedStyle(parent).display !== 'contents') found.push(`${called(element)} in ${called(parent)}`);
    else if (overflowX === 'hidden' && element.scrollWidth > element.clientWidth + 1 && !element.matches('input, textarea, select') && getComputedStyle(element).textOverflow !== 'ellipsis') found.push(`${called(element)} hides its contents`);
  }
  return [...new Set(found)];
});

/** Classes that a style sheet lays out by themselves: [[class, file, display]]. */
const layouts = readdirSync(new URL('../../static/css/', import.meta.url)).flatMap((file) => {
  const text = readFileSync(new URL(`../../static/css/${file}`, import.meta.url), 'utf8').replace(/\/\*[^]*?\*\//g, '');
  return [...text.matchAll(/(?:^|\}|,)\s*\.([\w-]+)(?:\s*,[^{}]*)?\s*\{([^{}]*)\}/g)].flatMap(([, name, declarations]) => {
    const display = /(?:^|;)\s*display:\s*([\w-]+)/.exec(declarations)?.[1];
    return display && display !== 'none' ? [[name, file, display]] : [];
  });
});

/** Elements with classes of two parts of the page that lay them out differently, and tables that another part's class
 * lays out. */
const twoMeanings = () => page.evaluate((list) => {
  const found = new Set();
  for (const element of document.querySelectorAll('body *')) {
    const own = list.filter(([name]) => element.classList.contains(name));
    const [first, ...others] = own;
    for (const [name, file, display] of others)
      if (file !== first[1] && display !== first[2]) found.add(`${element.localName}: .${first[0]} (${first[1]}, ${first[2]}) and .${name} (${file}, ${display})`);
  }
  for (const table of document.querySelectorAll('table')) {
    const { display } = getComputedStyle(table);
    if (!['table', 'none'].includes(display)) found.add(`table.${table.className} is a ${display}`);
  }
  return [...found];
}, layouts);

/** Controls that can do nothing: disabled ones that do not say why, choices with one option, links without an
 * address. */
const idle = () => page.evaluate(() => {
  const found = [];
  const visible = (element) => element.checkVisibility({ visibilityProperty: true });
  const called = (element) => `${element.localName} "${(element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 40)}"`;
  const reason = (element) => element.title || (element.getAttribute('aria-describedby') ?? '').split(' ').some((id) => document.getElementById(id)?.textContent.trim());
  for (const element of document.querySelectorAll('button:disabled, select:disabled, [aria-disabled="true"]'))
    if (visible(element) && !reason(element)) found.push(`${called(element)} is disabled without a reason`);
  for (const element of document.querySelectorAll('select')) if (visible(element) && element.options.length < 2) found.push(`${called(element)} has one option`);
  for (const element of document.querySelectorAll('.segments')) if (visible(element) && element.children.length === 1) found.push(`${called(element)} has one choice`);
  for (const element of document.querySelectorAll('a')) if (visible(element) && !element.getAttribute('href')) found.push(`${called(element)} leads nowhere`);
  return [...new Set(found)];
});

/** The addresses that links of the view lead to. */
const linked = () => page.evaluate(() => [...document.querySelectorAll('a[href]')].map((link) => new URL(link.href)).filter(({ origin }) => origin === location.origin)
  .map(({ pathname, search, hash }) => ({ path: pathname + search, hash, here: pathname === location.pathname })));

/** Opens every view once. Resolves with what is wrong in it, the addresses that its links lead to, and what is too wide
 * at every size and in both colours. */
async function walk() {
  const wrong = [], links = new Set(), wide = [];
  for (const path of addresses()) {
    await open(path);
    for (const text of [...(await idle()), ...(await twoMeanings())]) wrong.push(`${path}: ${text}`);
    for (const { path: target, hash, here } of await linked()) {
      if (!here) links.add(target);
      if (here && hash.length > 1 && (await page.locator(`[id="${decodeURIComponent(hash.slice(1))}"]`).count()) !== 1) wrong.push(`${path}: no part ${hash}`);
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        await browser.drawn();
        const found = await tooWide();
        if (found.length) wide.push(`${path} at ${width}, ${colorScheme}: ${found.slice(0, 6).join('; ')}`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
  }
  browser.ignore(/404|422/); // Chromium logs every 4xx response
  return { wrong, links, wide };
}
let walked;
const views = () => (walked ??= walk());

test('no control can do nothing, no element has two meanings, and every link leads somewhere', async () => {
  const { wrong, links } = await views();
  for (const target of links) {
    const [, kind, id] = target.split(/[/?]/);
    if (kind === 'api' || kind.includes('.')) assert.equal((await lab.get(target)).status, 200, target);
    else if (['runs', 'experiments', 'sweeps'].includes(kind) && id && !target.startsWith(`/${kind}?`)) assert.equal((await lab.get(`/api/v1/${kind}/${id}`)).status, 200, target);
    else assert.match(target, /^\/($|\?|(runs|compare|trends|machines|kernels|program|notices|tokens|devices|experiments|guide|challenges|http-api)\b)/, target);
  }
  assert.ok(links.size > 40, `${links.size} links`);
  assert.deepEqual(wrong, []);
});

test('nothing is wider than its box', async () => {
  const { wide } = await views();
  assert.deepEqual(wide, []);
  assert.deepEqual(browser.problems.splice(0), []);
});

test('a copied link opens what was seen, and the button says that it was copied', async () => {
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await open(`/runs/${ids.matmul}?tab=table`);
  await page.getByRole('button', { name: 'Median' }).click();
  await page.locator('summary', { hasText: 'More' }).click();
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByRole('button', { name: 'Link copied' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, page.url());
  await page.goto('about:blank');
  await page.goto(copied);
  await page.getByRole('columnheader', { name: 'Median' }).and(page.locator('[aria-sort=ascending]')).waitFor();
});
