// The source code of a benchmark's variants beside their results.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab } from '../harness/lab.mjs';

let lab, browser, page, run, sources;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  ({ sources } = (await lab.get('/api/v1/experiments/stream')).json);
  const answer = await lab.post('/api/v1/runs', {
    experiment: 'stream',
    parameters: { min_bytes: 65536, max_bytes: 262144, min_samples: 3, max_samples: 3, settle_s: 0, min_time_s: 0, time_budget_s: 600 },
  });
  assert.equal(answer.status, 202, answer.text);
  run = await lab.reach(answer.json.id, 'succeeded');
});
after(async () => {
  await browser.close();
  await lab.close();
});

test('selecting the bar of a kernel shows its code', async () => {
  await page.goto(`${lab.address}/runs/${run.id}`);
  await page.getByRole('group', { name: 'View', exact: true }).getByRole('button', { name: 'Bandwidth by kernel', exact: true }).click();
  const own = sources.filter(({ backend }) => backend === 'host');
  const bars = page.locator('.step-bar');
  await bars.first().waitFor();
  assert.equal(await bars.count(), own.length);
  const triad = own.find(({ step }) => step === 'triad');
  await page.getByRole('button', { name: triad.title }).first().click();
  const detail = page.locator('.step-detail');
  await detail.getByRole('heading', { name: triad.title }).waitFor();
  const code = detail.getByRole('region', { name: `Source of ${triad.title}: ${triad.files.join(', ')}` });
  await code.waitFor();
  assert.equal(await code.textContent(), (await lab.get('/api/v1/experiments/stream/sources/triad?backend=host')).text);
  assert.deepEqual(browser.problems.splice(0), []);
  assert.deepEqual(await browser.inaccessible(), []);
});
