// Signing in on the page: a lab that demands tokens asks for one, and the page works with it until it is revoked.
import assert from 'node:assert/strict';
import http from 'node:http';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { execute, Lab, soon } from '../harness/lab.mjs';

let lab, browser, page;
const secrets = {};
const token = (...args) => execute('gpulab', ['token', ...args, '--db', lab.database], { folder: lab.folder });

before(async () => {
  lab = await Lab.start();
  for (const role of ['viewer', 'operator']) secrets[role] = (await token('add', `the-${role}`, '--role', role)).stdout.trim();
  browser = await Browser.start();
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const heading = (name) => page.getByRole('heading', { level: 1, name });
// The browser itself reports each answer with an error status.
const noMessages = () => assert.deepEqual(browser.problems.splice(0).filter((text) => !/status of 401/.test(text)), []);

async function signIn(secret) {
  await page.getByLabel('Token').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('the page asks for a token, and refuses a wrong one', async () => {
  await page.goto(`${lab.address}/runs`);
  await heading('Sign in').waitFor();
  assert.equal(await page.getByText('No connection').count(), 0);
  assert.deepEqual(await browser.inaccessible(), []);
  await browser.fits('the form');
  await signIn('gpulab_wrong');
  await page.getByText('This token is unknown or was revoked.').waitFor();
  noMessages();
});

test('with a token the page shows what was asked for, and who one is', async () => {
  await signIn(secrets.operator);
  await heading('Runs').waitFor();
  await page.getByText('the-operator (operator)').waitFor();
  assert.equal(new URL(page.url()).pathname, '/runs');
  assert.deepEqual(await browser.inaccessible(), []);
  const [cookie] = await browser.context.cookies();
  assert.deepEqual([cookie.httpOnly, cookie.sameSite, cookie.secure], [true, 'Strict', false]);
  assert.ok(!(await page.evaluate(() => document.cookie)), 'a script can read the cookie');
  noMessages();
});

test('the event stream takes the session', async () => {
  const paused = await lab.request('PUT', '/api/v1/queue', { headers: { authorization: `Bearer ${secrets.operator}` }, json: { paused: true } });
  assert.equal(paused.status, 200);
  await page.getByRole('banner').getByText('paused').waitFor();
});

test('signing out asks for a token again', async () => {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading('Sign in').waitFor();
  assert.equal(await page.getByText('the-operator').count(), 0);
  noMessages();
});

test('a page that is open asks for a token when its own is revoked', async () => {
  await signIn(secrets.viewer);
  await page.getByText('the-viewer (viewer)').waitFor();
  assert.equal((await token('revoke', 'the-viewer')).code, 0);
  await heading('Sign in').waitFor();
  await soon(async () => assert.equal(await page.getByText('the-viewer').count(), 0));
  noMessages();
});

test('a lab that is open to everyone shows results without a token, and the way to sign in', async () => {
  const { folder, database } = lab;
  await lab.stop();
  const open = await Lab.start({ folder, database, args: ['--anonymous'] });
  try {
    await browser.context.clearCookies();
    await page.goto(`${open.address}/runs`);
    await heading('Runs').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    assert.equal(await page.getByText('No connection').count(), 0);
    await page.goto(`${open.address}/`);
    await page.getByRole('heading', { level: 2, name: 'Host-device transfer' }).waitFor();
    assert.deepEqual(await browser.inaccessible(), []);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await heading('Sign in').waitFor();
    await signIn(secrets.operator);
    await page.getByText('the-operator (operator)').waitFor();
    assert.equal(new URL(page.url()).pathname, '/');
    noMessages();
  } finally {
    await open.close();
  }
});

// --- below a path, in a frame
// -----------------------------------------------------------------------------------------------

/** Starts a server on a free port; resolves with {address, close}. */
async function listen(answer) {
  const server = http.createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) };
}

/** A proxy that passes on what is below /lab/, as nginx does; `lost` gets the paths of all other requests. */
const proxyOf = (port, lost) => listen((request, response) => {
  if (!request.url.startsWith('/lab/')) {
    lost.push(request.url);
    return response.writeHead(404).end();
  }
  const { method, url: path, headers } = request;
  const onward = http.request({ host: '127.0.0.1', port, method, path, headers }, (answer) => answer.pipe(response.writeHead(answer.statusCode, answer.headers)));
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  return request.pipe(onward);
});

test('behind a proxy at /lab/, every view works, and in a frame of another site without the session', async () => {
  await page.goto('about:blank'); // the page of a lab that has ended still asks for it
  browser.problems.splice(0);
  const { folder, database } = lab, lost = [], views = ['', 'runs', 'compare', 'trends', 'guide', 'http-api', 'experiments/transfer', 'kernels', 'program', 'machines', 'notices', 'tokens', 'devices/x', 'runs/x', 'sweeps/x', 'sign-in'];
  let open, proxy;
  const wiki = await listen((request, response) => response.setHeader('content-type', 'text/html').end(`<iframe title="lab" src="${proxy.address}/lab${request.url}"></iframe>`));
  open = await Lab.start({ folder, database, args: ['--anonymous', '--base-path', '/lab', '--frame-ancestors', wiki.address] });
  proxy = await proxyOf(open.port, lost);
  await open.until(async () => (await open.get('/api/v1/devices')).json.devices.length > 0, 'the devices are known, which forms ask about');
  try {
    await page.goto(`${proxy.address}/lab/sign-in`);
    await signIn(secrets.operator);
    await page.getByText('the-operator (operator)').waitFor();
    assert.equal(new URL(page.url()).pathname, '/lab/');
    for (const view of views) {
      await page.goto(`${proxy.address}/lab/${view}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      for (const link of await page.locator('a[href^="/"]').all()) assert.match(await link.getAttribute('href'), /^\/lab\//, view);
    }
    await page.goto(`${proxy.address}/lab/runs`);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Trends' }).click();
    await heading('Trends').waitFor();
    assert.equal(new URL(page.url()).pathname, '/lab/trends');
    await page.goto(`${wiki.address}/`);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { level: 2, name: 'Host-device transfer' }).waitFor();
    await frame.getByRole('link', { name: 'Sign in' }).click();
    await frame.getByRole('link', { name: 'Open the page by itself' }).waitFor();
    assert.equal(await frame.getByLabel('Token').count(), 0);
    assert.equal(await frame.getByText('the-operator').count(), 0);
    await page.goto(`${wiki.address}/tokens`);
    await frame.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    assert.deepEqual(lost.filter((path) => path !== '/favicon.ico'), []);
    // The view of programs asks whether this lab executes them, which it refuses; the next view may come before that.
    assert.deepEqual(browser.problems.splice(0).filter((text) => !/status of 40[134]|status of 422 .*dry_run/.test(text)), []);
  } finally {
    proxy.close();
    wiki.close();
    await open.close();
  }
});
