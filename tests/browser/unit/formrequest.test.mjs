// The body of the request that the form makes, for a run, a comparison and a sweep.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestOf } from '../../../static/modules/forms/request.js';
import { baseName, fieldsOf } from '../../../static/modules/text/schema.js';

const list = (item, rest) => ({ ...rest, anyOf: [item, { type: 'array', items: item }] });
const fields = fieldsOf({
  properties: {
    direction: list({ type: 'string', enum: ['h2d', 'd2h'] }, { default: ['h2d', 'd2h'] }),
    bytes: { type: 'integer', 'x-unit': 'B', default: 1024 },
    seed: { type: 'integer', default: 1 },
  },
});
const valued = (value) => ({ read: () => ({ value }) });
const wrong = (error) => ({ read: () => ({ error }) });
const fixed = (values) => new Map(Object.entries({
  devices: ['a'], direction: ['h2d', 'd2h'], bytes: 1024, seed: 1, tags: '', note: '', priority: 'normal', time_limit_s: '', ...values,
}).map(([name, value]) => [name, value?.read ? value : valued(value)]));
const request = (mode, values, varied = []) =>
  requestOf({ mode, experiment: { name: 'transfer' }, fields, fixed: fixed(values), varied: new Map(varied) });

test('a run has only what differs from the defaults', () => {
  const { body, sweep } = request('run', { bytes: 4096, tags: 'a, b', priority: 'low' });
  assert.deepEqual(body, { experiment: 'transfer', devices: ['a'], parameters: { bytes: 4096 }, tags: ['a', 'b'], priority: 'low' });
  assert.equal(sweep, false);
});

test('a request names the preset that filled in the form, and has only what differs from it', () => {
  const experiment = { name: 'transfer', presets: { quick: { bytes: 64, seed: 2 } } };
  const body = (mode, values, varied = []) => requestOf({ mode, experiment, fields, preset: 'quick', fixed: fixed(values), varied: new Map(varied) }).body;
  assert.deepEqual(body('run', { bytes: 64, seed: 2 }), { experiment: 'transfer', devices: ['a'], preset: 'quick', parameters: {} });
  assert.deepEqual(body('compare', { bytes: 1024, seed: 2 }).parameters, { bytes: 1024 }, 'a default that the preset replaces');
  assert.deepEqual(body('sweep', { bytes: 64, seed: wrong('hidden'), direction: ['h2d'] }, [['seed', valued([1, 2])]]).parameters, { direction: [['h2d']], seed: [1, 2] });
});

test('a comparison names what the base has otherwise', () => {
  assert.deepEqual(request('compare', {}, [['bytes', valued(4096)]]).body.compare_with, { parameters: { bytes: 4096 } });
  assert.deepEqual(request('compare', {}).body.compare_with, {});
  assert.deepEqual([...request('compare', {}, [['bytes', wrong('No.')]]).wrong], [[baseName('bytes'), ['No.']]]);
});

test('the devices of the base, and those of a sweep, with a run on each', () => {
  assert.deepEqual(request('compare', {}, [['devices', valued(['b'])]]).body.compare_with, { devices: ['b'] });
  const { body } = request('sweep', { devices: wrong('hidden') }, [['devices', valued(['a', 'b'])]]);
  assert.deepEqual([body.devices, body.parameters], [[['a'], ['b']], {}]);
});

test('a sweep has a list of values, and a list that is one value is wrapped', () => {
  const { body, sweep } = request('sweep', { direction: ['h2d'], bytes: wrong('hidden') }, [['bytes', valued([1024, 4096])]]);
  assert.deepEqual(body.parameters, { direction: [['h2d']], bytes: [1024, 4096] });
  assert.equal(sweep, true);
});

test('a run on any machine names neither machine nor devices', () => {
  const { body, sweep } = request('run', { node: undefined, devices: undefined });
  assert.deepEqual(body, { experiment: 'transfer', parameters: {} });
  assert.equal(sweep, false);
});

test('a run on each of several machines is a sweep over them', () => {
  const all = { node: undefined, devices: undefined, nodes: ['n1', 'n2'] };
  const { body, sweep } = request('run', { ...all, direction: ['h2d'] });
  assert.deepEqual(body, { experiment: 'transfer', nodes: ['n1', 'n2'], parameters: { direction: [['h2d']] } });
  assert.equal(sweep, true);
  const varied = request('sweep', all, [['bytes', valued([1024, 4096])]]).body;
  assert.deepEqual([varied.nodes, varied.parameters], [['n1', 'n2'], { bytes: [1024, 4096] }]);
});
