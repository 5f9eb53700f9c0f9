// Tokens, roles and sessions over HTTP. What each role may do comes from the OpenAPI document (`x-role`).
import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { execute, Lab, small, soon, withLab } from '../harness/lab.mjs';

const ROLES = ['public', 'anonymous', 'participant', 'viewer', 'operator', 'admin']; // anonymous: as public in a lab without --anonymous

let lab;
const secrets = {};
const bearer = (secret) => ({ authorization: `Bearer ${secret}` });

/** Runs `gpulab token`, which uses the lab's Unix socket. */
const token = (of, ...args) => execute('gpulab', ['token', ...args, '--db', of.database], { folder: of.folder });

async function addToken(of, name, role) {
  const { code, stdout, stderr } = await token(of, 'add', name, '--role', role);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

before(async () => {
  lab = await Lab.start({ args: ['--rate-limit', '0'] });
  for (const role of ROLES.slice(2)) secrets[role] = await addToken(lab, `the-${role}`, role);
});
after(() => lab.close());

test('every route is refused without its role, and only then', async () => {
  const { json } = await lab.get('/api/v1/openapi.json');
  let routes = 0;
  for (const [path, methods] of Object.entries(json.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      routes++;
      const needed = ROLES.indexOf(operation['x-role']);
      assert.notEqual(needed, -1, path);
      for (const [level, role] of ROLES.entries()) {
        if (role === 'anonymous') continue;
        // An unknown parameter makes sure that a request which is allowed does nothing.
        const headers = { ...(role === 'public' ? {} : bearer(secrets[role])), 'content-type': 'application/json' };
        const answer = await lab.request(method.toUpperCase(), `${path.replace(/\{\w+\}/g, 'x')}?nonsense=1`, { headers });
        const may = role === 'participant' ? needed === 0 || operation['x-participants'] : level >= needed;
        const expected = may ? 422 : role === 'public' ? 401 : 403;
        assert.ok(answer.status === expected || (answer.status === 400 && may), `${method} ${path} as ${role}: ${answer.status}`);
        if (answer.status === 401) assert.equal(answer.headers['www-authenticate'], 'Bearer realm="gpulab"');
        if (answer.status === 403) assert.match(answer.json.detail, new RegExp(`the role ${ROLES[Math.max(needed, ROLES.indexOf('viewer'))]}; the role of 'the-${role}' is ${role}`));
      }
    }
  }
  assert.ok(routes > 20, `${routes} routes`);
});

test('an unknown token is refused, also where none is needed', async () => {
  for (const secret of ['x', secrets.viewer.slice(0, -1), `${secrets.viewer}x`, secrets.viewer.toUpperCase()]) {
    const answer = await lab.get('/api/v1/devices', bearer(secret));
    assert.equal(answer.status, 401);
    assert.equal(answer.json.type, '/problems/unknown-token');
    assert.match(answer.headers['www-authenticate'], /error="invalid_token"/);
  }
  assert.equal((await lab.get('/healthz', bearer('x'))).status, 200);
  await withLab({}, async (open) => {
    assert.equal((await open.get('/api/v1/devices')).status, 200);
    assert.equal((await open.get('/api/v1/devices', bearer('x'))).status, 401);
    assert.deepEqual((await open.get('/api/v1/session')).json, { name: null, role: 'admin', tokens_demanded: false });
  });
});

test('the page is loaded without a token', async () => {
  const script = /src="([^"]+)"/.exec((await lab.get('/')).text)[1];
  for (const path of ['/', '/runs', script]) assert.equal((await lab.get(path)).status, 200, path);
});

test('tokens are added, listed, used and revoked over HTTP', async () => {
  const admin = bearer(secrets.admin);
  const created = await lab.request('POST', '/api/v1/tokens', { headers: admin, json: { name: 'ci@lab', role: 'operator' } });
  assert.equal(created.status, 201);
  assert.equal(created.headers['cache-control'], 'no-store');
  assert.equal(created.headers.location, `/api/v1/tokens/${created.json.id}`);
  const { secret, ...shown } = created.json;
  assert.match(secret, /^gpulab_[\w-]{43}$/);
  const list = await lab.get('/api/v1/tokens', admin);
  assert.deepEqual(list.json.tokens.find(({ id }) => id === shown.id), shown);
  for (const known of [secret, ...Object.values(secrets)]) assert.ok(!list.text.includes(known));
  assert.equal((await lab.get('/api/v1/devices', bearer(secret))).status, 200);
  const used = (await lab.get('/api/v1/tokens', admin)).json.tokens.find(({ id }) => id === shown.id);
  assert.match(used.last_used_at, /:00\.000000Z$/);
  const again = await lab.request('POST', '/api/v1/tokens', { headers: admin, json: { name: 'ci@lab', role: 'viewer' } });
  assert.equal(again.json.type, '/problems/name-in-use');
  assert.equal((await lab.request('DELETE', created.headers.location, { headers: admin })).status, 204);
  assert.equal((await lab.request('DELETE', created.headers.location, { headers: admin })).status, 404);
  assert.equal((await lab.get('/api/v1/devices', bearer(secret))).status, 401);
});

test('names of tokens have no spaces and no control characters', async () => {
  for (const name of ['a b', 'a\n', 'ä', '"', '', 'x'.repeat(65)]) {
    const answer = await lab.request('POST', '/api/v1/tokens', { headers: bearer(secrets.admin), json: { name, role: 'viewer' } });
    assert.equal(answer.status, 422, name);
    assert.deepEqual(answer.json.errors.map(({ pointer }) => pointer), ['/name'], name);
  }
});

test('gpulab token: usage, table, revoking by name and by id', async () => {
  await withLab({}, async (own) => {
    for (const args of [['add', 'ada'], ['add', '--role', 'viewer'], ['add', 'ada', '--role', 'owner'], ['list', 'x'], ['revoke'], ['forget', 'x'], []]) {
      assert.equal((await token(own, ...args)).code, 2, args.join(' '));
    }
    const secret = await addToken(own, 'ada', 'viewer');
    await addToken(own, 'bob', 'admin');
    const { stdout } = await token(own, 'list');
    assert.match(stdout, /^id +name +role +created +last used\n1 +ada +viewer +\S+ +never\n2 +bob +admin +\S+ +never\n$/);
    assert.equal((await token(own, 'revoke', 'carl')).code, 2);
    assert.equal((await token(own, 'revoke', 'ada')).code, 0);
    assert.equal((await own.get('/api/v1/devices', bearer(secret))).status, 401);
    const last = await token(own, 'revoke', '2');
    assert.equal(last.code, 0);
    assert.match(last.stderr, /the last token/);
    assert.equal((await own.get('/api/v1/devices')).status, 200);
  });
});

test('tokens outlive the lab, and so does their last use', async () => {
  const own = await Lab.start();
  const secret = await addToken(own, 'ada', 'admin');
  assert.equal((await own.get('/api/v1/devices', bearer(secret))).status, 200);
  const before = (await own.get('/api/v1/tokens', bearer(secret))).json.tokens[0].last_used_at;
  await own.stop();
  assert.ok(!readFileSync(own.database).includes(secret), 'the database has the secret');
  await own.start();
  assert.equal((await own.get('/api/v1/devices')).status, 401);
  const { json } = await execute('gpulab', ['token', 'list', '--json', '--db', own.database], { folder: own.folder }).then(({ stdout }) => ({ json: JSON.parse(stdout) }));
  assert.equal(json.tokens[0].last_used_at, before);
  assert.equal((await own.get('/api/v1/devices', bearer(secret))).status, 200);
  await own.close();
});

test('a lab that other machines reach needs a token', async () => {
  const own = new Lab({ listen: '0.0.0.0:0' });
  await assert.rejects(own.start(), /0\.0\.0\.0:0 is reachable from other machines, and there is no token/);
  const secret = await addToken(own, 'ada', 'viewer'); // by a private lab
  await own.start();
  assert.equal((await own.get('/api/v1/devices')).status, 401);
  assert.equal((await own.get('/api/v1/devices', bearer(secret))).status, 200);
  // Without its last token, such a lab is closed, not open.
  assert.equal((await token(own, 'revoke', 'ada')).code, 0);
  assert.equal((await own.get('/api/v1/devices')).status, 401);
  await own.close();
  await withLab({ listen: '0.0.0.0:0', args: ['--insecure'] }, async (open) => assert.equal((await open.get('/api/v1/devices')).status, 200));
});

// --- sessions
// -----------------------------------------------------------------------------------------------------------

const signIn = (of, secret, headers = {}) => of.request('POST', '/api/v1/session', { headers, json: { token: secret } });
const cookieOf = (answer) => ({ cookie: answer.headers['set-cookie'][0].split(';')[0] });

test('a session stands for its token until it is closed or the token is revoked', async () => {
  const secret = await addToken(lab, 'eve', 'operator');
  const answer = await signIn(lab, secret);
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.json, { name: 'eve', role: 'operator', tokens_demanded: true });
  assert.match(answer.headers['set-cookie'][0], /^gpulab_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/);
  assert.ok(!answer.headers['set-cookie'][0].includes(secret));
  const first = cookieOf(answer), second = cookieOf(await signIn(lab, secret));
  for (const cookie of [first, second]) assert.deepEqual((await lab.get('/api/v1/session', cookie)).json, answer.json);
  assert.equal((await lab.get('/api/v1/tokens', first)).status, 403);
  const closed = await lab.request('DELETE', '/api/v1/session', { headers: first });
  assert.equal(closed.status, 204);
  assert.match(closed.headers['set-cookie'][0], /^gpulab_session=; Path=\/; Max-Age=0;/);
  assert.equal((await lab.get('/api/v1/devices', first)).status, 401);
  assert.equal((await lab.get('/api/v1/devices', second)).status, 200);
  assert.equal((await token(lab, 'revoke', 'eve')).code, 0);
  assert.equal((await lab.get('/api/v1/devices', second)).status, 401);
  assert.deepEqual((await lab.get('/api/v1/session', second)).json, { name: null, role: null, tokens_demanded: true });
});

test('a session needs a valid token and the own page', async () => {
  const wrong = await signIn(lab, 'gpulab_wrong');
  assert.equal(wrong.status, 401);
  assert.equal(wrong.headers['set-cookie'], undefined);
  assert.equal((await signIn(lab, secrets.viewer, { origin: 'http://evil.example' })).status, 403);
  const own = `127.0.0.1:${lab.port}`;
  assert.doesNotMatch((await signIn(lab, secrets.viewer, { origin: `http://${own}` })).headers['set-cookie'][0], /Secure/);
  assert.match((await signIn(lab, secrets.viewer, { origin: `https://${own}` })).headers['set-cookie'][0], /; Secure$/, 'a proxy terminates TLS');
});

/** Opens the event stream; resolves once events can arrive; `ended` is a promise of its end. */
function listen(of, headers) {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port: of.port, path: '/api/v1/events', headers }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`status ${answer.statusCode}`));
      const ended = new Promise((end) => answer.on('close', end).on('error', end));
      answer.once('data', () => resolve({ ended })).resume();
    });
    request.on('error', reject);
  });
}

test('the event stream takes a session, and ends when its token is revoked', async () => {
  const secret = await addToken(lab, 'listener', 'viewer');
  const { ended } = await listen(lab, cookieOf(await signIn(lab, secret)));
  assert.equal((await token(lab, 'revoke', 'listener')).code, 0);
  await ended;
});

// --- runs
// -----------------------------------------------------------------------------------------------------------------

test('a run has the name of the person who requested it', async () => {
  const body = { experiment: 'transfer', parameters: small };
  const byToken = await lab.request('POST', '/api/v1/runs', { headers: bearer(secrets.operator), json: body });
  assert.equal(byToken.json.requested_by, 'the-operator');
  const user = (await execute('gpulab', ['run', 'transfer', '--json', '--preset', 'quick', '--db', lab.database], { folder: lab.folder })).stdout;
  assert.ok(JSON.parse(user).requested_by.length > 0);
  await withLab({}, async (open) => assert.equal((await open.post('/api/v1/runs', body)).json.requested_by, null));
});

test('an operator cancels, changes and deletes only own runs and sweeps, an admin all', async () => {
  const stranger = await addToken(lab, 'stranger', 'operator');
  const ask = (secret, method, path, json, headers = {}) => lab.request(method, `/api/v1${path}`, { headers: { ...bearer(secret), ...headers }, json });
  await ask(secrets.operator, 'PUT', '/queue', { paused: true });
  const run = (await ask(secrets.operator, 'POST', '/runs', { experiment: 'transfer', parameters: small })).json;
  const sweep = (await ask(secrets.operator, 'POST', '/sweeps', { experiment: 'transfer', parameters: { ...small, seed: [1, 2] } })).json;
  const change = (secret) => ask(secret, 'PATCH', `/runs/${run.id}`, { note: 'mine' }, { 'if-match': '*' });
  const attempts = [change, (secret) => ask(secret, 'POST', `/sweeps/${sweep.id}/cancel`), (secret) => ask(secret, 'POST', `/runs/${run.id}/cancel`)];
  for (const attempt of attempts) {
    const refused = await attempt(stranger);
    assert.equal(refused.status, 403);
    assert.equal(refused.json.type, '/problems/run-of-another');
  }
  assert.equal((await ask(stranger, 'POST', '/runs/nope/cancel')).status, 404);
  assert.equal((await ask(stranger, 'POST', '/sweeps/nope/cancel')).status, 404);
  assert.equal((await change(secrets.admin)).json.note, 'mine');
  for (const attempt of attempts) assert.ok([200, 202].includes((await attempt(secrets.operator)).status));
  await ask(secrets.operator, 'PUT', '/queue', { paused: false });
});

test('an operator deletes only own runs, an admin all', async () => {
  const other = await addToken(lab, 'other', 'operator');
  const create = async (secret) => {
    const { json } = await lab.request('POST', '/api/v1/runs', { headers: bearer(secret), json: { experiment: 'transfer', parameters: small } });
    await soon(async () => assert.equal((await lab.get(`/api/v1/runs/${json.id}`, bearer(secret))).json.status, 'succeeded'));
    return `/api/v1/runs/${json.id}`;
  };
  const remove = (path, secret) => lab.request('DELETE', path, { headers: bearer(secret) });
  const [first, second] = [await create(secrets.operator), await create(secrets.operator)];
  const refused = await remove(first, other);
  assert.equal(refused.status, 403);
  assert.equal(refused.json.type, '/problems/run-of-another');
  assert.equal((await remove('/api/v1/runs/nope', other)).status, 404);
  assert.equal((await remove(first, secrets.operator)).status, 204);
  assert.equal((await remove(second, secrets.admin)).status, 204);
});

// --- limits and logs
// ------------------------------------------------------------------------------------------------------

test('a client that sends too many requests gets 429', async () => {
  await withLab({ args: ['--rate-limit', '10'] }, async (own) => {
    const [ada, bob] = [await addToken(own, 'ada', 'viewer'), await addToken(own, 'bob', 'viewer')];
    const answers = await Promise.all(Array.from({ length: 200 }, () => own.get('/api/v1/queue', bearer(ada))));
    const refused = answers.filter(({ status }) => status === 429);
    assert.ok(refused.length > 0 && refused.length <= 180, `${refused.length} of 200`);
    assert.equal(refused[0].json.type, '/problems/too-many-requests');
    assert.ok(Number(refused[0].headers['retry-after']) >= 1);
    assert.equal((await own.get('/api/v1/queue', bearer(bob))).status, 200, 'others are not affected');
    assert.equal((await token(own, 'list')).code, 0, 'nor is the Unix socket');
  });
  await withLab({ args: ['--rate-limit', '1'] }, async (open) => {
    for (const answer of await Promise.all(Array.from({ length: 50 }, () => open.get('/api/v1/queue')))) assert.equal(answer.status, 200);
  });
});

test('logs say who did what, without any secret; SIGHUP opens them again', async () => {
  const own = new Lab({});
  const [access, audit] = [`${own.folder}/access.log`, `${own.folder}/audit.log`];
  own.options = { args: ['--access-log', access, '--audit-log', audit, '--log-format', 'json'] };
  await own.start();
  const secret = await addToken(own, 'ada', 'operator');
  const cookie = cookieOf(await signIn(own, secret));
  const run = await own.request('POST', '/api/v1/runs', { headers: cookie, json: { experiment: 'transfer', parameters: small } });
  await own.get(`/api/v1/runs?q=${secret}`, cookie);
  await own.request('POST', '/api/v1/tokens', { headers: cookie, json: { name: 'x', role: 'viewer' } });
  await own.request('PUT', '/api/v1/queue', { json: { paused: true } });
  const lines = (file) => readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const find = (file, wanted) => soon(() => {
    const found = lines(file).find((line) => Object.entries(wanted).every(([name, value]) => line[name] === value));
    assert.ok(found, `${JSON.stringify(wanted)} is not in ${readFileSync(file, 'utf8')}`);
    return found;
  });
  await find(access, { name: 'ada', method: 'GET', path: '/api/v1/runs', status: 200 });
  const created = await find(audit, { name: 'ada', role: 'operator', method: 'POST', path: '/api/v1/runs', status: 202, what: `/api/v1/runs/${run.json.id}` });
  await find(access, { request: created.request, status: 202 });
  await find(audit, { name: 'ada', path: '/api/v1/tokens', status: 403 });
  await find(audit, { name: null, role: 'public', method: 'PUT', path: '/api/v1/queue', status: 401 });
  assert.ok(lines(audit).every(({ method }) => method !== 'GET'));
  renameSync(audit, `${audit}.1`);
  own.child.kill('SIGHUP');
  await soon(async () => {
    await own.request('PUT', '/api/v1/queue', { json: { paused: true } });
    assert.ok(lines(audit).length > 0);
  });
  await own.stop();
  for (const file of [access, audit, `${audit}.1`]) {
    const text = readFileSync(file, 'utf8');
    for (const hidden of [secret, cookie.cookie.split('=')[1]]) assert.ok(!text.includes(hidden), `${file} has a secret`);
  }
  assert.ok(!own.log.includes(secret));
  await own.close();
});
