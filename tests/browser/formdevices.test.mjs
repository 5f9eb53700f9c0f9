// Devices in the form of a lesson: what to expect follows the one that is chosen; a comparison and a sweep can vary them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab, small, soon } from '../harness/lab.mjs';

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

test('what to expect is that of the device chosen in the form, and what is open stays open', async () => {
  await form('transfer', 'run');
  const expected = page.getByRole('region', { name: 'What to expect' });
  await expected.getByRole('heading', { name: devices[0].name }).waitFor();
  await expected.getByText('What is measured').click();
  await page.getByLabel('Largest size', { exact: true }).fill('8 KiB');
  assert.ok(await expected.getByText('bytes / time').first().isVisible());
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
  assert.deepEqual(heads.map((text) => text.replace(/^Devices /, '')), devices.map(({ name }) => name));
});

test('devices are offered only where there is a choice', async () => {
  const offered = async () => (await page.locator('.variation:not([hidden]) select').first().locator('option').allTextContents()).includes('Devices');
  for (const [name, mode, expected] of [['peer', 'compare', false], ['peer', 'sweep', false], ['scaling', 'compare', true]]) {
    await page.goto(`${lab.address}/experiments/${name}?mode=${mode}`);
    await page.getByRole('form').waitFor();
    assert.equal(await offered(), expected, `${name}, ${mode}`);
  }
});
