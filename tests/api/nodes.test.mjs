// A lab of several machines.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { Place, SUCCESS, USAGE } from '../harness/cli.mjs';
import { childrenOf, endless, execute, alive, small, until } from '../harness/lab.mjs';
import { startMachines as start, startNodes } from '../harness/nodes.mjs';

const nodesOf = async (lab) => Object.fromEntries((await lab.get('/api/v1/nodes')).json.nodes.map((node) => [node.name, node]));

test('runs of different machines go on side by side', async (t) => {
  const lab = await start(t);
  const nodes = await until(async () => {
    const found = await nodesOf(lab);
    return ['here', 'b', 'c'].every((name) => found[name].state === 'idle') && found;
  }, 'the machines are known');
  assert.deepEqual(Object.keys(nodes), ['here', 'b', 'c', 'gone']);
  assert.deepEqual([nodes.c.transport, nodes.c.target, nodes.here.transport, nodes.here.target], ['ssh', 'user@c.example', 'local', '']);
  const { devices } = (await lab.get('/api/v1/devices')).json;
  assert.deepEqual(devices.map(({ id, node }) => [id.slice(0, 8), node]), [['host-0-' + devices[0].id[7], 'here'], ['host-0-b', 'b'], ['host-0-c', 'c']]);
  assert.deepEqual(nodes.b.devices, [devices[1].id]);

  const runs = [];
  for (const node of ['here', 'b', 'c']) runs.push(await lab.submit(endless, { node }));
  const waiting = await lab.submit(small, { devices: [devices[1].id] });
  assert.deepEqual([waiting.host, waiting.devices[0].node, waiting.queue_position], ['b', 'b', 0]);
  await until(async () => (await lab.get('/api/v1/queue')).json.runs.length === 3, 'three runs are running');
  assert.deepEqual((await lab.get('/api/v1/queue')).json.runs, runs.map(({ id }) => id));
  const during = await nodesOf(lab);
  assert.deepEqual([during.b.state, during.b.running, during.b.queued, during.c.queued], ['running', runs[1].id, 1, 0]);
  for (const { id } of runs) await until(async () => (await lab.run(id)).measurements.length > 0, 'each of them measures');
  for (const { id } of runs) await lab.post(`/api/v1/runs/${id}/cancel`);
  for (const { id } of runs) await lab.reach(id, 'cancelled');
  await lab.reach(waiting.id, 'succeeded');
});

test('a sweep over machines has a run on each', async (t) => {
  const lab = await start(t);
  const answer = await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: small, nodes: ['here', 'c', 'b'] });
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(answer.json.nodes, ['here', 'c', 'b']);
  const { runs } = (await lab.get(answer.json.runs)).json;
  for (const { id } of runs) await lab.reach(id, 'succeeded');
  assert.deepEqual(runs.map(({ host }) => host).toReversed(), ['here', 'c', 'b']);
  const both = await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: small, nodes: ['here'], node: 'c' });
  assert.deepEqual([both.status, both.json.errors[0].pointer], [422, '/nodes']);
  const table = await execute('gpulab', ['nodes', '--server', lab.address]);
  assert.match(table.stdout, /^c +ssh user@c\.example +1 +idle/m);
  const devices = await execute('gpulab', ['devices', '--server', lab.address]);
  assert.match(devices.stdout, / machine *\n.* here\n.* b\n.* c\n/);

  const [here, b] = [(await lab.get('/api/v1/doctor')).json, (await lab.get('/api/v1/doctor?node=b')).json];
  const named = (examination, name) => examination.findings.find((finding) => finding.name === name);
  for (const each of [here, b]) assert.ok(named(each, 'temporary-disk') && each.works === each.findings.every(({ blocks }) => !blocks));
  assert.deepEqual([named(here, 'database-disk').group, named(b, 'database-disk')], ['works', undefined], 'only the lab has a database');
  assert.ok(!JSON.stringify([here, b]).includes(lab.folder), 'no path of a person');
  const refused = await Promise.all(['nobody', 'gone'].map((node) => lab.get(`/api/v1/doctor?node=${node}`)));
  assert.deepEqual(refused.map(({ status, json }) => [status, json.type]), [[404, '/problems/not-found'], [503, '/problems/not-examined']]);
  assert.match(refused[1].json.detail, /gone cannot be reached by ssh: .*No route to host/);
  const printed = await execute('gpulab', ['doctor', '--node', 'b', '--server', lab.address]);
  assert.match(printed.stdout, /^Works\n(  .*\n)*?  disk of \/tmp: .* free \(for program, mpi/m);
  await lab.reach((await lab.submit(small, { node: 'b' })).id, 'succeeded');
});

test('a machine that does not answer holds its runs only, and gets them when it is back', async (t) => {
  const lab = await start(t);
  const held = await until(async () => {
    const { gone } = await nodesOf(lab);
    return gone.state === 'held' && gone;
  }, 'the machine is held');
  assert.match(held.state_reason, /gone cannot be reached by ssh: .*No route to host/);
  assert.equal((await lab.get('/readyz')).status, 200);
  const other = await lab.submit(small, { node: 'b' });
  await lab.reach(other.id, 'succeeded');
  const unknown = await lab.post('/api/v1/runs', { experiment: 'transfer', node: 'gone' });
  assert.deepEqual([unknown.status, unknown.json.errors[0].code], [422, 'no-device']);
  writeFileSync(lab.back, '');
  await until(async () => (await nodesOf(lab)).gone.state === 'idle', 'the machine is back', 60);
  const run = await lab.submit(small, { node: 'gone' });
  await lab.reach(run.id, 'succeeded');

  const told = [];
  const receiver = http.createServer((request, response) => {
    request.setEncoding('utf8').on('data', (text) => told.push(JSON.parse(text))).on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  t.after(() => receiver.close());
  await once(receiver, 'listening');
  const address = `http://127.0.0.1:${receiver.address().port}/`;
  assert.equal((await lab.post('/api/v1/channels', { name: 'ops', kind: 'webhook', address, private: true })).status, 201);
  assert.equal((await lab.post('/api/v1/watches', { channel: 'ops', kind: 'node' })).status, 201);
  rmSync(lab.back);
  const connection = childrenOf(lab.pid).find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker-d'));
  process.kill(connection, 'SIGKILL');
  await until(() => !alive(connection), 'the connection has ended'); // a run that is given to it before fails
  const waiting = await lab.submit(small, { node: 'gone' }); // a lost machine is noticed when it is used
  await until(() => told.length > 0, 'the lost machine is told');
  assert.deepEqual(told.map(({ kind, host, title }) => [kind, host, title]), [['node', 'gone', 'No run can be started on gone']]);
  assert.match(told[0].text, /gone cannot be reached by ssh: .*No route to host/);
  assert.equal((await lab.run(waiting.id)).status, 'queued');
});

test('a lost connection fails the run on that machine; the next one works', async (t) => {
  const lab = await start(t);
  const [lost, kept] = [await lab.submit(endless, { node: 'b' }), await lab.submit(endless, { node: 'c' })];
  for (const { id } of [lost, kept]) await until(async () => (await lab.run(id)).measurements?.length > 0, 'it measures');
  const connection = childrenOf(lab.pid).find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker-b'));
  process.kill(connection, 'SIGKILL');
  const run = await lab.reach(lost.id, 'failed');
  assert.equal(run.error.type, '/problems/worker-died');
  assert.ok(run.measurements.length > 0, 'its measurements are kept');
  assert.equal((await lab.run(kept.id)).status, 'running');
  await lab.post(`/api/v1/runs/${kept.id}/cancel`);
  await lab.reach(kept.id, 'cancelled');
  await lab.reach((await lab.submit(small, { node: 'b' })).id, 'succeeded');
});

test('a machine without gpulab gets a copy of the worker, or the reason why not', async (t) => {
  const lab = await startNodes(t, 'ssh b worker=auto\nssh c worker=auto cache=/proc\n');
  await until(async () => (await nodesOf(lab)).b.state === 'idle', 'the worker was copied to the machine');
  await lab.reach((await lab.submit(small, { node: 'b' })).id, 'succeeded');
  const folders = readdirSync(join(lab.folder, '.cache/gpulab/workers'));
  assert.deepEqual([folders.length, /^[\d.]+-[0-9a-f]{16}$/.test(folders[0])], [1, true], folders.join());
  assert.ok(lab.log.includes(`the worker was copied to b: ${lab.folder}/.cache/gpulab/workers/${folders[0]}.`), lab.log);
  const c = await until(async () => {
    const node = (await nodesOf(lab)).c;
    return node.state === 'held' && node;
  }, 'the other machine is held');
  assert.match(c.state_reason, /^The worker cannot be copied to c: mkdir: cannot create directory '\/proc\/gpulab'/);
});

test('devices of a run are of one machine', async (t) => {
  const lab = await start(t);
  const { devices: [first, second] } = (await lab.get('/api/v1/devices')).json;
  const mixed = await lab.post('/api/v1/runs', { experiment: 'peer', devices: [first.id, second.id] });
  assert.deepEqual([mixed.status, mixed.json.errors[0].code], [422, 'several-nodes']);
  const wrong = await lab.post('/api/v1/runs', { experiment: 'transfer', devices: [first.id], node: 'b' });
  assert.deepEqual([wrong.status, wrong.json.errors[0].code], [422, 'several-nodes']);
  const nowhere = await lab.post('/api/v1/runs', { experiment: 'transfer', node: 'nowhere' });
  assert.deepEqual([nowhere.status, nowhere.json.errors[0].pointer], [422, '/node']);
});

test('a file of nodes that cannot be used is an error with its line', async (t) => {
  const place = new Place(t);
  const file = join(place.folder, 'nodes');
  for (const [text, message] of [['local\ntelnet gpu1\n', /nodes:2: .*telnet/], ['local\nlocal\n', /nodes:2: /], ['', /nodes/]]) {
    writeFileSync(file, text);
    const command = await place.gpulab(['serve', '--nodes', file, '--listen', '127.0.0.1:0', '--db', place.database]);
    assert.equal(command.code, USAGE, command.stderr);
    assert.match(command.stderr, message);
  }
  const several = await place.gpulab(place.run([], '--node', 'a', '--node', 'b'));
  assert.deepEqual([several.code, /--node: .*sweep/.test(several.stderr)], [USAGE, true], several.stderr);
  const nodes = await place.gpulab(['nodes', '--runtime', 'host', '--db', place.database]);
  assert.equal(nodes.code, SUCCESS, nodes.stderr);
  assert.match(nodes.stdout, /local +1 +idle/);
});
