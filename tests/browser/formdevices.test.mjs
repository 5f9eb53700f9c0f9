// Devices in the form of a lesson: what to expect follows the one that is chosen; a comparison and a sweep can vary
// them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab, small, soon } from '../harness/lab.mjs';
import { madeUpNodes, pretendNodes } from '../harness/nodes.mjs';

const paired = { ...small, min_samples: 16, max_samples: 16 }; // the least that a comparison takes

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

const form = (name, mode) => {
  const query = new URLSearchParams({ mode, parameters: JSON.stringify(mode === 'compare' ? paired : small) });
  return page.goto(`${lab.address}/experiments/${name}?${query}`);
};
const group = (name) => page.getByRole('group', { name, exact: true });
const press = (name) => page.getByRole('button', { name, exact: true }).click();
const add = (name) => page.locator('.variation:not([hidden])').getByLabel('Add a parameter').selectOption({ label: name });
const checked = (boxes) => boxes.evaluateAll((all) => all.filter((box) => box.checked).map(({ value }) => value));
const started = async (kind) => {
  await page.waitForURL(new RegExp(`/${kind}/[0-9a-f-]{36}$`));
  return page.url().split('/').at(-1);
};

test('what to expect is that of the device chosen in the form, and what is closed stays closed', async () => {
  await form('transfer', 'run');
  const expected = page.getByRole('region', { name: 'What to expect' });
  await expected.getByRole('heading', { name: devices[0].name }).waitFor();
  await expected.getByText('What is measured').click();
  await page.getByLabel('Largest size', { exact: true }).fill('8 KiB');
  assert.equal(await expected.getByText('bytes / time').first().isVisible(), false);
  await group('Run on device').getByRole('radio').nth(1).check();
  await expected.getByRole('heading', { name: devices[1].name }).waitFor();
  await page.reload();
  await expected.getByRole('heading', { name: devices[1].name }).waitFor();
  await browser.faultless();
});

test('a comparison of two devices', async () => {
  await form('transfer', 'compare');
  await add('Devices');
  const base = group('Differences of the base').getByRole('radio');
  assert.deepEqual(await checked(base), [devices[1].id], 'the device that the run does not have');
  await browser.faultless();
  await press('Start the comparison');
  const run = await lab.reach(await started('runs'), 'succeeded');
  assert.deepEqual([run.devices[0].id, run.compare_with.devices[0].id], devices.map(({ id }) => id));
  await page.goto(`${lab.address}/experiments/transfer?from=${run.id}`);
  await base.first().waitFor();
  assert.deepEqual(await checked(base), [devices[1].id]);
});

test('a sweep over devices has a run on each', async () => {
  await form('transfer', 'sweep');
  await add('Devices');
  const values = group('Values of the sweep');
  await soon(async () => assert.equal(await group('Run on device').isVisible(), false));
  const boxes = values.getByRole('checkbox');
  assert.deepEqual(await checked(boxes), devices.map(({ id }) => id));
  await boxes.first().uncheck();
  await boxes.last().uncheck();
  await press('Start the sweep');
  await page.getByText('Devices: Choose a device.').waitFor();
  await boxes.first().check();
  await boxes.last().check();
  await page.locator('.plan').filter({ hasText: /^2 runs/ }).waitFor();
  await browser.faultless();
  await press('Start the sweep');
  const id = await started('sweeps');
  await page.getByText('2 succeeded').waitFor();
  const { runs } = (await lab.get(`/api/v1/runs?sweep=${id}`)).json;
  assert.deepEqual(new Set(runs.map((run) => run.devices[0].id)), new Set(devices.map((device) => device.id)));
  const heads = await page.getByRole('columnheader').allTextContents();
  assert.deepEqual(heads.map((text) => text.replace(/^Devices /, '')), devices.map(({ name, ordinal }) => `${name} #${ordinal}`));
});

test('devices are offered only where there is a choice', async () => {
  const offered = async () => (await page.locator('.variation:not([hidden]) select').first().locator('option').allTextContents()).includes('Devices');
  for (const [name, mode, expected] of [['peer', 'compare', false], ['peer', 'sweep', false], ['scaling', 'compare', true]]) {
    await page.goto(`${lab.address}/experiments/${name}?mode=${mode}`);
    await page.getByRole('form').waitFor();
    assert.equal(await offered(), expected, `${name}, ${mode}`);
  }
});

// --- several machines
// ----------------------------------------------------------------------------------------------------

const machine = () => page.getByLabel('Run on machine');
const body = async () => JSON.parse((await page.getByLabel('Equivalent curl command').textContent()).split("-d '")[1].slice(0, -1));

test('several machines: any by default, one with its devices, or all in a sweep over them; kept in the address', async () => {
  const made = await madeUpNodes(lab, { count: 3 });
  made.devices[5].state = 'unavailable';
  await pretendNodes(page, made);
  const posted = [];
  await page.route('**/api/v1/sweeps*', (route) => (posted.push(route.request().postDataJSON()), route.fulfill({ json: { runs: 3, points: 3, seconds: 1, device_bytes: 0, host_bytes: 0, id: 'made-up' } })));
  await page.route('**/api/v1/runs?dry_run=true', (route) => route.fulfill({ json: { points: 1, seconds: 1, device_bytes: 0, host_bytes: 0 } }));
  await form('transfer', 'run');
  await machine().waitFor();
  assert.deepEqual(await machine().locator('option').allTextContents(),
    ['any machine', 'n1: 2 × Test GPU', 'n2: 2 × Test GPU', 'n3: Test GPU', 'all 3 machines']);
  assert.equal(await machine().inputValue(), '');
  assert.equal(await group('Run on device').count(), 0);
  assert.deepEqual([(await body()).devices, (await body()).nodes], [undefined, undefined]);
  await machine().selectOption('n2');
  await group('Run on device').getByRole('radio').nth(1).check({ force: true });
  assert.deepEqual((await body()).devices, ['GPU-n2-1']);
  await page.reload();
  await soon(async () => assert.equal(await machine().inputValue(), 'n2'));
  assert.deepEqual((await body()).devices, ['GPU-n2-1']);
  await machine().selectOption('*');
  assert.deepEqual([(await body()).devices, (await body()).nodes], [undefined, ['n1', 'n2', 'n3']]);
  await page.reload();
  await soon(async () => assert.equal(await machine().inputValue(), '*'));
  await page.locator('.plan').filter({ hasText: /^3 runs/ }).waitFor();
  await browser.faultless();
  await press('Start on all machines');
  await page.waitForURL('**/sweeps/made-up');
  await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor(); // the lab has started no sweep
  assert.deepEqual([posted.at(-1).nodes, posted.at(-1).parameters.bytes], [['n1', 'n2', 'n3'], undefined]);
  await page.unroute('**/api/v1/sweeps*');
  browser.ignore(/404/);
});

test('several machines: a comparison and a sweep vary the devices of the chosen one', async () => {
  await form('transfer', 'compare');
  assert.equal(await machine().locator('option[value="*"]').isDisabled(), true);
  const offered = async () => (await page.locator('.variation:not([hidden]) select').first().locator('option').allTextContents()).includes('Devices');
  assert.equal(await offered(), false);
  await machine().selectOption('n1');
  assert.equal(await offered(), true);
  await add('Devices');
  const base = group('Differences of the base').getByRole('radio');
  assert.deepEqual(await base.evaluateAll((all) => all.map(({ value }) => value)), ['GPU-n1-0', 'GPU-n1-1']);
  await machine().selectOption('n2');
  await soon(async () => assert.equal(await base.count(), 0));
  await add('Devices');
  assert.deepEqual(await checked(base), ['GPU-n2-1']);
  await browser.faultless();
});

test('several machines: an experiment for two devices is offered on the machines that have them', async () => {
  await page.goto(`${lab.address}/experiments/peer`);
  await soon(async () => assert.equal(await machine().locator('option[value="n3"]').isDisabled(), true));
  assert.deepEqual(await machine().locator('option').allTextContents(),
    ['any machine', 'n1: 2 × Test GPU', 'n2: 2 × Test GPU', 'n3: Test GPU, too few: 2 are needed', 'all 2 machines']);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await browser.fits(`the form at ${width}`);
  }
});

test('several machines: one run on devices of several, where the experiment has such runs', async () => {
  await page.route('**/api/v1/runs?dry_run=true', (route) => route.fulfill({ json: { points: 4, seconds: 2, device_bytes: 0, host_bytes: 0 } }));
  await page.goto(`${lab.address}/experiments/collectives`);
  await machine().selectOption('several machines together');
  await page.getByText('NCCL connects them over the network').waitFor();
  const boxes = group('Run on devices').getByRole('checkbox');
  assert.deepEqual(await checked(boxes), ['GPU-n1-0', 'GPU-n1-1', 'GPU-n2-0', 'GPU-n2-1', 'GPU-n3-0']);
  await group('Run on devices').getByLabel('Test GPU #1, n1').uncheck();
  await page.getByText('Equivalent curl command').click();
  const chosen = ['GPU-n1-0', 'GPU-n2-0', 'GPU-n2-1', 'GPU-n3-0'];
  const request = page.getByLabel('Equivalent curl command');
  await soon(async () => assert.ok((await request.textContent()).includes(`"devices":${JSON.stringify(chosen)}`), await request.textContent()));
  assert.deepEqual(await browser.inaccessible(), []);
  await page.reload();
  await soon(async () => assert.deepEqual(await checked(boxes), chosen));
  await press('Comparison (A/B)');
  await soon(async () => assert.ok((await machine().inputValue()) !== '+', 'a comparison is of one machine'));
  await page.unrouteAll({ behavior: 'wait' });
  await browser.faultless();
});
