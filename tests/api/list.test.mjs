// The list of runs: pages, cursors, every filter and every pair of filters.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { problem } from '../harness/expect.mjs';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { Lab, small } from '../harness/lab.mjs';

const total = 23;
let lab, ids, middle;
before(async () => {
  lab = await Lab.start();
  ids = [];
  const paused = (value) => lab.request('PUT', '/api/v1/queue', { json: { paused: value } });
  await paused(true);
  for (let i = 0; i < total; i += 1) {
    const run = await lab.submit(small, { tags: [i % 2 ? 'odd' : 'even', `n${i}`], note: i === 7 ? 'the Seventh, 100%_done' : '' });
    ids.push(run.id);
    if (i === 11) middle = run.created_at;
  }
  assert.equal((await lab.post(`/api/v1/runs/${ids[0]}/cancel`)).status, 202);
  await paused(false);
  for (const id of ids) await lab.reach(id);
  for (const id of ids.slice(3, 6)) await lab.request('PATCH', `/api/v1/runs/${id}`, { json: { pinned: true }, headers: { 'if-match': '*' } });
  ids.reverse(); // newest first
});
after(() => lab.close());

const list = (query) => lab.get(`/api/v1/runs${query ? `?${query}` : ''}`);

async function pages(query, limit) {
  const found = [];
  let next = '', rounds = 0;
  do {
    const answer = await list(`${query ? `${query}&` : ''}limit=${limit}${next && `&cursor=${encodeURIComponent(next)}`}`);
    assert.equal(answer.status, 200, answer.text);
    assert.ok(answer.json.runs.length <= limit);
    found.push(...answer.json.runs.map((run) => run.id));
    next = answer.json.next;
    if (next) assert.match(answer.headers.link, /rel="?next"?/);
    else assert.equal(answer.headers.link, undefined);
    assert.ok((rounds += 1) <= total + 1, 'more pages than runs');
  } while (next);
  return found;
}

test('all runs, newest first, with every page size', async () => {
  for (const limit of [1, 2, 7, 22, 23, 24, 500]) assert.deepEqual(await pages('', limit), ids, `limit ${limit}`);
});

test('Link leads to the next page with the same filters', async () => {
  const first = await list('tag=odd&limit=4');
  const path = /<([^>]+)>/.exec(first.headers.link)[1];
  const second = await lab.get(path);
  assert.deepEqual([...first.json.runs, ...second.json.runs].map((run) => run.id), (await pages('tag=odd', 500)).slice(0, 8));
});

test('a summary has no measurements', async () => {
  const [run] = (await list('limit=1')).json.runs;
  assert.equal(run.measurements, undefined);
  for (const name of ['id', 'experiment', 'status', 'devices', 'tags', 'created_at', 'revision']) assert.ok(name in run, name);
});

test('later pages do not shift when runs are added', async () => {
  const first = (await list('tag=even&limit=5')).json;
  const added = await lab.complete(small, { tags: ['even', 'added'] });
  const rest = (await list(`tag=even&limit=500&cursor=${encodeURIComponent(first.next)}`)).json;
  const seen = [...first.runs, ...rest.runs].map((run) => run.id);
  assert.ok(!seen.includes(added.id));
  assert.equal(new Set(seen).size, seen.length);
  assert.equal((await lab.request('DELETE', `/api/v1/runs/${added.id}`)).status, 204);
});

test('every filter and every pair of filters finds exactly the runs that match', async () => {
  const all = (await list('limit=500')).json.runs;
  const [{ id }] = all[0].devices;
  const filters = {
    'experiment=transfer': () => true,
    'experiment=matmul': () => false,
    [`device=${encodeURIComponent(id)}`]: () => true,
    'device=GPU-none': () => false,
    'status=succeeded': (run) => run.status === 'succeeded',
    'status=cancelled': (run) => run.status === 'cancelled',
    'status=queued': () => false,
    'pinned=true': (run) => run.pinned,
    'pinned=false': (run) => !run.pinned,
    'tag=odd': (run) => run.tags.includes('odd'),
    'tag=od': () => false,
    'tag=%25': () => false,
    [`since=${encodeURIComponent(middle)}`]: (run) => run.created_at >= middle,
    [`until=${encodeURIComponent(middle)}`]: (run) => run.created_at < middle,
    'since=2999-01-01T00:00:00Z': () => false,
    'q=seventh': (run) => run.note !== '',
    'q=100%25_done': (run) => run.note !== '',
    'q=1000_done': () => false,
    'q=N13': (run) => run.tags.includes('n13'),
    [`q=${all[3].id}`]: (run) => run.id === all[3].id,
    'q=%27%20OR%20%271%27%3D%271': () => false,
  };
  assert.equal(all.filter(({ pinned }) => pinned).length, 3);
  const names = Object.keys(filters);
  for (const [position, one] of names.entries()) {
    for (const other of ['', ...names.slice(position + 1)]) {
      const key = (text) => text.split('=')[0];
      if (other && key(one) === key(other)) continue;
      const wanted = all.filter((run) => filters[one](run) && (!other || filters[other](run))).map((run) => run.id);
      const query = other ? `${one}&${other}` : one;
      const answer = await list(`${query}&limit=500`);
      assert.equal(answer.status, 200, `${query}: ${answer.text}`);
      assert.deepEqual(answer.json.runs.map((run) => run.id), wanted, query);
    }
  }
  assert.deepEqual(await pages('tag=even&experiment=transfer', 3), all.filter((run) => run.tags.includes('even')).map((run) => run.id));
});

test('an edited cursor is 400 or continues the list elsewhere', async () => {
  const { next } = (await list('limit=3')).json;
  const seen = { 200: 0, 400: 0 };
  for (let position = 0; position < next.length; position += 1) {
    const edited = next.slice(0, position) + (next[position] === 'A' ? 'B' : 'A') + next.slice(position + 1);
    const answer = await list(`limit=500&cursor=${encodeURIComponent(edited)}`);
    seen[answer.status] += 1;
    if (answer.status === 400) assert.equal(problem(answer, 400, '/query/cursor').type, '/problems/bad-cursor');
    else assert.deepEqual(answer.json.runs.map((run) => run.id), ids.slice(ids.length - answer.json.runs.length), 'a tail of the list');
  }
  assert.ok(seen[200] > 0 && seen[400] > 0 && seen[200] + seen[400] === next.length, JSON.stringify(seen));
  for (const cursor of ['', 'x', `${next}A`, next.slice(1), next.slice(0, -1), `${next.slice(0, -1)}=`, '%C3%A4', 'x'.repeat(5000)]) {
    const document = problem(await list(`cursor=${cursor}`), 400, '/query/cursor');
    assert.match(document.detail, /must be 'next' of the previous page, unchanged; omit it/);
  }
});

test('a cursor is refused with other filters', async () => {
  const { next } = (await list('tag=odd&limit=3')).json;
  const answer = await list(`tag=even&limit=3&cursor=${encodeURIComponent(next)}`);
  assert.match(problem(answer, 400, '/query/cursor').detail, /belongs to a query with other filters/);
  assert.equal((await list(`tag=odd&limit=5&cursor=${encodeURIComponent(next)}`)).status, 200, 'the limit is not part of the query');
});

test('a cursor is still valid after a restart', async () => {
  const { next } = (await list('limit=3')).json;
  await lab.stop();
  await lab.start();
  const answer = await list(`limit=3&cursor=${encodeURIComponent(next)}`);
  assert.deepEqual(answer.json.runs.map((run) => run.id), ids.slice(3, 6));
});

test('a text finds runs by the beginning and by the end of their ids', async () => {
  const found = async (query) => (await list(query)).json.runs.map(({ id }) => id);
  const id = ids[4];
  for (const part of [id.slice(-6), id.slice(-6).toUpperCase(), id.slice(-17), id.slice(0, 30), id]) assert.deepEqual(await found(`q=${part}`), [id], part);
  const tag = (await lab.run(id)).tags[0];
  assert.deepEqual(await found(`q=${id.slice(-6)}&tag=${tag}&experiment=transfer`), [id]);
  assert.deepEqual(await found(`q=${id.slice(-6)}&tag=${tag === 'odd' ? 'even' : 'odd'}`), []);
  assert.deepEqual(await found(`q=${id.slice(-5)}`), [], 'too short');
});

test('latest=experiment lists the newest matching run of each experiment', async () => {
  const shown = async (query) => {
    const { status, json, headers } = await list(`latest=experiment${query}`);
    assert.equal(status, 200);
    assert.deepEqual([json.next, headers.link], [null, undefined]);
    return json.runs.map(({ id }) => id);
  };
  assert.deepEqual(await shown(''), [ids[0]]);
  assert.deepEqual(await shown('&status=cancelled'), [ids.at(-1)]);
  assert.deepEqual(await shown('&tag=odd'), [(await pages('tag=odd', 500))[0]]);
  assert.deepEqual(await shown('&experiment=matmul'), []);
  const other = await lab.post('/api/v1/runs', { experiment: 'summation', parameters: {} });
  assert.equal(other.status, 202, other.text);
  await lab.post(`/api/v1/runs/${other.json.id}/cancel`);
  await lab.reach(other.json.id, 'cancelled', 'succeeded');
  assert.deepEqual(await shown(''), [ids[0], other.json.id]);
  assert.deepEqual(await shown('&experiment=summation'), [other.json.id]);
  problem(await list('latest=device'), 422);
});

test('latest=result prefers a GPU, then runs with the whole time budget and code of the lab, then newer ones', async () => {
  const gpu = [{ id: 'GPU-1', name: 'NVIDIA H200', node: 'n1' }], host = [{ id: 'host-0-f412542e3409', name: 'CPU (host runtime)', node: 'n1' }];
  const at = (day) => new Date(Date.UTC(2026, 0, day));
  const add = async (day, fields) => {
    const answer = await importInto(lab, linesOf({ at: at(day), experiment: 'launch', ...fields }, [{ median: 1 }]));
    assert.equal(answer.json.imported, 1, answer.text);
  };
  const shown = async (query = '') => (await list(`latest=result&experiment=launch${query}`)).json.runs.map(({ id }) => id);
  assert.deepEqual(await shown(), []);
  await add(2, { devices: host, parameters: { time_budget_s: 2 } });
  assert.deepEqual(await shown(), [idAt(at(2))], 'the only run');
  await add(1, { devices: host, parameters: { time_budget_s: 12 } });
  assert.deepEqual(await shown(), [idAt(at(1))], 'quick on the host');
  await add(3, { devices: gpu, parameters: { time_budget_s: 2 } });
  await add(4, { devices: host, parameters: { time_budget_s: 12 } });
  assert.deepEqual(await shown(), [idAt(at(3))], 'host');
  await add(5, { devices: gpu, parameters: { seed: 1 } });
  await add(6, { devices: gpu, parameters: { time_budget_s: 2 } });
  assert.deepEqual(await shown(), [idAt(at(5))], 'quick on a GPU');
  await add(7, { devices: gpu, parameters: { time_budget_s: 30 } });
  assert.deepEqual(await shown(), [idAt(at(7))], 'the newest');
  assert.deepEqual(await shown('&device=host-0-f412542e3409'), [idAt(at(4))], 'of a device');
  assert.deepEqual(await shown('&status=failed'), []);
});

test('latest=result prefers several GPUs where the experiment is about several', async () => {
  const gpus = (count) => Array.from({ length: count }, (_, i) => ({ id: `GPU-${i}`, name: 'NVIDIA H100', node: 'n1' }));
  const at = (day) => new Date(Date.UTC(2026, 1, day));
  for (const [i, experiment] of ['scaling', 'bank-conflicts'].entries()) {
    await importInto(lab, linesOf({ at: at(2 * i + 1), experiment, devices: gpus(4), parameters: { time_budget_s: 1 } }, [{ median: 1 }]));
    await importInto(lab, linesOf({ at: at(2 * i + 2), experiment, devices: gpus(1), parameters: {} }, [{ median: 1 }]));
  }
  const devices = async (experiment) => (await list(`latest=result&experiment=${experiment}`)).json.runs[0].devices.length;
  assert.deepEqual([await devices('scaling'), await devices('bank-conflicts')], [4, 1]);
});
