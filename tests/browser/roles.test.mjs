// What admins, operators and viewers may do on the page besides measuring: write comments, publish a run, say who is
// told of what.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { execute, Lab, small, soon } from '../harness/lab.mjs';

let lab, browser, page, run;
const secrets = {};
before(async () => {
  lab = await Lab.start();
  run = await lab.complete(small);
  for (const [name, role] of [['ada', 'admin'], ['grace', 'operator'], ['vera', 'viewer'], ['paul', 'participant']])
    secrets[name] = (await execute('gpulab', ['token', 'add', name, '--role', role, '--db', lab.database], { folder: lab.folder })).stdout.trim();
  browser = await Browser.start();
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const comments = () => page.getByRole('region', { name: 'Comments' });

/** Opens an address as a person. */
async function visit(name, address) {
  await page.goto(lab.address);
  await page.evaluate((token) => fetch('/api/v1/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) }), secrets[name]);
  await page.goto(lab.address + address);
}

/** Opens the comments of the run as a person. */
async function open(name) {
  await visit(name, `/runs/${run.id}?tab=comments`);
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
  await comments().getByLabel('What is there to know about this run?').fill('second');
  await comments().getByRole('button', { name: 'Add the comment' }).click();
  await comments().getByRole('button', { name: 'Delete the comment: second' }).click();
  const confirmed = () => page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await confirmed();
  await comments().getByText('second', { exact: true }).waitFor({ state: 'detached' });
  assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Delete the comment/, 'the focus stays in the list');
  await page.keyboard.press('Enter');
  await confirmed();
  await comments().getByText('No comment yet.').waitFor();
  browser.ignore(/401|422/);
});

test('who may change a run publishes it, and takes it back', async () => {
  await visit('ada', `/runs/${run.id}`);
  const head = page.locator('.run-head'), shown = async () => (await lab.get(`/api/v1/runs/${run.id}`, { authorization: `Bearer ${secrets.ada}` })).json.public;
  for (const [button, is] of [['Publish', true], ['Unpublish', false]]) {
    await head.getByText('More', { exact: true }).click();
    await head.getByRole('button', { name: button, exact: true }).click();
    await soon(async () => assert.equal(await head.locator('.tag', { hasText: 'public' }).count(), is ? 1 : 0));
    assert.equal(await shown(), is);
  }
  await visit('vera', `/runs/${run.id}`);
  await head.getByRole('button', { name: 'Run again' }).waitFor({ state: 'hidden' });
  await head.getByText('More', { exact: true }).click();
  assert.deepEqual(await head.locator('.menu-items > :visible').allTextContents(), ['Copy link', 'Run as JSON', 'Measurements as JSON', 'Measurements as CSV']);
});

const region = (name) => page.getByRole('region', { name, exact: true });
const rows = (name) => page.getByRole('table', { name }).locator('tbody tr');

test('an admin adds a channel and sends a test; errors stand at the fields', async () => {
  const received = [];
  const receiver = http.createServer((request, response) => request.resume().on('end', () => received.push(request.url) && response.end())).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  await visit('ada', '/machines');
  await page.getByRole('main').getByRole('link', { name: 'Notices' }).click();
  await region('Channels').getByText('There is no channel yet: nobody is told of anything.').waitFor();
  const form = page.getByRole('form', { name: 'Add a channel' }), field = (name) => form.getByRole('textbox', { name, exact: true });
  await form.getByRole('button', { name: 'Add the channel' }).click();
  assert.deepEqual(await form.locator('.field-error:not(:empty)').allTextContents(), ['Required.', 'Required.']);
  assert.equal(await field('Name').evaluate((input) => input === document.activeElement), true);
  await field('Name').fill('ops');
  await field('Address').fill('ftp://example.org');
  await field('Address').press('Enter');
  await form.getByText('must be a URL of http:// or https://').waitFor();
  assert.equal(await field('From').count(), 0);
  await form.getByRole('radio', { name: 'email' }).check();
  await field('From').waitFor();
  await form.getByRole('radio', { name: 'webhook' }).check();
  await field('Address').fill(`http://127.0.0.1:${receiver.address().port}/hook`);
  assert.equal(await form.getByLabel('Secret').getAttribute('type'), 'password');
  await form.getByLabel('Private').check();
  await form.getByRole('button', { name: 'Add the channel' }).click();
  await rows('Channels').filter({ hasText: 'ops' }).waitFor();
  assert.equal(await field('Address').inputValue(), '');
  await page.getByRole('button', { name: 'Send a test notice to ops' }).click();
  await rows('Sent and waiting').filter({ hasText: 'A test notice' }).filter({ hasText: 'sent' }).waitFor();
  assert.deepEqual(received, ['/hook']);
  receiver.close();
  await page.getByRole('button', { name: 'Send a test notice to ops' }).click();
  await rows('Sent and waiting').filter({ hasText: /waiting after 1 attempt, again at .*connect/ }).waitFor();
  assert.ok(!(await page.content()).includes('/hook'));
  assert.deepEqual(await browser.inaccessible(), []);
  for (const width of [320, 390, 1920]) {
    await page.setViewportSize({ width, height: 844 });
    await browser.fits(`notices at ${width} px`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('an operator chooses what is watched, and a viewer is refused with words', async () => {
  await visit('grace', '/notices');
  await rows('Channels').waitFor();
  assert.equal(await rows('Channels').getByRole('button').count(), 0);
  const form = page.getByRole('form', { name: 'Add a watch' });
  assert.equal(await form.getByLabel('Low').isVisible(), false);
  await form.getByLabel('Kind').selectOption('limit');
  await form.getByLabel('Metric').fill('bandwidth');
  await form.getByLabel('Low').fill('5');
  await form.getByLabel('Experiment').selectOption('transfer');
  await form.getByRole('button', { name: 'Add the watch' }).click();
  await rows('Watched').filter({ hasText: /ops.*limit.*bandwidth of Host-device transfer.*at least 5.*by grace/ }).waitFor();
  await page.getByRole('button', { name: 'Delete the watch of ops: limit' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await region('Watched').getByText('Nothing is watched.').waitFor();
  await visit('vera', '/notices');
  await page.getByRole('heading', { level: 1, name: 'Notices are for operators' }).waitFor();
  await visit('vera', '/machines');
  await page.getByRole('heading', { level: 1, name: 'Machines' }).waitFor();
  assert.equal(await page.getByRole('main').getByRole('link', { name: 'Notices' }).count(), 0);
  browser.ignore(/401|422/);
  assert.deepEqual(browser.problems, []);
});

test('a participant runs an experiment, and sees that run alone', async () => {
  await visit('paul', '/experiments/transfer');
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.waitForURL(/\/runs\/\w+/);
  const own = page.url().split('/runs/')[1].slice(0, 36), head = page.locator('.run-head');
  await head.getByText('succeeded').waitFor();
  await head.getByRole('button', { name: 'Run again' }).waitFor();
  await head.getByText('More', { exact: true }).click();
  assert.deepEqual(await head.locator('.menu-items > :visible').allTextContents(), ['Copy link', 'Run as JSON', 'Measurements as JSON', 'Measurements as CSV']);
  await page.goto(`${lab.address}/runs`);
  await page.locator('tbody tr').first().waitFor();
  assert.deepEqual(await page.locator('tbody a[href^="/runs/"]').evaluateAll((links) => links.map((link) => link.getAttribute('href').slice(6))), [own]);
  await page.goto(`${lab.address}/runs/${run.id}`);
  await page.getByText('Run not found.').waitFor();
  for (const address of ['/', '/kernel', '/guide']) {
    await page.goto(lab.address + address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.equal(await page.locator('.notice.bad').count(), 0, address);
  }
  await page.goto(`${lab.address}/machines`);
  await page.getByText("This needs the role viewer; the role of 'paul' is participant.").waitFor();
  browser.ignore(/40[134]/);
  assert.deepEqual(browser.problems, []);
});

/** Presses Tab until an element has the focus; Escape first, because Tab indents in an editor. */
async function tabTo(locator) {
  await locator.waitFor();
  for (let presses = 0; !(await locator.evaluate((element) => element === document.activeElement)); presses++) {
    assert.ok(presses < 80, `${locator} is reached by Tab`);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
  }
}

async function press(locator) {
  await tabTo(locator);
  await page.keyboard.press('Enter');
}

test('an admin publishes a challenge, with the keyboard alone', async () => {
  await visit('ada', '/');
  await press(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Challenges' }));
  await page.getByText('No challenge is open').waitFor();
  const form = page.getByRole('form', { name: 'Publish a challenge' });
  await tabTo(form.getByLabel('Challenge'));
  await page.keyboard.type('Redu');
  await press(form.getByRole('button', { name: 'Publish' }));
  await page.getByRole('main').getByRole('link', { name: 'Reduction' }).waitFor();
  assert.deepEqual(await browser.inaccessible(), []);
});

// What a GPU would answer is made up: a submission that is wrong, one that is right, and its place.
const attempts = ['018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002'];
const wrong = 'element 0 of total is the first that differs from the reference: 12 instead of 13';
const submitted = (id) => ({ id, experiment: 'kernel', challenge: 'reduction', requested_by: 'paul', devices: [{ id: 'GPU-1', name: 'A GPU' }], revision: 2, parameters: {}, tags: [],
  created_at: new Date().toISOString(), started_at: new Date().toISOString(), finished_at: new Date().toISOString(), warnings: [], measurements: [], headline: [],
  ...(id === attempts[0] ? { status: 'failed', error: { type: '/problems/wrong-result', title: 'Wrong result', detail: wrong } }
    : { status: 'succeeded', error: null, headline: [{ title: 'Bandwidth', metric: 'bandwidth', axes: {}, value: 3000, unit: 'GB/s' }] }) });

async function answerAsGpu(bodies) {
  const list = () => bodies.map((_, at) => submitted(attempts[at])).reverse();
  await page.route('**/api/v1/challenges/reduction/submissions', (route) => {
    bodies.push(route.request().postDataJSON());
    return route.fulfill({ status: 202, json: { id: attempts[bodies.length - 1] } });
  });
  await page.route('**/api/v1/runs?challenge=*', (route) => route.fulfill({ json: { runs: list(), next: null } }));
  await page.route(/\/api\/v1\/runs\/018f/, (route) => route.fulfill({ json: submitted(route.request().url().split('/').at(-1)) }));
  await page.route('**/api/v1/challenges/reduction/ranking*', (route) => route.fulfill({ json: { challenge: 'reduction', models: ['A GPU'], device: 'A GPU', score: 'peak', unit: '1',
    places: bodies.length < 2 ? [] : [{ place: 1, shared: false, by: 'paul', own: true, run: attempts[1], value: 0.9, lo: 0.89, hi: 0.91, submissions: 2, at: submitted(attempts[1]).created_at }] } }));
}

test('a participant reads a challenge, submits, fails, corrects and is ranked, with the keyboard alone', async () => {
  const bodies = [];
  await visit('paul', '/');
  await answerAsGpu(bodies);
  await press(page.getByRole('region', { name: 'Challenges' }).getByRole('link', { name: 'Reduction' }));
  await page.getByRole('region', { name: 'What is asked' }).getByText('must be exact').waitFor();
  await page.getByText('None yet.').waitFor();
  const editor = page.getByLabel('Your kernel'), region = (name) => page.getByRole('region', { name, exact: true });
  await tabTo(editor);
  await page.keyboard.press('Control+Home');
  await page.keyboard.type('// less');
  await page.keyboard.press('Control+Enter');
  await region('Your submissions').getByText(wrong).waitFor();
  await region('Ranking').getByText('No submission is right yet.').waitFor();
  await press(page.getByRole('button', { name: 'Begin again' }));
  assert.match(await editor.inputValue(), /^\/\* One block/);
  await tabTo(page.getByRole('textbox', { name: 'Threads per block' }));
  await page.keyboard.press('Control+A');
  await page.keyboard.type('128');
  await press(page.getByRole('button', { name: 'Submit', exact: true }));
  await region('Your submissions').getByText('succeeded').waitFor();
  await region('Ranking').getByText('90.00 %').waitFor();
  assert.match(bodies[0].source, /^\/\/ less/);
  assert.deepEqual({ ...bodies[1], source: '' }, { source: '', entry: 'sum', grid: [1], block: [128] });
  assert.deepEqual(await browser.inaccessible(), []);
  for (const width of [320, 1920]) {
    await page.setViewportSize({ width, height: 844 });
    await browser.fits(`a challenge at ${width} px`);
  }
});
