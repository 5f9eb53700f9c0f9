// A lab of several machines, as people use it: what the machines do, an experiment on all of them, and their ranking.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { endless, small, soon, until } from '../harness/lab.mjs';
import { startMachines } from '../harness/nodes.mjs';

let browser, page;
before(async () => {
  browser = await Browser.start();
  page = browser.page;
});
after(() => browser.close());

const machine = (name) => page.getByRole('region', { name, exact: true });
const state = (name) => machine(name).locator('.machine-state');

/** A lab whose three machines that answer are idle. */
async function start(t) {
  t.after(() => page.goto('about:blank')); // first, because a page whose lab ends logs an error
  const lab = await startMachines(t);
  await until(async () => {
    const { nodes } = (await lab.get('/api/v1/nodes')).json;
    return nodes.filter((node) => node.state === 'idle').length === 3 && nodes[3].state === 'held';
  }, 'three machines are idle and one does not answer');
  return lab;
}

test('the machines: what each measures, and one that comes back', async (t) => {
  const lab = await start(t);
  await page.goto(`${lab.address}/machines`);
  await state('gone').getByText('no worker answers').waitFor();
  await machine('gone').getByText('gone cannot be reached by ssh').waitFor();
  await machine('c').getByText('by ssh, host user@c.example').waitFor();
  const runs = [];
  for (const node of ['b', 'c']) runs.push(await lab.submit(endless, { node }));
  for (const [at, name] of ['b', 'c'].entries()) await state(name).locator(`a[href="/runs/${runs[at].id}"]`).filter({ hasText: 'Host-device transfer' }).waitFor();
  await state('here').getByText('idle').waitFor();
  const waiting = await lab.submit(small, { node: 'b' });
  await state('b').getByText('1 run waits').waitFor();
  const rows = page.getByRole('region', { name: 'Queue' }).locator('tr[data-run]');
  await soon(async () => assert.deepEqual((await rows.locator('[data-label=Machine]').allTextContents()).toSorted(), ['b', 'b', 'c']));
  await page.getByRole('banner').getByRole('link', { name: 'measuring 2 runs' }).waitFor();
  assert.deepEqual(await browser.inaccessible(), []);
  await browser.faultless();
  for (const { id } of runs) await lab.post(`/api/v1/runs/${id}/cancel`);
  await lab.reach(waiting.id, 'succeeded');
  writeFileSync(lab.back, '');
  await machine('gone').getByRole('article').waitFor({ timeout: 120_000 });
  await state('gone').getByText('idle').waitFor();
  assert.equal(await machine('gone').getByText('cannot be reached').count(), 0);
  await page.goto(`${lab.address}/runs`);
  await page.locator(`tr[data-run="${waiting.id}"] [data-label=Devices]`).filter({ hasText: /, b$/ }).waitFor();
  await browser.faultless();
});

test('a waiting run says that its machine starts none', async (t) => {
  const lab = await start(t);
  const running = await lab.submit(endless, { node: 'b' });
  await lab.reach(running.id, 'running');
  const waiting = await lab.submit(small, { node: 'b' });
  const reason = 'The host b cannot be reached by ssh.';
  await page.route('**/api/v1/nodes/b', (route) => route.fulfill({ json: { name: 'b', state: 'running', state_reason: reason } }));
  await page.goto(`${lab.address}/runs/${waiting.id}`);
  await page.getByText(`No run can be started on b: ${reason}`).waitFor();
  await page.unroute('**/api/v1/nodes/b');
  await lab.post(`/api/v1/runs/${running.id}/cancel`);
  await page.getByText('succeeded').first().waitFor();
  assert.equal(await page.getByText(reason).count(), 0);
  await browser.faultless();
});

test('an experiment on all machines: from the form to their ranking', async (t) => {
  const lab = await start(t);
  const parameters = { ...small, min_samples: 3, max_samples: 3 };
  await page.goto(`${lab.address}/experiments/transfer?machine=*&parameters=${encodeURIComponent(JSON.stringify(parameters))}`);
  await page.locator('.plan').filter({ hasText: /^3 runs/ }).waitFor();
  assert.deepEqual(await browser.inaccessible(), []);
  await page.getByRole('button', { name: 'Start on all machines' }).click();
  await page.waitForURL(/\/sweeps\/[0-9a-f-]{36}$/);
  await page.getByText('3 runs on 3 machines').waitFor();
  await page.getByText('3 succeeded').waitFor();
  const id = page.url().split('/').at(-1);
  const { runs } = (await lab.get(`/api/v1/runs?sweep=${id}`)).json;
  const best = runs.toSorted((a, b) => b.headline[0].value - a.headline[0].value);
  const bars = page.getByRole('figure').filter({ hasText: 'Host to device' }).getByRole('listitem');
  await soon(async () => assert.deepEqual(await bars.getByRole('link').allTextContents(), best.map(({ host }) => host)));
  await browser.faultless();
  await bars.first().getByRole('link').click();
  await page.waitForURL(`**/runs/${best[0].id}`);
  await page.getByText(`on ${best[0].host}`).first().waitFor();
  await page.getByRole('link', { name: 'Edit and run' }).click();
  await soon(async () => assert.equal(await page.getByLabel('Run on machine').inputValue(), best[0].host));
  await browser.faultless();
});
