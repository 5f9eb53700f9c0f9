// Answers are compressed for clients that accept gzip: the same bytes, another entity tag, a form of its own in the
// cache.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Lab } from '../harness/lab.mjs';

const gzip = { 'accept-encoding': 'gzip' };
let lab, run;
before(async () => {
  lab = await Lab.start();
  run = await lab.complete();
});
after(() => lab.close());

test('lists, runs, descriptors and texts are compressed', async () => {
  const paths = ['/api/v1/experiments', '/api/v1/experiments/transfer', '/api/v1/runs', `/api/v1/runs/${run.id}`, '/api/v1/references',
    '/api/v1/openapi.json', '/api/v1/experiments/matmul/sources/naive', '/metrics'];
  for (const path of paths) {
    const plain = await lab.get(path), compressed = await lab.get(path, gzip), again = await lab.get(path, gzip);
    for (const { headers } of [plain, compressed]) assert.equal(headers.vary, 'Accept-Encoding', path);
    assert.equal(plain.headers['content-encoding'], undefined, path);
    assert.equal(compressed.headers['content-encoding'], 'gzip', path);
    assert.ok(compressed.bytes.length < plain.bytes.length, path);
    if (path === '/metrics') continue; // its numbers change with every request
    assert.deepEqual(gunzipSync(compressed.bytes), plain.bytes, path);
    assert.deepEqual(again.bytes, compressed.bytes, path);
    assert.equal(compressed.headers.etag, plain.headers.etag.replace(/"$/, '-gzip"'), path);
  }
});

test('the entity tag of one form does not stand for the other', async () => {
  const path = `/api/v1/runs/${run.id}`;
  const { etag } = (await lab.get(path, gzip)).headers;
  assert.equal((await lab.get(path, { ...gzip, 'if-none-match': etag })).status, 304);
  assert.equal((await lab.get(path, { 'if-none-match': etag })).status, 200);
});

test('HEAD names the compressed form without sending it', async () => {
  const [head, whole] = await Promise.all(['HEAD', 'GET'].map((method) => lab.request(method, `/api/v1/runs/${run.id}`, { headers: gzip })));
  assert.equal(head.headers['content-length'], String(whole.bytes.length));
  assert.equal(head.headers['content-encoding'], 'gzip');
});

test('short bodies, problems and bodies sent while they are made are not compressed', async () => {
  for (const path of ['/api/v1/queue', '/api/v1/nothing', `/api/v1/runs/${run.id}/measurements.csv?samples=true`, '/api/v1/export']) {
    const answer = await lab.get(path, gzip);
    assert.equal(answer.headers['content-encoding'], undefined, path);
    assert.ok(answer.text.length > 0, path);
  }
  const events = await lab.events({ headers: gzip });
  assert.equal(events.headers['content-encoding'], undefined);
  events.close();
});
