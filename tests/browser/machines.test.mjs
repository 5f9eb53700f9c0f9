// Machines: the queue, the machine's devices with their telemetry and links, the page of a device, and of one that is
// gone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { endless, Lab, soon, withLab } from '../harness/lab.mjs';
import { madeUpNodes, pretendNodes } from '../harness/nodes.mjs';

let lab, browser, page, devices;
before(async () => {
  lab = await Lab.start({ args: ['--host-devices', '2'] });
  browser = await Browser.start();
  page = browser.page;
  ({ devices } = (await lab.get('/api/v1/devices')).json);
});
after(async () => {
  await browser.close();
  await lab.close();
});

const heading = (name) => page.getByRole('heading', { level: 1, name, exact: true });
const go = (path) => page.goto(lab.address + path);
const queue = () => page.getByRole('region', { name: 'Queue' });

test('the machine with its facts, devices and links', async () => {
  const { machine } = (await lab.get('/api/v1/devices')).json;
  await go('/');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Machines' }).click();
  await heading('Machines').waitFor();
  assert.equal(await page.title(), 'Machines · gpulab');
  const section = page.getByRole('region', { name: machine.name, exact: true });
  await section.getByText(machine.kernel).waitFor();
  await section.getByText('host runtime').first().waitFor();
  assert.equal(await section.getByRole('article').count(), 2);
  await section.getByText('Both ways: same memory, peer access').waitFor();
  const cells = section.getByRole('table', { name: 'Links from the device of a row to that of a column' }).locator('tbody td');
  assert.deepEqual((await cells.allTextContents()).map((text) => text.slice(0, 11)), ['–', 'same memory', 'same memory', '–']);
  await browser.faultless();
});

test('a machine is examined when its fold is opened, also on a narrow screen', async () => {
  await go('/machines');
  await page.setViewportSize({ width: 320, height: 700 });
  await page.getByText('What works here, what is missing, what disturbs').click();
  await page.getByText(/^gpulab (works here|does not work here: )/).waitFor();
  const works = page.getByRole('heading', { level: 4, name: 'Works', exact: true });
  assert.match(await works.locator('xpath=..').innerText(), /disk of \/tmp\s+.* free\s+For program, mpi/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 320), 'nothing is wider than the screen');
  await page.getByRole('button', { name: 'Examine again' }).click();
  await works.waitFor();
  await page.setViewportSize({ width: 1280, height: 720 });
  await browser.faultless();
});

test('devices that only imported runs have are listed and lead to their pages', async () => {
  const lines = linesOf({ at: new Date(Date.UTC(2026, 0, 1)), devices: [{ id: 'GPU-9', name: 'NVIDIA A100', node: 'elsewhere' }] }, [{ samples: [20] }]);
  assert.equal((await importInto(lab, lines)).json.imported, 1);
  await go('/machines');
  const seen = page.getByRole('region', { name: 'Seen in runs' });
  const item = seen.getByRole('listitem');
  await item.first().waitFor();
  assert.equal(await item.count(), 1, 'the devices of the lab are not among them');
  assert.match(await item.textContent(), /^NVIDIA A100in elsewhere · GPU-9newest run /);
  await browser.faultless();
  const link = await item.getByRole('link', { name: 'NVIDIA A100' }).elementHandle();
  const again = page.waitForResponse(/recorded-devices/);
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  await queue().getByText('The queue is paused').waitFor();
  await again;
  await browser.drawn();
  assert.ok(await link.evaluate((element) => element.isConnected), 'an update keeps the link, so that a click on it is not lost');
  await lab.request('PUT', '/api/v1/queue', { json: { paused: false } });
  await link.click();
  await heading('NVIDIA A100').waitFor();
  assert.deepEqual(browser.problems.splice(0), []);
});

test('the old address of the devices shows the machines', async () => {
  await go('/devices');
  await heading('Machines').waitFor();
});

test('the queue: pause and resume, the running and waiting runs in order with who and priority', async () => {
  await go('/machines');
  await queue().getByText('a new run starts at once').waitFor();
  await queue().getByRole('button', { name: 'Pause the queue' }).click();
  await queue().getByText('The queue is paused').waitFor();
  assert.equal((await lab.get('/api/v1/queue')).json.paused, true);
  const low = await lab.submit(endless, { priority: 'low' });
  const normal = await lab.submit(endless);
  const rows = queue().locator('tr[data-run]');
  const order = (...ids) => soon(async () => assert.deepEqual(await rows.evaluateAll((all) => all.map((row) => row.dataset.run)), ids));
  await order(normal.id, low.id);
  assert.deepEqual(await rows.locator('[data-label=Priority]').allTextContents(), ['normal', 'low']);
  assert.deepEqual(await rows.locator('[data-label=Start]').allTextContents(), ['start unknown', 'start unknown']);
  await browser.faultless();
  await queue().getByRole('button', { name: 'Resume the queue' }).click();
  await queue().getByText('A run is being measured; 1 run waiting.').waitFor();
  await soon(async () => assert.deepEqual(await rows.locator('.status').allTextContents(), ['running', 'queued']));
  await page.getByRole('article').filter({ hasText: 'measuring' }).first().waitFor();
  await lab.post(`/api/v1/runs/${low.id}/cancel`);
  await order(normal.id);
  await rows.getByRole('link').click();
  await page.waitForURL(`**/runs/${normal.id}`);
  await lab.post(`/api/v1/runs/${normal.id}/cancel`);
  await lab.reach(normal.id, 'cancelled');
  await page.goBack();
  await queue().getByText('a new run starts at once').waitFor();
});

test('a queue that is held says why', async () => {
  await page.route('**/api/v1/queue', (route) => route.fulfill({ json: { length: 0, running: null, runs: [], paused: false, held: 'The worker does not start.' } }));
  await go('/machines');
  await queue().getByRole('heading', { name: 'No run can be started' }).waitFor();
  await queue().getByText('The worker does not start.').waitFor();
  await browser.faultless();
  await page.unroute('**/api/v1/queue');
});

// --- telemetry and links of GPUs, which the host runtime does not have
// ---------------------------------------------------

const seconds = 90;
const gpus = (count) =>
  Array.from({ length: count }, (_, i) => ({
    ...devices[0], id: `gpu-${i}`, ordinal: i, backend: 'cuda', name: 'Test GPU', telemetry: reading(i, Date.now()),
    properties: { ...devices[0].properties, clock_hz: 2e9, memory_clock_hz: 3e9, numa_node: i < count / 2 ? 0 : 1 },
    peers: Array.from({ length: count }, (_, j) => ({ id: `gpu-${j}`, access: true, native_atomics: true, rank: 0, link: 'NVLink x18' })).filter((_, j) => j !== i),
  }));
const reading = (i, at) => ({
  utilization_gpu: 10 * i + (at % 7), utilization_memory: 5, memory_used_bytes: 2 ** 30 * (i + 1), memory_total_bytes: 2 ** 37, temperature_c: 40 + i,
  power_w: 300, power_limit_w: 700, sm_clock_mhz: 1980, memory_clock_mhz: 2600, throttle: [['power-cap'], ['power-cap', 'thermal']][i] ?? [], throttled_by: i === 1 ? ['thermal'] : [], pcie_generation: 5,
  pcie_width: 16, processes: 0, at: new Date(at).toISOString(), stale: false,
});

/** Makes the page see `count` GPUs whose readings of the last `seconds` come with the event stream. */
async function pretend(count) {
  const list = gpus(count), now = Date.now();
  await page.route('**/api/v1/devices', async (route) => {
    const { machine } = (await lab.get('/api/v1/devices')).json;
    await route.fulfill({ json: { devices: list, machine } });
  });
  const events = Array.from({ length: seconds }, (_, n) => ({ devices: list.map(({ id }, i) => ({ id, telemetry: reading(i, now - 1000 * (seconds - n)) })) }));
  const body = events.map((data, n) => `id: test-${n}\nevent: device.telemetry\ndata: ${JSON.stringify(data)}\n\n`).join('');
  await page.route('**/api/v1/events', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
}

async function pretendNothing() {
  await page.unroute('**/api/v1/devices');
  await page.unroute('**/api/v1/events');
}

test('eight GPUs: each has its figures as text and as a chart of the last minutes', async () => {
  await pretend(8);
  await go('/machines');
  const cards = page.getByRole('article');
  await soon(async () => assert.equal(await cards.count(), 8));
  const figure = (card, title) => cards.nth(card).locator('.telemetry-figure').filter({ has: page.getByText(title, { exact: true }) });
  await soon(async () => assert.match(await figure(2, 'Memory used').locator('dd').textContent(), /^3 of 128\sGiB3\sGiB$/));
  assert.match(await figure(0, 'Power').locator('dd').textContent(), /^300 of 700\sW/);
  const points = async () => (await figure(3, 'Temperature').locator('.sparkline-line').getAttribute('d')).split('L').length;
  await soon(async () => assert.ok((await points()) >= seconds - 5, `${await points()} points`));
  await cards.nth(1).getByText('throttled: thermal').waitFor();
  await cards.nth(0).getByText('power-limited').waitFor();
  assert.equal(await cards.nth(0).getByText('throttled').count(), 0);
  await page.getByText('Every pair: NVLink ×18, peer access.').waitFor();
  const cells = page.getByRole('table', { name: /^Links from/ }).locator('tbody td');
  assert.equal(await cells.count(), 64);
  assert.match(await cells.nth(1).textContent(), /same NUMA node$/);
  assert.match(await cells.nth(7).textContent(), /NUMA nodes 0 and 1$/);
  await browser.faultless();
});

test('the charts follow new readings without layout', async () => {
  const shifts = await page.evaluate(() => new Promise((done) => {
    let sum = 0;
    const observer = new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { sum += value; }));
    observer.observe({ type: 'layout-shift' });
    setTimeout(() => done(sum), 2500);
  }));
  assert.equal(shifts, 0);
});

test('eight GPUs fit every width', async () => {
  for (const width of [360, 768, 1280, 1920, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await browser.fits(`machines at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('the page of a GPU: telemetry, links with names, no runs yet', async () => {
  await page.getByRole('link', { name: 'Test GPU #3' }).click();
  await heading('Test GPU #3').waitFor();
  assert.equal(await page.title(), 'Test GPU #3 · gpulab');
  await page.locator('.telemetry-figure').first().waitFor();
  await page.getByRole('heading', { name: 'No runs on this device yet' }).waitFor();
  const links = page.getByRole('region', { name: 'Links' });
  assert.equal(await links.getByRole('link').count(), 7);
  await browser.faultless();
  await links.getByRole('link', { name: 'Test GPU #0' }).click();
  await heading('Test GPU #0').waitFor();
  await pretendNothing();
});

test('the page of a device has its results and its runs, live', async () => {
  await go(`/devices/${devices[1].id}`);
  await heading(`${devices[1].name} #1`).waitFor();
  await page.getByRole('heading', { name: 'No runs on this device yet' }).waitFor();
  const run = await lab.complete(undefined, { devices: [devices[1].id] });
  const results = page.getByRole('region', { name: 'Results' });
  await results.locator(`a[href="/runs/${run.id}"]`).waitFor();
  await results.getByText('Host to device').waitFor();
  await page.getByRole('region', { name: 'Newest runs' }).getByText('succeeded').waitFor();
  await browser.faultless();
});

test('a device that is gone keeps its page', () => withLab({}, async (other) => {
  const exported = await lab.get('/api/v1/export');
  const imported = await other.request('POST', '/api/v1/import', { headers: { 'content-type': 'application/x-ndjson' }, body: exported.text });
  assert.equal(imported.status, 200, imported.text);
  await page.goto(`${other.address}/devices/${devices[1].id}`);
  await heading(`${devices[1].name} #1`).waitFor();
  const gone = page.locator('.notice').filter({ has: page.getByRole('heading', { name: 'The lab does not list this device' }) });
  await gone.getByText('Last used').waitFor();
  assert.ok(await gone.getByRole('time').or(gone.locator('time')).getAttribute('title'));
  await page.getByRole('region', { name: 'Results' }).getByText('Host to device').waitFor();
  await page.getByRole('heading', { name: 'Properties' }).waitFor();
  await browser.faultless();
  await page.goto(`${other.address}/devices/nobody`);
  await heading('Device not found').waitFor();
  assert.deepEqual(browser.problems.splice(0), []);
  await page.goto('about:blank');
}));

// --- several machines
// ------------------------------------------------------------------------------------------------------

test('several machines: each has a section with how it is reached, what it does and what waits, live', async () => {
  const run = await lab.submit(endless);
  await lab.reach(run.id, 'running');
  const reason = 'ssh: connect to host gpu2.example port 22: No route to host.';
  const made = await madeUpNodes(lab, {
    count: 3,
    states: { 0: { state: 'running', running: run.id, queued: 2 }, 1: { state: 'held', state_reason: reason, queued: 1 }, 2: { state: 'starting', machine: null, devices: [] } },
  });
  await pretendNodes(page, made);
  await go('/machines');
  const machine = (name) => page.getByRole('region', { name, exact: true });
  const texts = async (name) => [
    await machine(name).locator('.machine-head > .aside').textContent(), await machine(name).locator('.machine-state > *').allTextContents(),
  ];
  await soon(async () => assert.match((await texts('n1'))[1][1], /^Host-device transfer \d+\s%$/));
  assert.deepEqual((await texts('n1'))[1].filter((_, at) => at !== 1), ['measuring', '2 runs wait']);
  assert.deepEqual(await texts('n2'), ['by ssh, host gpu2.example · 2 GPUs', ['no worker answers', '1 run waits']]);
  assert.deepEqual(await texts('n3'), ['by Slurm, partition gpu', ['starting', 'no run waits']]);
  await machine('n2').getByText(reason).waitFor();
  assert.deepEqual(await machine('n1').getByRole('article').getByRole('heading').allTextContents(), ['Test GPU #0', 'Test GPU #1']);
  const names = await page.getByRole('navigation', { name: 'Machines' }).getByRole('link').allTextContents();
  assert.deepEqual(names, ['n1', 'n2', 'n3']);
  await browser.faultless();
  Object.assign(made.nodes[1], { state: 'idle', state_reason: null, queued: 0 });
  await lab.request('PUT', '/api/v1/queue', { json: { paused: true } });
  await soon(async () => assert.deepEqual((await texts('n2'))[1], ['idle', 'no run waits']));
  assert.equal(await machine('n2').getByText(reason).count(), 0);
  await lab.request('PUT', '/api/v1/queue', { json: { paused: false } });
});

test('the queue of several machines says where each run is measured', async () => {
  const { runs: [run] } = (await lab.get('/api/v1/runs?status=running')).json;
  await page.route('**/api/v1/runs?status=running*', (route) => route.fulfill({
    json: { runs: ['n1', 'n2'].map((node, at) => ({ ...run, id: `${at}`, devices: [{ id: `GPU-${node}-1`, name: 'Test GPU', node }] })), next: null },
  }));
  await page.route('**/api/v1/queue', (route) => route.fulfill({ json: { length: 0, running: '0', runs: ['0', '1'], paused: false, held: null } }));
  await go('/machines');
  await queue().getByText('2 runs are being measured; no run is waiting. Each machine measures one run at a time.').waitFor();
  await page.getByRole('banner').getByRole('link', { name: 'measuring 2 runs' }).waitFor();
  const cells = (label) => queue().locator(`[data-label=${label}]`).allTextContents();
  await soon(async () => assert.deepEqual(await cells('Machine'), ['n1', 'n2']));
  assert.deepEqual(await cells('Devices'), ['Test GPU #1', 'Test GPU #1']);
  for (const width of [360, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await browser.fits(`several machines at ${width}`);
  }
  await browser.faultless();
  for (const path of ['runs?status=running*', 'queue', 'nodes', 'devices']) await page.unroute(`**/api/v1/${path}`);
  await lab.post(`/api/v1/runs/${run.id}/cancel`);
});
