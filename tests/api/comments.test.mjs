// Comments on runs and marks in time: who writes and deletes them, what is refused, and what becomes of them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { problem, time } from '../harness/expect.mjs';
import { execute, Lab, small } from '../harness/lab.mjs';

let lab, run;
const headers = {};
before(async () => {
  lab = await Lab.start();
  for (const [name, role] of [['ada', 'admin'], ['grace', 'operator'], ['emmy', 'operator'], ['vera', 'viewer']]) {
    const { stdout } = await execute('gpulab', ['token', 'add', name, '--role', role, '--db', lab.database], { folder: lab.folder });
    headers[name] = { authorization: `Bearer ${stdout.trim()}` };
  }
  run = await measured();
});
after(() => lab.close());

const get = (path, name = 'vera') => lab.get(path, headers[name]);
const post = (path, json, name = 'grace') => lab.post(path, json, headers[name]);
const remove = (path, name) => lab.request('DELETE', path, { headers: headers[name] });

async function measured() {
  const { id } = (await post('/api/v1/runs', { experiment: 'transfer', parameters: small })).json;
  return (await get(`/api/v1/runs/${id}?wait=60`)).json;
}

test('comments on a run are kept in their order, with their authors', async () => {
  const path = `/api/v1/runs/${run.id}/comments`;
  assert.deepEqual((await get(path)).json, { comments: [] });
  const written = [];
  for (const [text, name] of [['first <b>of all</b>', 'grace'], ['温度が高い\nagain', 'emmy'], ['third', 'ada']]) {
    const { status, json, headers: { location } } = await post(path, { text }, name);
    assert.equal(status, 201);
    assert.equal(location, `${path}/${json.id}`);
    assert.deepEqual([json.text, json.author], [text, name]);
    assert.ok(Math.abs(time(json.created_at) - Date.now()) < 3600e3);
    written.push(json);
  }
  assert.deepEqual((await get(path)).json.comments, written);
  assert.equal((await get(`/api/v1/runs/${run.id}`)).json.revision, run.revision, 'a comment is no change of the run');
});

test('its author and admins delete a comment, nobody else, and no run has the comment of another', async () => {
  const of = await measured(), path = `/api/v1/runs/${of.id}/comments`;
  const [one, two] = [(await post(path, { text: 'one' })).json, (await post(path, { text: 'two' })).json];
  problem(await remove(`${path}/${one.id}`, 'emmy'), 403);
  problem(await remove(`${path}/${one.id}`, 'vera'), 403);
  problem(await remove(`/api/v1/runs/${run.id}/comments/${one.id}`, 'grace'), 404);
  problem(await remove(`/api/v1/marks/${one.id}`, 'ada'), 404);
  assert.deepEqual((await get(path)).json.comments, [one, two]);
  assert.equal((await remove(`${path}/${one.id}`, 'grace')).status, 204);
  assert.equal((await remove(`${path}/${two.id}`, 'ada')).status, 204);
  problem(await remove(`${path}/${two.id}`, 'ada'), 404);
  for (const id of ['', 'x', '1x', '0', '-1', '99999999999999999999', '1%2F2']) assert.equal((await remove(`${path}/${id}`, 'ada')).status, 404, id);
  const three = (await post(path, { text: 'three' })).json;
  assert.ok(Number(three.id) > Number(two.id), 'no id is used twice');
  await remove(`/api/v1/runs/${of.id}`, 'ada');
  problem(await get(path), 404);
  problem(await remove(`${path}/${three.id}`, 'ada'), 404);
});

test('what is no comment and no mark is refused', async () => {
  const path = `/api/v1/runs/${run.id}/comments`, before_ = (await get(path)).json;
  for (const to of [path, '/api/v1/marks']) {
    problem(await post(to, {}), 422, '/text');
    for (const text of ['', ' \t\n', 'x'.repeat(4097), 1, null]) problem(await post(to, { text }), 422, '/text');
    problem(await post(to, { text: 'a', author: 'ada' }), 422, '/author');
    problem(await post(to, { text: 'a' }, 'vera'), 403);
    assert.equal((await lab.get(to)).status, 401);
  }
  problem(await post(path, { text: 'a', at: '2026-01-01' }), 422, '/at');
  problem(await post('/api/v1/marks', { text: 'a', at: 'yesterday' }), 422, '/at');
  problem(await post('/api/v1/marks', { text: 'a', at: new Date(Date.now() + 48 * 3600e3).toISOString() }), 422, '/at');
  problem(await post('/api/v1/marks', { text: 'a', node: '' }), 422, '/node');
  problem(await post('/api/v1/runs/nothing/comments', { text: 'a' }), 404);
  problem(await get('/api/v1/runs/nothing/comments'), 404);
  assert.deepEqual((await get(path)).json, before_);
  assert.deepEqual((await get('/api/v1/marks')).json, { marks: [] });
});

test('marks are by the time when it happened, and can be cut', async () => {
  const path = '/api/v1/marks';
  const [late, early, now] = [(await post(path, { text: 'late', at: '2026-01-03' })).json, (await post(path, { text: 'early', at: '2026-01-02T10:00:00Z', node: 'rack-1' })).json, (await post(path, { text: 'now' })).json];
  assert.deepEqual([late.node, early.node, late.at, early.author], [null, 'rack-1', '2026-01-03T00:00:00.000000Z', 'grace']);
  assert.equal(now.at, now.created_at);
  const marks = async (query = '') => (await get(path + query)).json.marks.map(({ text }) => text);
  assert.deepEqual(await marks(), ['early', 'late', 'now']);
  assert.deepEqual(await marks('?since=2026-01-03&until=2026-01-04'), ['late']);
  assert.deepEqual(await marks('?until=2026-01-03'), ['early']);
  problem(await get(`${path}?since=never`), 422, '/query/since');
  problem(await remove(`${path}/${late.id}`, 'emmy'), 403);
  assert.equal((await remove(`${path}/${late.id}`, 'grace')).status, 204);
  assert.deepEqual(await marks(), ['early', 'now']);
});

test('an export has the comments, and an import says that they are imported', async () => {
  const of = await measured(), path = `/api/v1/runs/${of.id}/comments`;
  await post(path, { text: 'hot <b>today</b>\n=1+1' }, 'grace');
  await post(path, { text: 'second' }, 'ada');
  const exported = (await get(`/api/v1/export?since=${of.created_at}`)).text;
  const comments = exported.split('\n').filter((line) => line.includes('"type":"comment"')).map((line) => JSON.parse(line));
  assert.deepEqual(comments.map(({ run: id, author, text }) => [id, author, text]), [[of.id, 'grace', 'hot <b>today</b>\n=1+1'], [of.id, 'ada', 'second']]);
  const send = (body) => lab.request('POST', '/api/v1/import', { headers: { ...headers.ada, 'content-type': 'application/x-ndjson' }, body });
  assert.equal((await send(exported)).json.skipped, 1, 'the comments of a run that the lab has are left out');
  assert.equal((await get(path)).json.comments.length, 2);
  assert.equal((await remove(`/api/v1/runs/${of.id}`, 'grace')).status, 204);
  assert.equal((await send(exported)).json.imported, 1);
  const imported = (await get(path)).json.comments;
  assert.deepEqual(imported.map(({ author, text, created_at: at }) => [author, text, at]),
    comments.map(({ author, text, created_at: at }) => [`${author} (imported)`, text, at]));
  assert.equal((await remove(`${path}/${imported[0].id}`, 'grace')).status, 403);
  const again = (await get(`/api/v1/export?since=${of.created_at}`)).text.split('\n').filter((line) => line.includes('"type":"comment"'));
  assert.deepEqual(again.map((line) => JSON.parse(line).author), ['grace (imported)', 'ada (imported)'], 'once');
  for (const wrong of [{ text: '' }, { author: 5 }, { created_at: 'x' }, { more: 1 }]) {
    const lines = exported.trim().split('\n').map((line) => JSON.parse(line)).map((line) => (line.type === 'comment' ? { ...line, ...wrong } : line));
    const answer = await send(lines.map((line) => `${JSON.stringify(line.type === 'run' ? { ...line, id: `${line.id.slice(0, -4)}beef` } : line.run ? { ...line, run: `${line.run.slice(0, -4)}beef` } : line)}\n`).join(''));
    assert.deepEqual([answer.json.imported, answer.json.errors.length], [0, 1], JSON.stringify(wrong));
  }
  assert.equal((await remove(`${path}/${imported[0].id}`, 'ada')).status, 204);
});

test('an export of the lab has the marks, an import adds those that the lab has not', async () => {
  const of = await measured();
  await post('/api/v1/marks', { text: 'fan replaced', at: '2026-01-05T10:00:00Z', node: 'rack-1' }, 'grace');
  const exported = async (query = '') => (await get(`/api/v1/export${query}`)).text.trim().split('\n').map((line) => JSON.parse(line));
  const marksOf = (lines) => lines.filter(({ type }) => type === 'mark').map(({ text, at, node, author }) => [text, at, node, author]);
  const mark = ['fan replaced', '2026-01-05T10:00:00.000000Z', 'rack-1', 'grace'], lines = await exported();
  assert.deepEqual(marksOf(lines).find(([text]) => text === mark[0]), mark);
  assert.equal(lines.at(-1).type, 'end');
  assert.deepEqual(marksOf(await exported('?since=2026-01-05&until=2026-01-06')), [mark]);
  assert.deepEqual(marksOf(await exported('?experiment=transfer')), []);
  const send = async (body) => (await lab.request('POST', '/api/v1/import', { headers: { ...headers.ada, 'content-type': 'application/x-ndjson' }, body: body.map((line) => `${JSON.stringify(line)}\n`).join('') })).json;
  const again = await send(lines);
  assert.deepEqual([again.imported, again.marks, again.errors], [0, undefined, []]);
  const { id } = (await get('/api/v1/marks')).json.marks.find(({ text }) => text === mark[0]);
  assert.equal((await remove(`/api/v1/marks/${id}`, 'grace')).status, 204);
  assert.equal((await send(lines)).marks, 1);
  assert.equal((await send(lines)).marks, undefined, 'once');
  const imported = (await get('/api/v1/marks')).json.marks.find(({ text }) => text === mark[0]);
  assert.deepEqual([imported.at, imported.node, imported.author], [mark[1], 'rack-1', 'grace (imported)']);
  assert.equal((await remove(`/api/v1/marks/${imported.id}`, 'grace')).status, 403);
  for (const wrong of [{ text: '' }, { at: 'x' }, { node: '' }, { at: '2126-01-01T00:00:00Z' }, { more: 1 }]) {
    const answer = await send(lines.map((line) => (line.text === mark[0] ? { ...line, ...wrong } : line)));
    assert.deepEqual([answer.skipped > 0, answer.errors.length], [true, 1], JSON.stringify(wrong));
  }
  assert.equal((await lab.request('DELETE', `/api/v1/runs/${of.id}`, { headers: headers.ada })).status, 204);
});
