// States of the page: the lab is gone and back during each view, was updated, has no runs, has no devices; pages that
// do not exist; the back button.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { endless, Lab, small, soon, withLab } from '../harness/lab.mjs';

let lab, browser, page, device;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  [device] = (await lab.get('/api/v1/devices')).json.devices;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const heading = (on, name) => on.getByRole('heading', { level: 1, name, exact: true });
// The browser itself reports connections that fail and answers with an error status.
async function noProblems(expected = /Failed to load resource|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE/) {
  assert.deepEqual(browser.problems.splice(0).filter((text) => !expected.test(text)), []);
  assert.deepEqual(await browser.inaccessible(), []);
}

/** Starts the lab again on the port that it had. */
async function restart() {
  lab.options.listen = `127.0.0.1:${lab.port}`;
  await lab.start();
}

test('the lab goes and comes back: each view keeps its content, says so, and is current afterwards', async () => {
  const earlier = await lab.complete(small, { note: 'the earlier run' });
  const running = await lab.submit(endless);
  await lab.reach(running.id, 'running');
  let next; // a run after the restart
  const views = [
    { path: '/', title: 'Learn', current: (on) => on.locator(`a[href="/runs/${next.id}"]`).first() },
    { path: '/experiments/transfer', title: 'Host-device transfer' },
    { path: '/runs', title: 'Runs', current: (on) => on.locator(`tr[data-run="${next.id}"]`) },
    { path: '/machines', title: 'Machines', current: (on) => on.getByText('The queue is paused') },
    { path: `/devices/${device.id}`, title: device.name, current: (on) => on.locator(`a[href="/runs/${next.id}"]`).first() },
    { path: `/runs/${earlier.id}`, title: /Host-device transfer/ },
    { path: `/runs/${running.id}`, title: /Host-device transfer/, current: (on) => on.locator('main .status', { hasText: 'interrupted' }).first() },
    { path: '/tokens', title: 'Tokens' },
  ];
  // A context for each: a browser opens about six connections to a server, and each page keeps one for its events.
  for (const view of views) {
    view.context = await browser.chromium.newContext();
    view.page = await view.context.newPage();
    await view.page.goto(lab.address + view.path);
    await view.page.getByRole('heading', { level: 1, name: view.title }).waitFor();
  }
  await lab.stop();
  for (const { path, page: on, title } of views) {
    await on.getByText('No connection to the lab.').waitFor();
    assert.equal(await on.getByRole('heading', { level: 1, name: title }).count(), 1, `${path} lost its content`);
  }
  await restart();
  next = await lab.complete();
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  for (const { path, page: on, title, current } of views) {
    await on.getByText('No connection to the lab.').waitFor({ state: 'detached' });
    if (current) await current(on).waitFor().catch((error) => assert.fail(`${path} is not current: ${error.message}`));
    assert.equal(await on.getByRole('heading', { level: 1, name: title }).count(), 1, path);
  }
  await Promise.all(views.map(({ context }) => context.close()));
  await lab.request('PUT', '/api/v1/queue', { json: { paused: false } });
});

test('a view that is opened while the lab is gone appears when it is back', async () => {
  await page.goto(`${lab.address}/runs`);
  await heading(page, 'Runs').waitFor();
  await lab.stop();
  await page.getByText('No connection to the lab.').waitFor();
  await page.getByRole('link', { name: 'Machines' }).click();
  await heading(page, 'No connection to the lab').waitFor();
  await noProblems();
  await restart();
  await heading(page, 'Machines').waitFor();
  await noProblems();
});

test('after an update of the lab the page says so, and the next link loads it again', async () => {
  const version = (await lab.get('/api/v1/version')).json;
  await page.goto(`${lab.address}/runs`);
  await page.getByText(`gpulab ${version.version} (${version.commit})`).waitFor();
  await page.route('**/api/v1/version', (route) => route.fulfill({ json: { ...version, version: '9.9.9', commit: 'abcdef123456' } }));
  await lab.stop();
  await page.getByText('No connection to the lab.').waitFor();
  await restart();
  await page.getByText('The lab was updated.').waitFor();
  await page.getByText('It is gpulab 9.9.9 (abcdef1) now.').waitFor();
  await noProblems();
  await page.evaluate(() => { globalThis.before = true; });
  await page.getByRole('link', { name: 'Machines' }).click();
  await heading(page, 'Machines').waitFor();
  assert.equal(await page.evaluate(() => globalThis.before), undefined, 'the page was not loaded again');
  await page.getByText('gpulab 9.9.9 (abcdef123456)').waitFor();
  assert.equal(await page.getByText('The lab was updated.').count(), 0);
  await page.unroute('**/api/v1/version');
});

test('pages that do not exist say what is missing', async () => {
  const unknown = '00000000-0000-7000-8000-000000000000';
  for (const [path, title] of [['/nothing', 'Page not found'], ['/devices/nothing', 'Device not found'], ['/experiments/nothing', /not found/i], [`/runs/${unknown}`, /not found/i]]) {
    await page.goto(lab.address + path);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.locator('main').getByRole('link').first().waitFor();
    await noProblems();
  }
});

test('back returns to the view as it was, also to where it was scrolled', async () => {
  await page.setViewportSize({ width: 800, height: 400 });
  await page.goto(`${lab.address}/`);
  await heading(page, 'Learn').waitFor();
  const link = page.locator('main a[href="/experiments/collectives"]').first();
  await link.scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate(() => window.scrollY);
  assert.ok(scrolled > 100);
  await link.click();
  await page.waitForURL('**/experiments/collectives');
  await soon(async () => assert.equal(await page.evaluate(() => window.scrollY), 0));
  await page.goBack();
  await heading(page, 'Learn').waitFor();
  await soon(async () => assert.ok(Math.abs((await page.evaluate(() => window.scrollY)) - scrolled) < 50));
  await page.setViewportSize({ width: 1280, height: 900 });
  await noProblems();
});

test('back and forward return to where a lesson and a run were scrolled, also while parts of them come later', async () => {
  const run = await lab.complete({ ...small, max_bytes: 1048576 });
  await page.setViewportSize({ width: 390, height: 700 });
  const top = (selector) => page.locator(selector).first().evaluate((element) => element.getBoundingClientRect().top);
  const position = () => page.evaluate(() => window.scrollY);
  await page.goto(`${lab.address}/experiments/transfer`);
  const link = page.locator(`#runs a[href="/runs/${run.id}"]`).first();
  await link.waitFor();
  await page.locator('#result .chart-area svg').first().waitFor();
  const rest = () => page.waitForTimeout(400); // the position is kept when nothing was scrolled for a while
  await soon(async () => {
    await link.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    assert.ok((await position()) > 1000);
  });
  await rest();
  const before = await position();
  await link.click();
  await page.waitForURL(`**/runs/${run.id}`);
  await page.locator('main .chart-area svg').first().waitFor();
  await page.mouse.wheel(0, 300);
  await soon(async () => assert.ok((await position()) > 200));
  await rest();
  const inRun = await position();
  await page.goBack();
  await soon(async () => assert.equal(await position(), before));
  await page.locator('#result .chart-area svg').first().waitFor();
  await rest();
  assert.equal(await position(), before);
  await page.goForward();
  await soon(async () => assert.equal(await position(), inRun));
  await page.goBack();
  await soon(async () => assert.equal(await position(), before));
  await page.getByRole('link', { name: 'Result of this lab' }).first().evaluate((element) => element.click());
  await page.locator('main').evaluate((element) => element.append(document.createElement('br'))); // a part that comes after the jump
  await soon(async () => assert.ok(Math.abs(await top('#result')) < 150));
  await page.goBack();
  await soon(async () => assert.equal(await position(), before));
  await page.setViewportSize({ width: 1280, height: 900 });
  await noProblems();
});

test('a crash of the worker is shown with its reason', () => withLab({ env: { GPULAB_HOST_FAULT: 'crash@40' } }, async (other) => {
  const run = await other.submit({ ...small, max_bytes: 1048576, min_samples: 20, max_samples: 20 });
  await page.goto(`${other.address}/runs/${run.id}`);
  await page.locator('main .status', { hasText: 'failed' }).first().waitFor();
  const { error } = await other.reach(run.id, 'failed');
  await page.getByText(error.detail).first().waitFor();
  assert.match(await page.title(), /failed|✗|Host-device transfer/);
  await noProblems();
  await page.goto('about:blank');
}));

const emptyViews = [['/', 'Learn'], ['/experiments/transfer', 'Host-device transfer'], ['/runs', 'Runs'], ['/machines', 'Machines']];

test('an empty lab: each view says what to do next', () => withLab({}, async (other) => {
  for (const [path, title] of emptyViews) {
    await page.goto(other.address + path);
    await heading(page, title).waitFor();
    assert.equal(await page.title(), `${title} · gpulab`);
    await noProblems();
    await browser.fits(path);
  }
  await page.goto(`${other.address}/runs`);
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
  await page.locator('main').getByRole('link').first().waitFor();
  await page.goto('about:blank');
}));

test('a lab without devices: each view works, and machines say why nothing can be started', () => withLab({ runtime: 'cuda' }, async (other) => {
  for (const [path, title] of emptyViews) {
    await page.goto(other.address + path);
    await heading(page, title).waitFor();
    await noProblems();
  }
  await page.getByRole('heading', { name: 'No devices' }).waitFor();
  await page.getByRole('heading', { name: 'No run can be started' }).waitFor();
  await noProblems();
  await page.goto('about:blank');
}));
