// The comments of a run's page: written, shown as text, deleted by who may.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { execute, Lab, small } from '../harness/lab.mjs';

let lab, browser, page, run;
const secrets = {};
before(async () => {
  lab = await Lab.start();
  run = await lab.complete(small);
  for (const [name, role] of [['ada', 'admin'], ['grace', 'operator'], ['vera', 'viewer']])
    secrets[name] = (await execute('gpulab', ['token', 'add', name, '--role', role, '--db', lab.database], { folder: lab.folder })).stdout.trim();
  browser = await Browser.start();
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const comments = () => page.getByRole('region', { name: 'Comments' });

/** Opens the comments of the run as a person. */
async function open(name) {
  await page.goto(lab.address);
  await page.evaluate((token) => fetch('/api/v1/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) }), secrets[name]);
  await page.goto(`${lab.address}/runs/${run.id}?tab=comments`);
  await comments().getByRole('listitem').first().waitFor();
}

const text = 'too <b>hot</b>\nin the second row';

test('an operator writes a comment, which is shown as it was written', async () => {
  await open('grace');
  await comments().getByText('No comment yet.').waitFor();
  await comments().getByLabel('What is there to know about this run?').fill(text);
  await comments().getByRole('button', { name: 'Add the comment' }).click();
  const shown = comments().locator('.comment-text');
  await shown.waitFor();
  assert.equal(await shown.textContent(), text);
  assert.match(await comments().getByRole('listitem').textContent(), /^grace, /);
  assert.deepEqual(await browser.inaccessible(), []);
});

test('a viewer reads it and has neither form nor button', async () => {
  await open('vera');
  assert.equal(await comments().locator('.comment-text').textContent(), text);
  assert.equal(await comments().getByRole('button').count(), 0);
  assert.equal(await comments().getByRole('textbox').count(), 0);
});

test('a comment of blanks is refused where it is written; an admin deletes those of others', async () => {
  await open('ada');
  await comments().getByLabel('What is there to know about this run?').fill('  ');
  await comments().getByRole('button', { name: 'Add the comment' }).click();
  await comments().getByRole('alert').filter({ hasText: "'text' must have more than blanks." }).waitFor();
  assert.equal(await comments().locator('.comment-text').count(), 1);
  await comments().getByRole('button', { name: /^Delete the comment/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await comments().getByText('No comment yet.').waitFor();
  browser.ignore(/401|422/);
});
