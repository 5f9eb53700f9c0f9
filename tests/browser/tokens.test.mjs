// Tokens on the page: the first one closes the lab, admins add and revoke them, others are refused with words.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab, soon } from '../harness/lab.mjs';

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
});
after(async () => {
  await browser.close();
  await lab.close();
});

const heading = (name) => page.getByRole('heading', { level: 1, name, exact: true });
const form = () => page.getByRole('form', { name: 'Add a token' });
// The browser itself reports each answer with an error status.
async function noProblems(statuses = /status of (401|403|409)/) {
  assert.deepEqual(browser.problems.splice(0).filter((text) => !statuses.test(text)), []);
  assert.deepEqual(await browser.inaccessible(), []);
}

async function add(name, role) {
  await form().getByLabel('Name of the person or script').fill(name);
  await form().getByRole('radio', { name: role }).check();
  await form().getByRole('button', { name: 'Add the token' }).click();
}

async function secretOf(name) {
  await page.getByRole('heading', { name: `The token of ${name}` }).waitFor();
  return page.locator('.secret code').textContent();
}

const secrets = {};

test('a lab without tokens says so, and that the first one has to be an admin’s', async () => {
  await page.goto(`${lab.address}/tokens`);
  await heading('Tokens').waitFor();
  assert.equal(await page.title(), 'Tokens · gpulab');
  await page.getByRole('heading', { name: 'This lab demands no token' }).waitFor();
  assert.equal(await page.getByRole('banner').getByRole('link', { name: 'Tokens' }).count(), 0);
  await noProblems();
  await add('somebody', 'viewer');
  await page.getByText('The first token has to be an admin’s').waitFor();
  assert.equal((await lab.get('/api/v1/tokens')).json.tokens.length, 0);
});

test('who adds the first token is signed in with it', async () => {
  await add('anna', 'admin');
  secrets.anna = await secretOf('anna');
  assert.match(secrets.anna, /^gpulab_/);
  await page.getByText('This browser is signed in as anna (admin).').waitFor();
  await page.getByRole('banner').getByText('anna (admin)').waitFor();
  await page.getByRole('banner').getByRole('link', { name: 'Tokens' }).waitFor();
  assert.equal((await lab.get('/api/v1/devices')).status, 401);
  await page.getByRole('button', { name: 'Copy the token' }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), secrets.anna);
  await noProblems();
});

test('the secret is shown once', async () => {
  await page.reload();
  await page.getByRole('rowheader', { name: 'anna' }).waitFor();
  assert.equal(await page.locator('.secret').count(), 0);
  assert.ok(!(await page.content()).includes(secrets.anna));
});

test('tokens are listed; a name that is in use is an error at the form', async () => {
  await add('ben', 'viewer');
  secrets.ben = await secretOf('ben');
  await add('ben', 'operator');
  await form().getByRole('alert').filter({ hasText: /name/ }).waitFor();
  const rows = page.getByRole('table', { name: 'Tokens' }).locator('tbody tr');
  await soon(async () => assert.deepEqual(await rows.locator('[data-label=Role]').allTextContents(), ['admin', 'viewer']));
  assert.equal(await rows.nth(1).locator('[data-label="Last used"]').textContent(), 'never');
  await rows.nth(0).getByText('you').waitFor();
  await page.getByRole('columnheader', { name: 'Role' }).getByRole('button').click();
  await page.getByRole('columnheader', { name: 'Role' }).getByRole('button').click();
  assert.deepEqual(await rows.locator('[data-label=Role]').allTextContents(), ['viewer', 'admin']);
  assert.equal(new URL(page.url()).searchParams.get('sort'), '-Role');
  await page.getByRole('columnheader', { name: 'Role' }).getByRole('button').click();
  await noProblems();
});

test('the page fits narrow and wide screens', async () => {
  for (const width of [360, 768, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await browser.fits(`tokens at ${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('a viewer is refused with words and sees no link', async () => {
  const other = await browser.chromium.newContext();
  const their = await other.newPage();
  await their.goto(`${lab.address}/tokens`);
  await their.getByLabel('Token').fill(secrets.ben);
  await their.getByRole('button', { name: 'Sign in' }).click();
  await their.getByRole('heading', { level: 1, name: 'Tokens are for admins' }).waitFor();
  await their.getByText('You are ben, with the role viewer.').waitFor();
  await their.getByRole('banner').getByText('ben (viewer)').waitFor();
  assert.equal(await their.getByRole('banner').getByRole('link', { name: 'Tokens' }).count(), 0);
  await their.goto(`${lab.address}/machines`);
  await their.getByRole('heading', { name: 'Queue' }).waitFor();
  assert.equal(await their.getByRole('button', { name: 'Pause the queue' }).count(), 0, 'a viewer cannot pause the queue');

  // Revoked while a page that uses it is open, which asks for another one then.
  await page.bringToFront();
  await page.getByRole('button', { name: 'Revoke the token of ben' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke the token of ben?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await page.getByRole('rowheader', { name: 'ben' }).count(), 1);
  await page.getByRole('button', { name: 'Revoke the token of ben' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await soon(async () => assert.equal(await page.getByRole('rowheader', { name: 'ben' }).count(), 0));
  assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Revoke the token of/, 'the focus stays in the list');
  await their.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await other.close();
});

test('revoking one’s own token asks for another one', async () => {
  await page.getByRole('button', { name: 'Revoke the token of anna' }).click();
  await page.getByText('It is your own').waitFor();
  await noProblems();
});
