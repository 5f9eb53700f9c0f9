// server/api/API.md against the server: routes, metrics, axes, fields and error types, in both directions where possible.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Lab, small } from '../harness/lab.mjs';

const api = resolve(dirname(fileURLToPath(import.meta.url)), '../../server/api');
const text = readFileSync(join(api, 'API.md'), 'utf8');
const documented = [...text.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) (\/\S*) \|/gm)].map(([, method, path]) => `${method} ${path}`);

/** The part of the document below a heading, up to the next one. */
function section(heading) {
  const found = new RegExp(`^#+ ${heading}\\n([^]*?)(?=^#|(?![^]))`, 'm').exec(text);
  assert.ok(found, `API.md has no section ${heading}`);
  return found[1];
}
const rows = (heading) => section(heading).split('\n').filter((line) => line.startsWith('| ')).slice(1).map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
const names = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]);

let lab, experiments;
before(async () => {
  lab = await Lab.start();
  experiments = (await lab.get('/api/v1/experiments')).json.experiments;
});
after(() => lab.close());

test('every route of routes.c is in API.md, and every one of API.md in routes.c', () => {
  const source = readFileSync(join(api, 'routes.c'), 'utf8');
  const routes = [...source.matchAll(/\{"([A-Z]+)", "([^"]+)", LAB_ROUTE/g)].map(([, method, path]) => `${method} ${path}`);
  assert.ok(routes.length > 10);
  assert.deepEqual([...documented].sort(), [...routes].sort());
});

test('the server answers exactly the documented methods of each path', async () => {
  const methods = {};
  for (const [method, path] of documented.map((route) => route.split(' '))) (methods[path] ??= []).push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]));
  for (const [path, expected] of Object.entries(methods)) {
    const answer = await lab.request('OPTIONS', path.replace(/\{\w+\}/g, 'x'));
    assert.equal(answer.status, 405, path);
    assert.deepEqual(answer.headers.allow.split(', ').sort(), expected.sort(), path);
  }
});

test('metrics and axes are those of the experiments', () => {
  const metrics = new Set(experiments.flatMap((experiment) => experiment.metrics.map(({ unit, name }) => `${name} in ${unit}`)));
  const described = rows('Metrics').flatMap(([unit, cell]) => names(cell).map((name) => `${name} in ${unit}`));
  assert.deepEqual([...described].sort(), [...metrics].sort());
  const axes = new Set(experiments.flatMap((experiment) => experiment.axes.map(({ name }) => name)));
  assert.deepEqual(rows('Axes').flatMap(([cell]) => names(cell)).sort(), [...axes].sort());
});

test('the fields of devices and experiments are described', async () => {
  const devices = names(section('Devices')), fields = names(section('Experiments'));
  for (const device of (await lab.get('/api/v1/devices')).json.devices) {
    for (const name of Object.keys(device)) assert.ok(devices.includes(name), name);
  }
  for (const experiment of experiments) for (const name of Object.keys(experiment)) assert.ok(fields.includes(name), name);
});

test('the fields of runs and measurements are exactly those described', async () => {
  const done = await lab.complete(small);
  const { json } = await lab.get(`/api/v1/runs/${done.id}/measurements?samples=true`);
  const first = (heading) => rows(heading).flatMap(([cell]) => names(cell)).sort();
  assert.deepEqual(Object.keys(done).sort(), first('A run'));
  assert.deepEqual(Object.keys(json.measurements[0]).sort(), first('Measurements'));
  const [summary] = (await lab.get('/api/v1/runs?limit=1')).json.runs;
  assert.deepEqual(first('A run').filter((name) => !(name in summary)), ['environment', 'measurements']);
});

test('the fields of a new run, the filters of a list and the metrics of /metrics are those described', async () => {
  for (const [name] of rows('Creating a run').map(([cell]) => names(cell))) {
    const { json } = await lab.post('/api/v1/runs', { [name]: {}, colour: 'red' }); // invalid, so that no run is created
    const unknown = json.errors.filter((error) => error.code === 'unknown-field').map((error) => error.pointer);
    assert.deepEqual(unknown, ['/colour']);
  }
  for (const name of rows('Listing runs').flatMap(([cell]) => names(cell))) {
    const { json } = await lab.get(`/api/v1/runs?${name}=`);
    assert.ok(!(json.errors ?? []).some((error) => error.code === 'unknown-parameter'), name);
  }
  const exported = [...(await lab.get('/metrics')).text.matchAll(/^# TYPE (\w+)/gm)].map((match) => match[1]);
  assert.deepEqual(names(section('Service')).filter((name) => name.startsWith('gpulab_')).sort(), exported.sort());
});

test('the codes of problems in the source are described, and the other way round', () => {
  const folders = [api, resolve(api, '../http')];
  const files = folders.flatMap((folder) => readdirSync(folder).filter((name) => name.endsWith('.c')).map((name) => join(folder, name)));
  const source = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  for (const code of rows('Errors').flatMap(([, cell]) => names(cell))) assert.ok(source.includes(`"${code}"`), code);
  const described = names(section('Errors'));
  for (const [, code] of source.matchAll(/lab_respond_problem\(\s*response,\s*[\w]+,\s*"([^"]+)"/g)) assert.ok(described.includes(code), code);
  for (const [, code] of source.matchAll(/lab_request_reject\(\s*request,\s*\w+,\s*\w+,\s*"([^"]+)"/g)) assert.ok(described.includes(code), code);
});
