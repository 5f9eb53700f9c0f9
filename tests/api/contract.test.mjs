// server/api/API.md against the OpenAPI document and the server: routes, fields, metrics, axes and error types.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { errorCodes } from '../harness/error_codes.mjs';
import { Lab, small } from '../harness/lab.mjs';
import { Description } from '../harness/openapi.mjs';

const folder = resolve(dirname(fileURLToPath(import.meta.url)), '../../server/api');
const text = readFileSync(join(folder, 'API.md'), 'utf8');
const documented = [...text.matchAll(/^\| (GET|POST|PUT|PATCH|DELETE) (\/\S*) \|/gm)].map(([, method, path]) => `${method} ${path}`);

/** The part of the document below a heading, up to the next one. */
function section(heading) {
  const found = new RegExp(`^#+ ${heading}\\n([^]*?)(?=^#|(?![^]))`, 'm').exec(text);
  assert.ok(found, `API.md has no section ${heading}`);
  return found[1];
}
const rows = (heading) => section(heading).split('\n').filter((line) => line.startsWith('| ')).slice(1).map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
const names = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]);

/** Problems that no route has, by status: they are about methods that a path does not have. */
const unrouted = new Map([['405', ['method-not-allowed']], ['501', ['unknown-method']]]);

let lab, api, experiments;
before(async () => {
  lab = await Lab.start();
  api = await Description.of(lab);
  const listed = (await lab.get('/api/v1/experiments')).json.experiments;
  experiments = await Promise.all(listed.map(async ({ name }) => (await lab.get(`/api/v1/experiments/${name}`)).json));
});
after(() => lab.close());

test('every route of the OpenAPI document is in API.md, and the other way round', () => {
  assert.ok(api.operations.length > 10);
  assert.deepEqual([...documented].sort(), api.operations.map(({ method, path }) => `${method} ${path}`).sort());
});

test('each route of API.md has the status of its first answer', () => {
  for (const { method, path, responses } of api.operations) {
    const [, status] = new RegExp(`^\\| ${method} ${path.replace(/[{}.]/g, '\\$&')} \\| (\\d+) \\|`, 'm').exec(text);
    assert.ok(responses[status], `${method} ${path}: ${status}`);
  }
});

test('metrics and axes are those of the experiments', () => {
  const metrics = new Set(experiments.flatMap((experiment) => experiment.metrics.map(({ unit, name }) => `${name} in ${unit}`)));
  const described = rows('Metrics').flatMap(([unit, cell]) => names(cell).map((name) => `${name} in ${unit}`));
  assert.deepEqual([...described].sort(), [...metrics].sort());
  const axes = new Set(experiments.flatMap((experiment) => experiment.axes.map(({ name }) => name)));
  assert.deepEqual(rows('Axes').flatMap(([cell]) => names(cell)).sort(), [...axes].sort());
});

test('metrics say whether a higher or a lower value is better', () => {
  const better = Object.fromEntries(experiments.flatMap(({ metrics }) => metrics.map((metric) => [metric.name, metric.better])));
  assert.deepEqual(
    ['bandwidth', 'speedup', 'time', 'energy', 'max_error', 'bound', 'predicted_time', 'registers'].map((name) => better[name]),
    ['higher', 'higher', 'lower', 'lower', 'lower', null, null, null]);
});

test('the commands of README.md name presets that the experiments have', () => {
  const readme = readFileSync(resolve(folder, '../../README.md'), 'utf8');
  const commands = [...readme.matchAll(/gpulab (?:run|sweep) (\S+)[^\n]*? --preset (\S+)/g)];
  assert.ok(commands.some(([, , preset]) => preset === 'source'));
  for (const [command, name, preset] of commands) {
    assert.ok(experiments.find((experiment) => experiment.name === name)?.presets[preset], command);
  }
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
  assert.deepEqual(first('A run').filter((name) => !(name in summary)), ['environment', 'findings', 'measurements', 'messages', 'output']);
});

test('the fields of a new run and the filters of a list are those described', async () => {
  const cells = (heading) => rows(heading).flatMap(([cell]) => names(cell)).sort();
  assert.deepEqual(cells('Creating a run'), Object.keys(api.document.components.schemas.NewRun.properties).sort());
  const list = api.operations.find(({ operationId }) => operationId === 'get_runs');
  assert.deepEqual(cells('Listing runs'), list.parameters.map(({ name }) => name).sort());
});

test('the codes with a status are those that routes answer with, in the OpenAPI document and in the source', () => {
  const table = errorCodes().filter(({ status }) => status > 0).map(({ name, status }) => `${status} ${name}`);
  const routed = api.operations.flatMap(({ responses }) => Object.entries(responses)
    .flatMap(([status, { description }]) => [...description.matchAll(/^`([a-z-]+)`: /gm)].map(([, code]) => `${status} ${code}`)));
  const others = [...unrouted].flatMap(([status, codes]) => codes.map((code) => `${status} ${code}`));
  assert.deepEqual([...new Set([...routed, ...others])].sort(), table.sort());
  assert.deepEqual(api.document.components.schemas.ErrorCode.enum, errorCodes().map(({ name }) => name));
  const source = readdirSync(resolve(folder, '..'), { recursive: true }).filter((name) => /^(api|http)\/.*\.c$/.test(name))
    .map((name) => readFileSync(resolve(folder, '..', name), 'utf8')).join('\n');
  const used = [/lab_respond_problem\(\s*response,\s*LAB_ERROR_(\w+)/g, /lab_request_reject\(\s*request,\s*\w+,\s*LAB_ERROR_(\w+)/g]
    .flatMap((call) => [...source.matchAll(call)].map(([, value]) => errorCodes().find((code) => code.value === value)));
  assert.ok(used.length > 40);
  assert.deepEqual(used.filter(({ status }) => status === 0), []);
});

test('API.md has each status of an error', () => {
  const described = rows('Errors').map(([status]) => status.slice(0, 3));
  assert.deepEqual(described, [...new Set(errorCodes().map(({ status }) => status).filter((status) => status > 0))].sort().map(String));
});

test('API.md has the noise of counters that the schema of a comparison names', () => {
  const { description } = api.document.components.schemas.ComparedPoint.properties.counters;
  const [, noise] = /more than (0\.\d+) of the whole/.exec(description);
  assert.ok(text.includes(`more than their noise, which is ${noise}: of shares ${noise}, `), noise);
});
