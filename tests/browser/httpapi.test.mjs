// The description of the HTTP API: every route and every document of the lab, reached from the footer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab } from '../harness/lab.mjs';

let lab, browser, page, description;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  description = (await lab.get('/api/v1/openapi.json')).json;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const item = (id) => page.locator(`[id="${id}"]`);

test('the footer leads to it, and it has every route and every document', async () => {
  await page.goto(lab.address);
  await page.getByRole('contentinfo').getByRole('link', { name: 'API' }).click();
  await page.getByRole('heading', { level: 1, name: 'HTTP API' }).waitFor();
  const operations = Object.entries(description.paths).flatMap(([path, of]) => Object.entries(of).map(([method, { operationId, summary }]) => [operationId, `${method.toUpperCase()} ${path} ${summary}`]));
  const wanted = [...operations, ...Object.entries(description.components.schemas).map(([name, { description: text = '' }]) => [`schema-${name}`, `${name} ${text}`])];
  const shown = await page.locator('.api-item').evaluateAll((items) => items.map((each) => [each.id, each.querySelector('summary').textContent]));
  assert.deepEqual(new Map(shown.map(([id, text]) => [id, text.replaceAll('`', '')])), new Map(wanted.map(([id, text]) => [id, text.replaceAll('`', '')])));
  assert.deepEqual(await browser.inaccessible(), []);
});

test('a route says what it takes and answers, and leads to the document', async () => {
  await page.goto(`${lab.address}/http-api#get_runs_id`);
  const route = item('get_runs_id'), row = route.getByRole('row').filter({ hasText: 'wait' });
  await row.waitFor();
  assert.deepEqual(await row.locator('td').allTextContents(), ['query', 'integer; 0 to 60; 0 by default', '', 'Seconds that the answer may be held back until all of it has ended; 0: answers at once.']);
  assert.match(await route.textContent(), /Needs the role viewer/);
  await route.getByRole('link', { name: 'Run', exact: true }).click();
  await item('schema-Run').getByRole('row').filter({ hasText: 'wrong_count' }).waitFor();
  assert.deepEqual(await browser.inaccessible(), []);
});

test('whatever is opened, each link leads to a document', async () => {
  await page.goto(`${lab.address}/http-api`);
  await item('schema-Run').waitFor();
  await page.locator('.api-item').evaluateAll((items) => items.forEach((each) => (each.open = true)));
  const undone = () => page.locator('.api-item').evaluateAll((items) => items.filter((each) => each.children.length === 1).length);
  while (await undone()) await page.evaluate(() => new Promise(requestAnimationFrame));
  const missing = await page.locator('.http-api a[href^="#"]').evaluateAll((links) => links.map(({ hash }) => hash.slice(1)).filter((id) => !document.getElementById(id)));
  assert.deepEqual(missing, []);
  assert.ok(await page.locator('.http-api a[href^="#"]').count() > 50);
  assert.deepEqual(browser.problems.splice(0), []);
});
