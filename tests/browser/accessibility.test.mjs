// Every view at every size: no sideways scrolling of the page, nothing that axe finds, no message in the console, no
// request to another origin; the way from Learn to a comparison with the keyboard alone; the skip link; reduced motion.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { endless, Lab, long, small, soon } from '../harness/lab.mjs';

const WIDTHS = long ? [360, 768, 1280, 1920, 2560] : [360, 1280];
const brief = { min_samples: 3, max_samples: 3, min_time_s: 0, settle_s: 0, time_budget_s: 60 };
const gone = 'GPU-524399a9-b62a-1c5b-1a0c-2bc75a247d76';

let lab, browser, page;
const foreign = []; // requests to another origin
const ids = {};
before(async () => {
  lab = await Lab.start({ args: ['--host-devices', '2'] });
  browser = await Browser.start();
  page = browser.page;
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (/^https?:$/.test(protocol) && origin !== lab.address) foreign.push(request.url());
  });
  ids.device = (await lab.get('/api/v1/devices')).json.devices[0].id;
  const start = async (name, body) => {
    const answer = await lab.post('/api/v1/runs', body);
    assert.equal(answer.status, 202, answer.text);
    ids[name] = answer.json.id;
  };
  await start('line', { experiment: 'transfer', parameters: { ...small, ...brief, max_bytes: 1048576 }, tags: ['a-tag'], note: 'A note that is longer than a word.' });
  await start('matrix', { experiment: 'peer', parameters: { ...brief, bytes: [4096] } });
  await start('timeline', { experiment: 'scaling', parameters: { ...brief, bytes: 65536, weight: 64, variant: ['one-thread', 'thread-per-device'] } });
  await start('base', { experiment: 'transfer', parameters: { ...small, ...brief, max_bytes: 1048576 } });
  const sweep = await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: { ...small, min_bytes: [4096, 8192], max_bytes: 8192 } });
  assert.equal(sweep.status, 202, sweep.text);
  ids.sweep = sweep.json.id;
  for (const name of ['line', 'matrix', 'timeline', 'base']) await lab.reach(ids[name]);
  // Runs of a machine that is gone, one of which failed and one of which was throttled.
  const at = (n) => new Date(Date.UTC(2026, 0, 1 + n));
  const run = (n, fields) => ({ at: at(n), n, devices: [{ id: gone, name: 'NVIDIA H200', node: 'n1' }], ...fields });
  const conditions = { sm_clock_mhz: 1980, throttle: ['power cap'], temperature_c: 80, power_w: 690 };
  const series = Array.from({ length: 8 }, (_, n) => linesOf(run(n, {}), [{ samples: [54 + n / 10, 55, 56] }]));
  const failed = linesOf(run(20, { status: 'failed', error: { type: '/problems/worker-crashed', title: 'The worker crashed', detail: 'It was killed by signal 11.', log: 'line 1\nline 2' } }), []);
  const throttled = linesOf(run(21, { contended: true, warnings: ['Another process used the device.'], notes: ['A fact.'] }), [{ samples: [50, 51, 52], conditions, verified: false, wrong: 3 }]);
  ids.failed = failed[0].id;
  ids.throttled = throttled[0].id;
  const steps = linesOf(run(22, { experiment: 'matmul', environment: { devices: [{ id: gone, ordinal: 0, backend: 'host', name: 'NVIDIA H200', peers: [], properties: {} }] } }),
    ['naive', 'blocked', 'openblas'].flatMap((step, at) => [64, 128].map((size) => (
      { axes: { m: size, n: size, k: size, type: 'fp32', layout: 'nn', step, load: 'sustained' }, metric: 'throughput', unit: 'GFLOP/s', samples: [at + 1, at + 1.1] }))));
  ids.steps = steps[0].id;
  const imported = await importInto(lab, [...series, failed, throttled, steps].flat());
  assert.equal(imported.json.imported, 11, imported.text);
});
after(async () => {
  await browser.close();
  await lab.close();
});

const addresses = () => [
  '/', '/experiments/transfer', '/experiments/peer', '/experiments/matmul', '/runs', '/runs?status=failed', '/runs?q=nothing-has-this',
  '/compare', `/compare?base=${ids.base}&head=${ids.line}`, '/trends', '/trends?experiment=transfer', '/machines', '/notices', '/tokens', '/challenges', '/http-api', '/kernels', '/kernels?edits=transpose/padded', '/program',
  `/devices/${ids.device}`, `/devices/${gone}`, `/devices/${gone}/card`, `/sweeps/${ids.sweep}`, `/runs/${ids.failed}`, `/runs/${ids.throttled}`, `/runs/${ids.throttled}/embed`, '/nothing',
];

async function open(path) {
  await page.goto(lab.address + path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await soon(async () => assert.equal(await page.locator('main .loading').count(), 0));
  await browser.drawn();
}

/** Collects what is wrong with the view shown, at all sizes; axe looks at those of `widths`. */
async function check(what, found, widths) {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await browser.fits(`${what} at ${width}`).catch((error) => found.push(error.message));
    if (widths.includes(width)) found.push(...(await browser.inaccessible()).map((text) => `${what} at ${width}: ${text}`));
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  found.push(...browser.problems.splice(0).filter((text) => !/status of (404|422)/.test(text)).map((text) => `${what}: ${text}`));
  found.push(...foreign.splice(0).map((url) => `${what} requests ${url}`));
}

test('every view fits every size, and axe finds nothing', async () => {
  const found = [];
  for (const path of addresses()) {
    await open(path);
    assert.match(await page.title(), / · gpulab$/, `${path} has no title of its own`);
    await check(path, found, long ? [360, 1280] : [1280]);
  }
  assert.deepEqual(found, []);
});

// Tabs that differ by experiment; the others are checked for one experiment, and with --thorough for all.
const differing = ['chart', 'timeline', 'table'];
for (const name of ['line', 'matrix', 'timeline', 'steps']) {
  test(`every tab of a run (${name}) fits every size, and axe finds nothing`, async () => {
    const found = [];
    await open(`/runs/${ids[name]}`);
    let tabs = await page.getByRole('tab').evaluateAll((all) => all.map((tab) => tab.dataset.tab));
    assert.ok(tabs.length > 2, `tabs: ${tabs}`);
    if (name !== 'line' && !long) tabs = tabs.filter((tab) => differing.includes(tab));
    for (const tab of tabs) {
      await open(`/runs/${ids[name]}?tab=${tab}`);
      await page.locator(`[role=tab][data-tab=${tab}][aria-selected=true]`).waitFor();
      await check(`${name}: ${tab}`, found, [1280]);
    }
    assert.deepEqual(found, []);
  });
}

// --- the keyboard alone
// -------------------------------------------------------------------------------------------------

/** What is wrong with the element that has the focus: null, or why it is not seen. */
const focusProblem = () => page.evaluate(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const called = `${element.localName}.${element.className} "${element.textContent.trim().slice(0, 40)}"`;
  // Controls that are drawn by an element beside them, such as a check box in a label, show the focus there.
  const drawn = [element, element.nextElementSibling, element.closest('label'), element.querySelector(':scope > *')].filter(Boolean);
  const isMarked = [...drawn.map((one) => getComputedStyle(one)), getComputedStyle(element, '::after')].some((style) => {
    const { outlineStyle, outlineWidth, boxShadow } = style;
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
  });
  if (!isMarked) return `${called} does not show the focus`;
  const seen = element.closest('label') ?? element;
  const { left, top, width, height } = seen.getBoundingClientRect();
  const front = document.elementFromPoint(left + width / 2, top + Math.min(height / 2, 20));
  return seen.contains(front) || front?.contains(seen) ? null : `${called} is behind ${front?.localName}.${front?.className}`;
});

/** Presses Tab until the element has the focus. */
async function tabTo(locator, what) {
  for (let presses = 0; presses < 150; presses += 1) {
    await page.keyboard.press('Tab');
    const problem = await focusProblem();
    assert.equal(problem, null, problem);
    if (await locator.evaluateAll(([element]) => element === document.activeElement)) return;
  }
  assert.fail(`Tab does not reach ${what}`);
}

/** Waits until a link has led to another view: its heading has the focus then, which need not be seen. */
const arrived = () => soon(async () => assert.equal(await page.evaluate(() => document.activeElement.localName), 'h1'));

test('the skip link leads past the header', async () => {
  await open('/');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to main content');
  const [link] = await browser.boxes('.skip-link');
  assert.ok(link.y >= 0, 'the skip link is not seen');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(() => document.activeElement.closest('main') !== null));
});

test('from Learn to a run, its tabs, cancelling and a comparison with the keyboard alone', async () => {
  await open('/');
  await tabTo(page.locator('main a[href="/experiments/transfer"]'), 'the experiment');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/experiments/transfer*');
  await page.getByRole('heading', { level: 1, name: 'Host-device transfer' }).waitFor();
  await arrived();
  await tabTo(page.getByRole('button', { name: 'Start the run' }), 'the button that starts the run');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
  const id = /[0-9a-f-]{36}/.exec(page.url())[0];
  await arrived();
  await tabTo(page.getByRole('button', { name: /^Cancel/ }), 'the button that cancels');
  await page.keyboard.press('Enter');
  await lab.reach(id, 'cancelled');

  await open(`/runs/${ids.line}`);
  await tabTo(page.locator('[role=tab][aria-selected=true]'), 'the tabs');
  await page.keyboard.press('End');
  await soon(async () => assert.match(page.url(), /[?&]tab=/));
  const last = page.locator('[role=tab]').last();
  assert.equal(await last.getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Home');
  await soon(async () => assert.equal(await page.locator('[role=tab]').first().getAttribute('aria-selected'), 'true'));

  await open('/runs?experiment=transfer&status=succeeded');
  for (const run of [ids.line, ids.base]) {
    await tabTo(page.locator(`tr[data-run="${run}"] input[type=checkbox]`), 'the box that selects a run').catch(async () => {
      await page.evaluate(() => document.querySelector('h1').focus());
      await tabTo(page.locator(`tr[data-run="${run}"] input[type=checkbox]`), 'the box that selects a run');
    });
    await page.keyboard.press('Space');
  }
  await page.evaluate(() => document.querySelector('h1').focus());
  await tabTo(page.getByRole('button', { name: 'Compare', exact: true }), 'the button that compares');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/compare\?/);
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.deepEqual(browser.problems.splice(0), []);
});

test('with reduced motion nothing moves', async () => {
  for (const path of ['/', '/experiments/transfer', '/machines', `/runs/${ids.line}`]) {
    await open(path);
    const moving = await page.evaluate(() => [...document.querySelectorAll('*')].filter((element) => {
      const { transitionDuration, animationName, scrollBehavior } = getComputedStyle(element);
      return /[1-9]/.test(transitionDuration) || animationName !== 'none' || scrollBehavior === 'smooth';
    }).map(({ localName, className }) => `${localName}.${className}`));
    assert.deepEqual(moving, [], path);
  }
});

test('a run in progress is announced and can be read while it changes', async () => {
  const run = await lab.submit(endless);
  await lab.reach(run.id, 'running');
  const found = [];
  await open(`/runs/${run.id}`);
  await page.getByRole('progressbar').waitFor();
  await check('a run in progress', found, [1280]);
  await lab.post(`/api/v1/runs/${run.id}/cancel`);
  await lab.reach(run.id, 'cancelled');
  assert.deepEqual(found, []);
});
