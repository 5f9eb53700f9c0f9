// Behaviour of all paths: version and health, methods, HEAD, caching, unknown paths, and the files of the page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { problem, time } from '../harness/expect.mjs';
import { Lab } from '../harness/lab.mjs';

let lab;
before(async () => (lab = await Lab.start()));
after(() => lab.close());

test('version names version, commit and build', async () => {
  const answer = await lab.get('/api/v1/version');
  assert.equal(answer.status, 200);
  assert.match(answer.headers['content-type'], /^application\/json/);
  assert.match(answer.json.version, /^\d+\.\d+\.\d+$/);
  assert.equal(typeof answer.json.commit, 'string');
});

test('healthz and readyz answer 200 with few bytes', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const answer = await lab.get(path);
    assert.equal(answer.status, 200, path);
    assert.ok(answer.bytes.length > 0 && answer.bytes.length < 200, path);
  }
});

test('an unknown path is a problem document with 404', async () => {
  for (const path of ['/api/v1/nothing', '/api/v2/runs', '/api/v1/runs/', '/api/v1/devices/none', '/api/v1/experiments/none', '/nothing.html']) {
    const document = problem(await lab.get(path), 404);
    assert.equal(document.instance, path);
  }
});

test('a method that a path does not support is 405 with Allow', async () => {
  const cases = [
    ['DELETE', '/api/v1/devices', /\bGET\b/], ['PUT', '/api/v1/runs', /\bPOST\b/], ['POST', '/healthz', /\bGET\b/],
    ['POST', '/api/v1/version', /\bHEAD\b/], ['PATCH', '/api/v1/queue', /\bPUT\b/],
  ];
  for (const [method, path, allow] of cases) {
    const answer = await lab.request(method, path, { headers: { 'content-type': 'application/json' } });
    problem(answer, 405);
    assert.match(answer.headers.allow, allow, `${method} ${path}`);
  }
});

test('HEAD answers like GET, without a body', async () => {
  for (const path of ['/', '/api/v1/devices', '/api/v1/experiments', '/api/v1/runs?limit=3', '/healthz', '/api/v1/nothing']) {
    const get = await lab.get(path);
    const head = await lab.request('HEAD', path);
    assert.equal(head.status, get.status, path);
    assert.equal(head.bytes.length, 0, path);
    for (const name of ['content-type', 'etag', 'content-length']) assert.equal(head.headers[name], get.headers[name], `${name} of ${path}`);
  }
});

test('a current ETag is answered with 304', async () => {
  for (const path of ['/', '/api/v1/devices', '/api/v1/experiments', '/api/v1/runs']) {
    const first = await lab.get(path);
    assert.match(first.headers.etag ?? '', /^(W\/)?".+"$/, path);
    const again = await lab.get(path, { 'if-none-match': first.headers.etag });
    assert.equal(again.status, 304, path);
    assert.equal(again.bytes.length, 0);
    assert.equal(again.headers.etag, first.headers.etag);
    const list = await lab.get(path, { 'if-none-match': `"other", ${first.headers.etag}` });
    assert.equal(list.status, 304, `a list of tags for ${path}`);
    assert.equal((await lab.get(path, { 'if-none-match': '"other"' })).status, 200);
  }
});

test('the ETag of the list changes with every run', async () => {
  const before_ = await lab.get('/api/v1/runs');
  await lab.complete();
  const after_ = await lab.get('/api/v1/runs', { 'if-none-match': before_.headers.etag });
  assert.equal(after_.status, 200);
  assert.notEqual(after_.headers.etag, before_.headers.etag);
  assert.equal(after_.json.runs.length, before_.json.runs.length + 1);
});

test('a conditional request for what is not found, or not valid, gets its own status', async () => {
  const { headers: { etag } } = await lab.get('/api/v1/runs');
  for (const [path, status] of [['/api/v1/runs/nope', 404], ['/api/v1/devices/nope', 404], ['/api/v1/runs?limit=0', 422], ['/api/v1/runs?bogus=1', 422]]) {
    for (const tags of [etag, '*']) assert.equal((await lab.get(path, { 'if-none-match': tags })).status, status, `${path} with ${tags}`);
  }
});

test('the ETag of a run stays the same when another run is made', async () => {
  const run = await lab.complete();
  const { headers: { etag } } = await lab.get(`/api/v1/runs/${run.id}`);
  await lab.complete();
  assert.equal((await lab.get(`/api/v1/runs/${run.id}`, { 'if-none-match': etag })).status, 304);
});

test('the page has a strict content security policy and every file that it names exists', async () => {
  const page = await lab.get('/');
  assert.equal(page.status, 200);
  assert.match(page.headers['content-type'], /^text\/html/);
  assert.match(page.headers['content-security-policy'], /default-src 'self'/);
  assert.doesNotMatch(page.headers['content-security-policy'], /unsafe-inline|unsafe-eval/);
  assert.equal(page.headers['x-content-type-options'], 'nosniff');
  const named = [...page.text.matchAll(/(?:src|href)="([^"#:]+)"/g)].map((match) => new URL(match[1], 'http://lab/').pathname);
  assert.ok(named.some((path) => path.endsWith('.js') || path.endsWith('.mjs')), page.text);
  for (const path of named) assert.equal((await lab.get(path)).status, 200, path);
});

test('gzip is sent to clients that accept it, with an ETag of its own', async () => {
  const plain = await lab.get('/');
  const zipped = await lab.get('/', { 'accept-encoding': 'gzip' });
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.match(plain.headers.vary ?? '', /accept-encoding/i);
  assert.equal(zipped.headers['content-encoding'], 'gzip');
  assert.notEqual(zipped.headers.etag, plain.headers.etag);
  assert.ok(zipped.bytes.length < plain.bytes.length);
});

test('no path reaches files outside the page', async () => {
  for (const path of ['/%2e%2e/%2e%2e/etc/passwd', '/..%2f..%2fetc%2fpasswd', '/css/../../lab.db', '/index.html%00.js', '//etc/passwd']) {
    const answer = await lab.get(path);
    problem(answer, 400);
    assert.doesNotMatch(answer.text, /root:/);
  }
});

test('times are RFC 3339 in UTC, ids UUIDv7 that sort', async () => {
  const first = await lab.submit();
  const second = await lab.submit();
  for (const run of [first, second]) assert.match(run.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.ok(first.id < second.id);
  const done = await lab.reach(second.id, 'succeeded');
  assert.ok(time(done.created_at) <= time(done.started_at));
  assert.ok(time(done.started_at) <= time(done.finished_at));
});
