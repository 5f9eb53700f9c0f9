// The lessons of all experiments on a narrow screen.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab } from '../harness/lab.mjs';

let lab, browser;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
});
after(async () => {
  await browser.close();
  await lab.close();
});

test('every lesson fits a screen of 320 px', async () => {
  const { experiments } = (await lab.get('/api/v1/experiments')).json;
  await browser.page.setViewportSize({ width: 320, height: 844 });
  for (const { name, title } of experiments) {
    await browser.page.goto(`${lab.address}/experiments/${name}`);
    await browser.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
    await browser.page.getByRole('heading', { level: 2, name: 'Set up a run' }).waitFor();
    await browser.fits(name);
  }
  assert.deepEqual(browser.problems.splice(0), []);
});
