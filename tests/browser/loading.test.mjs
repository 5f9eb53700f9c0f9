// What the page of a finished run loads until its first chart: how many requests and bytes, nothing twice, and little
// when the browser has been there before. tests/bench/loading.mjs measures the time.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab, slowdown } from '../harness/lab.mjs';
import { delayingProxy, sampledOnce, visit } from '../harness/loading.mjs';

const REQUESTS_MAX = 13, BYTES_MAX = 92_000, WARM_BYTES_MAX = 30_000;

let lab, browser, proxy, path, bundled;
before(async () => {
  lab = await Lab.start();
  path = `/runs/${(await lab.complete(sampledOnce)).id}`;
  bundled = (await lab.get('/')).text.includes('/bundle/');
  browser = await Browser.start();
  proxy = await delayingProxy(lab.port, 0);
});
after(async () => {
  proxy.close();
  await browser.close();
  await lab.close();
});

test('the first chart takes few requests and bytes', async (t) => {
  if (!bundled) return t.skip('the page is of plain modules');
  const context = await browser.chromium.newContext();
  const first = await visit(context, proxy, path);
  assert.ok(first.requests <= REQUESTS_MAX, first.paths.join('\n'));
  assert.ok(first.bytes <= BYTES_MAX, `${first.bytes} bytes`);
  const again = await visit(context, proxy, path);
  const bundleOf = ({ paths }) => paths.filter((one) => one.startsWith('/bundle/'));
  assert.deepEqual(bundleOf(again), [], 'kept by the browser');
  assert.ok(again.requests <= REQUESTS_MAX - bundleOf(first).length, again.paths.join('\n'));
  assert.ok(again.bytes <= WARM_BYTES_MAX, `${again.bytes} bytes`);
  await context.close();
});

test('nothing is requested twice, and nothing that only other pages show', async () => {
  const context = await browser.chromium.newContext();
  const { paths } = await visit(context, proxy, path);
  assert.deepEqual(paths.filter((one, at) => paths.indexOf(one) !== at), []);
  assert.deepEqual(paths.filter((one) => one === '/api/v1/experiments' || one.startsWith('/api/v1/runs?')), []);
  await context.close();
});

test('what the first chart needs is requested at once, and once', async () => {
  const page = await browser.chromium.newPage();
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const experiment = page.waitForRequest((request) => request.url().endsWith('/experiment'));
  await page.route(`**/api/v1${path}`, async (route) => {
    await experiment;
    await route.continue();
  });
  await page.goto(proxy.address + path);
  const chart = page.locator('.chart-area svg path').first();
  await chart.waitFor();
  await page.unroute(`**/api/v1${path}`);
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.locator(`a[href="${path}"]`).first().click();
  await chart.waitFor();
  const first = asked.filter((one) => one.startsWith('/api/')).slice(0, 3);
  assert.deepEqual(first, [`/api/v1${path}`, `/api/v1${path}/experiment`, '/api/v1/devices'], 'they take the open connections');
  assert.deepEqual(asked.filter((one) => one.endsWith('/experiment') || one === '/api/v1/experiments/transfer'), [`/api/v1${path}/experiment`]);
  await page.close();
});

/** By what is lost, the files of what is loaded later. */
const LATER = { modules: /\/rest[-.][^/]*$/, styles: /\/later-[^/]*\.css$/ };

for (const [lost, files] of Object.entries(LATER)) test(`where the later ${lost} cannot be loaded, what needs them says so`, async (t) => {
  if (lost === 'styles' && !bundled) return t.skip('the page is of plain modules');
  const page = await browser.chromium.newPage();
  page.setDefaultTimeout(60_000 * slowdown);
  await page.route(files, (route) => route.abort());
  await page.goto(proxy.address + path);
  await page.getByRole('button', { name: 'PNG', exact: true }).click();
  await page.locator('#announcer', { hasText: 'Saving failed' }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'PNG', exact: true }).waitFor(); // its label has returned
  await page.getByRole('tab', { name: 'Method' }).click();
  await page.getByText('This part could not be loaded').waitFor();
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('heading', { name: 'No connection to the lab' }).waitFor();
  await page.close();
});

test('files of the bundle are kept for ever, the page itself is asked for each time', async (t) => {
  if (!bundled) return t.skip('the page is of plain modules');
  const index = await lab.get('/');
  assert.equal(index.headers['cache-control'], 'no-cache');
  assert.equal((await lab.get('/', { 'if-none-match': index.headers.etag })).status, 304);
  const files = [...index.text.matchAll(/(?:href|src|content)="(\/bundle\/[^"]+)"/g)].map(([, file]) => file);
  assert.ok(files.length >= 2);
  for (const file of files) {
    const answer = await lab.get(file);
    assert.equal(answer.status, 200, file);
    assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable', file);
    assert.doesNotMatch(answer.text, /sourceMappingURL/, file);
  }
});
