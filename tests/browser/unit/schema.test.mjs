// Form fields from the parameter schema, and values from input.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as schema from '../../../static/modules/text/schema.js';

const list = (item, rest) => ({
  ...rest,
  anyOf: [item, { type: 'array', items: item, minItems: 1, uniqueItems: true }],
});

const SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    direction: list(
      { type: 'string', enum: ['h2d', 'd2h', 'd2d'] },
      { title: 'Direction', description: 'Which way.', default: ['h2d', 'd2h'] },
    ),
    opposing: list({ type: 'boolean' }, { title: 'Other direction', default: [false] }),
    min_bytes: { title: 'Smallest size', type: ['integer', 'string'], minimum: 1, maximum: 2 ** 40, 'x-unit': 'B', default: 1024 },
    chunks: list({ type: 'integer', minimum: 1, maximum: 64 }, { default: [4] }),
    max_noise: { title: 'Noise', type: 'number', minimum: 0, maximum: 1, default: 0.005, 'x-advanced': true },
    trace: { type: 'boolean', default: false },
  },
};

const fields = schema.fieldsOf(SCHEMA);
const field = (name) => fields.find((candidate) => candidate.name === name);

test('each property becomes a suitable control, in the order of the schema', () => {
  assert.deepEqual(
    fields.map(({ name, input }) => [name, input]),
    [
      ['direction', 'choices'],
      ['opposing', 'flags'],
      ['min_bytes', 'size'],
      ['chunks', 'numbers'],
      ['max_noise', 'number'],
      ['trace', 'flag'],
    ],
  );
  assert.deepEqual(field('direction').choices, ['h2d', 'd2h', 'd2d']);
  assert.equal(field('chunks').maximum, 64);
  assert.equal(field('chunks').title, 'Chunks');
  assert.equal(field('max_noise').advanced, true);
  assert.equal(field('direction').help, 'Which way.');
});

test('a default value written to a control and read again is the same', () => {
  for (const one of fields) {
    const { value, error } = schema.fromControl(one, schema.toControl(one, one.defaultValue));
    assert.equal(error, undefined, one.name);
    assert.deepEqual(value, one.defaultValue, one.name);
  }
});

test('an empty field means its default', () => {
  assert.deepEqual(schema.fromControl(field('min_bytes'), '  '), { value: 1024 });
  assert.deepEqual(schema.fromControl(field('chunks'), ''), { value: [4] });
});

test('an error message says what is wrong and what is allowed', () => {
  assert.match(schema.fromControl(field('min_bytes'), '12 apples').error, /not a size/);
  assert.match(schema.fromControl(field('min_bytes'), '99999999999999999999').error, /out of range; allowed: 1\sB to 1\sTiB/);
  assert.match(schema.fromControl(field('min_bytes'), '0.1 KiB').error, /not a whole number/);
  assert.match(schema.fromControl(field('min_bytes'), '0').error, /allowed: 1\sB to 1\sTiB/);
  assert.match(schema.fromControl(field('max_noise'), '2').error, /allowed: 0 to 1/);
  assert.match(schema.fromControl(field('max_noise'), '0x1').error, /not a number/);
  assert.match(schema.fromControl(field('chunks'), '1, 2, 2').error, /twice/);
  assert.match(schema.fromControl(field('chunks'), '1, 1.5').error, /“1.5” is not a whole number/);
  assert.match(schema.fromControl(field('chunks'), ',').error, /Required/);
  assert.match(schema.fromControl(field('direction'), []).error, /at least one/);
});

test('lists are separated by commas or semicolons', () => {
  assert.deepEqual(schema.fromControl(field('chunks'), '1, 2 ; 64'), { value: [1, 2, 64] });
  assert.deepEqual(schema.fromControl(field('max_noise'), '1e-3'), { value: 0.001 });
  assert.match(schema.fromControl(field('max_noise'), '1K').error, /not a number/);
  assert.deepEqual(schema.fromControl(field('chunks'), '2^5, 1e1'), { value: [32, 10] });
});

test('a request contains only parameters that differ from the defaults', () => {
  const values = {
    direction: ['d2h', 'h2d'],
    opposing: [false],
    min_bytes: 2048,
    chunks: [4, 8],
    max_noise: 0.005,
    trace: true,
  };
  assert.deepEqual(schema.changed(fields, values), { min_bytes: 2048, chunks: [4, 8], trace: true });
});

test('errors of a problem document are assigned to fields by pointer', () => {
  const { fields: found, other } = schema.errorsByField(
    [
      { pointer: '/parameters/min_bytes', detail: 'too small' },
      { pointer: '/parameters/direction/1', detail: 'unknown' },
      { pointer: '/parameters/direction', detail: 'twice' },
      { pointer: '/devices/0', detail: 'no such device' },
      { pointer: '/parameters/nonsense', detail: 'unknown parameter' },
      { detail: 'general' },
    ],
    [...fields.map(({ name }) => name), 'devices'],
  );
  assert.deepEqual(
    [...found],
    [
      ['min_bytes', ['too small']],
      ['direction', ['unknown', 'twice']],
      ['devices', ['no such device']],
    ],
  );
  assert.deepEqual(other, ['unknown parameter (/parameters/nonsense)', 'general']);
});

test('a 0 that the description defines is shown and read as its words', () => {
  const count = { type: ['integer', 'string'], minimum: 0, maximum: 16, default: 0, description: 'Devices that take part. 0: all.' };
  const rest = { type: 'number', 'x-unit': 's', minimum: 0, maximum: 10, default: 0, description: 'A pause. 0: automatic, 100 us or longer.' };
  const noise = { type: 'number', minimum: 0, default: 0, description: 'At most 0.05: small.' };
  const [one, list_, pause, plain] = schema.fieldsOf({ properties: { one: count, list_: list(count, count), rest, noise } });
  assert.deepEqual([one.zero, list_.zero, pause.zero, plain.zero], ['all', 'all', 'automatic', null]);
  assert.equal(schema.toControl(one, 0), 'all');
  assert.equal(schema.toControl(list_, [0, 2]), 'all, 2');
  assert.deepEqual(schema.fromControl(one, ' All'), { value: 0 });
  assert.deepEqual(schema.fromControl(one, '0'), { value: 0 });
  assert.deepEqual(schema.fromControl(list_, '1, all'), { value: [1, 0] });
  assert.equal(schema.fromControl(list_, '1, 17').error, '“17” is out of range; allowed: all, or 1 to 16.');
  assert.equal(schema.fieldValueText(one, 0), 'all');
  assert.deepEqual([schema.boundsText(one), schema.boundsText(pause)], ['1 to 16', 'at most 10 s']);
});

test('a swept field takes several values and has no default', () => {
  const swept = schema.sweptField(field('min_bytes'));
  assert.equal(swept.input, 'sizes');
  assert.deepEqual(schema.fromControl(swept, '4 KiB, 1 MiB'), { value: [4096, 1048576] });
  assert.ok(schema.fromControl(swept, '').error);
  assert.equal(schema.sweptField(field('trace')).input, 'flags');
});

test('errors of the base of a comparison have names of their own', () => {
  const { fields: found } = schema.errorsByField([{ pointer: '/compare_with/parameters/chunks/0', detail: 'Too many.' }], [schema.baseName('chunks')]);
  assert.deepEqual([...found], [[schema.baseName('chunks'), ['Too many.']]]);
});

test('a description has the words of the form: names of buttons and titles of other parameters', () => {
  const [opposing, peer, smallest] = schema.fieldsOf({ properties: {
    opposing: list({ type: 'boolean' }, { description: 'false: one at a time. true: both at once.' }),
    other: { type: 'boolean', description: 'true: direct; false: through host memory.' },
    min_bytes: { title: 'Smallest size', description: 'Set it equal to max_bytes to measure one size; see no_such_name.', type: 'integer' },
    max_bytes: { title: 'Largest size', type: 'integer' },
  } });
  assert.equal(opposing.help, 'opposite direction idle: one at a time. opposite direction busy: both at once.');
  assert.equal(peer.help, 'yes: direct; no: through host memory.');
  assert.equal(smallest.help, 'Set it equal to “Largest size” to measure one size; see no_such_name.');
});

test('members that may be absent are empty by default, and a request has only what was given', () => {
  const properties = {
    std: { type: 'string', enum: ['c++17', 'c17'] },
    defines: { type: 'array', items: { type: 'string', maxLength: 256 } },
    libraries: { type: 'array', items: { type: 'string', enum: ['cublas', 'nvidia-ml'] } },
    optimize: { type: 'integer', minimum: 0, maximum: 3, default: 3 },
    openmp: { type: 'boolean' },
    max_registers: { type: 'integer', minimum: 16 },
    stdin: { type: 'string', maxLength: 262144 },
  };
  const fields = schema.optionalFieldsOf({ properties });
  assert.deepEqual(fields.map(({ input }) => input), ['choice', 'texts', 'choices', 'number', 'flag', 'number', 'lines']);
  const empty = fields.map((field) => schema.fromControl(field, schema.toControl(field, field.defaultValue)));
  assert.deepEqual(empty.map(({ value }) => value), ['', [], [], 3, false, '', '']);
  const values = (states) => Object.fromEntries(fields.map((field, at) => [field.name, schema.fromControl(field, states[at]).value]));
  assert.deepEqual(schema.changed(fields, values(['', '', [], '3', false, '', ''])), {});
  assert.deepEqual(schema.changed(fields, values(['c17', 'A=1, B', ['cublas'], '0', true, '32', ' as it is\n'])),
    { std: 'c17', defines: ['A=1', 'B'], libraries: ['cublas'], optimize: 0, openmp: true, max_registers: 32, stdin: ' as it is\n' });
  assert.match(schema.fromControl(fields[5], '8').error, /out of range/);
});

test('errors of a program belong to its fields', () => {
  const errors = ['/program/options/std', '/program/options/defines/1', '/program/stdin', '/program/arguments/0', '/program/files'].map((pointer, at) => ({ pointer, detail: `${at}` }));
  const { fields, other } = schema.errorsByField(errors, ['std', 'defines', 'stdin', 'arguments']);
  assert.deepEqual([...fields], [['std', ['0']], ['defines', ['1']], ['stdin', ['2']], ['arguments', ['3']]]);
  assert.deepEqual(other, ['4 (/program/files)']);
});
