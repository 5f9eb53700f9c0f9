// The kernel of a form as the member `kernel` of a request, and back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PRESETS } from '../../../static/modules/text/kernelpresets.js';
import { argumentOf, sizesOf, vectorLayout, vectorName } from '../../../static/modules/text/kernelarguments.js';
import { compiledWith, draftOf, isDraft, kernelOf, sameDraft } from '../../../static/modules/text/ownkernel.js';

test('sizes are numbers or expressions, between commas outside parentheses', () => {
  assert.deepEqual(sizesOf('32, 8'), [32, 8]);
  assert.deepEqual(sizesOf('ceil_div(n, 32), min(n, (4, 5)), 1'), ['ceil_div(n, 32)', 'min(n, (4, 5))', 1]);
  assert.deepEqual(sizesOf(' '), []);
});

test('an edited source has a launch only where one is given', () => {
  const edits = 'transpose/padded';
  assert.deepEqual(kernelOf({ source: 'x', block: '', grid: '' }, edits), { edits, source: 'x' });
  assert.deepEqual(kernelOf({ source: 'x', block: '32, 4', grid: '8' }, edits), { edits, source: 'x', block: [32, 4], grid: [8] });
});

test('a kernel from nothing has its arguments, and its reference the same launch', () => {
  const { draft } = PRESETS.find(({ name }) => name === 'reduction');
  assert.deepEqual(kernelOf(draft, ''), {
    source: draft.source, expressions: 2, entry: 'reduce', grid: ['(n + 255) / 256'], block: [256], bytes: '4 * n', operations: 'n',
    arguments: [
      { name: 'in', kind: 'buffer', type: 'fp32', count: 'n', direction: 'in', content: 'random' },
      { name: 'sums', kind: 'buffer', type: 'fp32', count: '(n + 255) / 256', direction: 'out' },
      { name: 'n', kind: 'scalar', type: 'u32', value: 16777216 },
    ],
    reference: { entry: 'reduce_simple', grid: ['(n + 255) / 256'], block: [256] },
  });
});

test('what an output must be goes with the argument, and comes back', () => {
  const { draft } = PRESETS.find(({ name }) => name === 'reduction');
  const own = { ...draft, reference: '', arguments: draft.arguments.map((one) => ({ ...one, expected: ' 2 * in[i] ' })) };
  const [input, output, scalar] = kernelOf(own, '').arguments;
  assert.deepEqual([input.expected, output.expected, scalar.expected], [undefined, '2 * in[i]', undefined]);
  assert.equal(draftOf(kernelOf(own, '')).arguments[1].expected, '2 * in[i]');
  assert.equal(kernelOf(draftOf({ ...kernelOf(own, ''), arguments: [{ ...output, tolerance: 0.5 }] }), '').arguments[0].tolerance, 0.5);
});

test('a saved output is kept until an expression takes its place', () => {
  const { draft } = PRESETS.find(({ name }) => name === 'reduction');
  const { arguments: [input, output], ...kernel } = kernelOf({ ...draft, reference: '' }, '');
  const saved = { ...output, expected_data: 'AACAPw==', tolerance: 0.5, save: true };
  const again = draftOf({ ...kernel, arguments: [input, saved] });
  assert.deepEqual(kernelOf(again, '').arguments, [input, saved]);
  again.arguments[1].expected = 'in[i]';
  assert.deepEqual(kernelOf(again, '').arguments[1], { ...output, expected: 'in[i]', tolerance: 0.5, save: true });
});

test('options, files, clusters and cooperative launches are kept, macros as one text', () => {
  const kernel = {
    ...kernelOf(PRESETS[0].draft, ''), options: { std: 'c++20', fast_math: true, defines: ['TILE=8,16', 'FAST'] },
    files: { 'tile.cuh': '// a', 'lib/b.cuh': '' }, cluster: [2, 1], cooperative: true, check: 'void check(void) {}',
  };
  const draft = draftOf(kernel);
  assert.equal(draft.options.defines, 'TILE=8,16 FAST');
  assert.ok(isDraft(draft, ''));
  assert.deepEqual(kernelOf(draft, ''), kernel);
  assert.deepEqual(compiledWith(draft), { options: kernel.options, files: kernel.files });
  assert.deepEqual(compiledWith(PRESETS[0].draft), {});
  const empty = { ...PRESETS[0].draft, options: {}, files: [], cluster: '', cooperative: false };
  assert.ok(sameDraft(empty, PRESETS[0].draft));
  assert.ok(!sameDraft({ ...empty, cooperative: true }, PRESETS[0].draft));
  const edited = { edits: 'a/b', source: 's', options: { defines: ['FAST'] } };
  assert.deepEqual(kernelOf(draftOf(edited), 'a/b'), edited);
});

test('structures and variables come back as they were given', () => {
  const others = [
    { name: 's', kind: 'struct', fields: [{ name: 'lo', type: 'fp32', value: 0.5 }, { name: 'n', type: 'i64', value: 'n / 2' }], align: 16 },
    { name: 'taps', kind: 'variable', type: 'fp32', direction: 'in', values: [1, 2.5] },
    { name: 'table', kind: 'variable', type: 'i32', count: '2 * n', direction: 'inout', content: 'value', value: 7 },
    { name: 'key', kind: 'scalar', type: 'u64', value: '18446744073709551615' },
  ];
  const kernel = { ...kernelOf(PRESETS[0].draft, ''), arguments: others };
  assert.ok(isDraft(draftOf(kernel), ''));
  const again = kernelOf(draftOf(kernel), '');
  assert.deepEqual(again.arguments[0], { ...others[0], fields: [{ name: 'lo', type: 'fp32', value: '0.5' }, others[0].fields[1]] });
  assert.deepEqual(again.arguments.slice(1), others.slice(1));
  assert.deepEqual(again.arguments, kernelOf(draftOf(again), '').arguments);
});

test('textures, surfaces and tables come back as they were given', () => {
  const list = [
    { name: 'image', kind: 'texture', type: 'u8', extent: ['w', 'h'], channels: 4, memory: 'array', filter: 'linear', address: 'wrap', coordinates: 'normalized', read: 'normalized-float', content: 'ramp' },
    { name: 'table', kind: 'texture', type: 'fp32', extent: [4096], memory: 'linear', content: 'random' },
    { name: 'out', kind: 'surface', type: 'u32', extent: ['n', 'n'], layers: 2, direction: 'inout', content: 'zero', expected: 'out[i] + 1' },
    { name: 'c', kind: 'table', type: 'fp32', buffers: 'batch', count: 'n * n', direction: 'out', expected: '0' },
    { name: 'x', kind: 'buffer', type: 'u8', count: 2, direction: 'in', content: 'data', data: 'AQI=' },
  ];
  const kernel = { ...kernelOf(PRESETS[0].draft, ''), arguments: list };
  assert.ok(isDraft(draftOf(kernel), ''));
  assert.deepEqual(kernelOf(draftOf(kernel), '').arguments, list);
});

test('a texture has one address mode, or one for each dimension where they differ', () => {
  const image = { name: 'image', kind: 'texture', type: 'fp32', extent: ['n', 4], memory: 'array', filter: 'point', address: ['wrap', 'clamp'], coordinates: 'normalized', read: 'element', content: 'random' };
  const base = kernelOf(PRESETS[0].draft, '');
  const again = draftOf({ ...base, arguments: [image] });
  assert.deepEqual([again.arguments[0].address, again.arguments[0].address_y], ['wrap', 'clamp']);
  assert.deepEqual(kernelOf(again, '').arguments, [image]);
  again.arguments[0].address_y = '';
  again.arguments[0].address_z = 'clamp'; // of a dimension that it has no more
  assert.equal(kernelOf(again, '').arguments[0].address, 'wrap');
  assert.ok(isDraft(again, ''));
});

test('a vector has the alignment of all its elements, or of one where they are three', () => {
  const layout = (name) => vectorLayout(name).fields.map(({ name: field, type }) => `${field} ${type}`).join() + ` ${vectorLayout(name).align}`;
  assert.deepEqual(['float4', 'double2', 'uchar4', 'int3', 'half2', 'ulonglong4'].map(layout), [
    'x fp32,y fp32,z fp32,w fp32 16', 'x fp64,y fp64 16', 'x u8,y u8,z u8,w u8 4', 'x i32,y i32,z i32 4', 'x fp16,y fp16 4', 'x u64,y u64,z u64,w u64 16',
  ]);
  assert.equal(vectorName({ ...vectorLayout('float3', '2') }), 'float3');
  assert.equal(vectorName({ ...vectorLayout('float4'), align: '' }), '');
});

test('a text that is no number is sent as it is, so that the lab refuses it with its place', () => {
  assert.deepEqual(argumentOf({ name: 'v', kind: 'variable', type: 'fp32', direction: 'in', values: '1, x' }).values, [1, 'x']);
  assert.equal(argumentOf({ name: 's', kind: 'struct', fields: [], align: 'wide' }).align, 'wide');
});

test('a reference has what is its own, and comes back', () => {
  const reference = { source: '__global__ void simple() {}', entry: 'simple', grid: [1], block: [32, 2], shared: 64, cooperative: true, tolerance: 0.5 };
  const kernel = { ...kernelOf({ ...PRESETS[1].draft, shared: '16' }, ''), reference, sanitize: true };
  const draft = draftOf(kernel);
  assert.deepEqual([draft.reference_block, draft.reference_shared, draft.reference_tolerance], ['32, 2', '64', '0.5']);
  assert.deepEqual(kernelOf(draft, ''), kernel);
  const { entry, ...nameless } = reference;
  assert.deepEqual(kernelOf(draftOf({ ...kernel, reference: nameless }), '').reference, nameless, entry);
  assert.deepEqual(kernelOf(draftOf({ edits: 'a/b', source: 's', sanitize: true }), 'a/b'), { edits: 'a/b', source: 's', sanitize: true });
});

test('a scalar with several values is a list, one with an expression a text', () => {
  const value = (text) => kernelOf({ ...PRESETS[0].draft, arguments: [{ name: 'n', kind: 'scalar', type: 'u32', value: text }] }, '').arguments[0].value;
  assert.deepEqual(value('1024, 2048'), [1024, 2048]);
  assert.equal(value('64'), 64);
  assert.equal(value('2.0'), '2.0');
});

test('the draft of a request makes the same request', () => {
  for (const { draft } of PRESETS) {
    const kernel = kernelOf(draft, '');
    const again = draftOf(kernel);
    assert.ok(isDraft(again, ''));
    assert.deepEqual(kernelOf(again, ''), kernel);
  }
  const edited = { edits: 'a/b', source: 's', block: [1, 2], grid: [3] };
  assert.deepEqual(kernelOf(draftOf(edited), 'a/b'), edited);
});

test('the draft of a stored kernel keeps the version of its expressions', () => {
  const kernel = { ...kernelOf(PRESETS[1].draft, ''), expressions: 1 };
  assert.equal(kernelOf(draftOf(kernel), '').expressions, 1);
  const { expressions, ...without } = kernel;
  assert.equal(expressions, 1);
  assert.ok(!('expressions' in kernelOf(draftOf(without), '')));
});

test('other values are no drafts', () => {
  assert.ok(isDraft({ source: '', block: '', grid: '' }, 'a/b'));
  for (const value of [null, 1, {}, { source: 1, block: '', grid: '' }]) assert.ok(!isDraft(value, 'a/b'));
  for (const one of [{ name: 1 }, { name: 's', kind: 'struct' }, { name: 's', kind: 'struct', fields: [null] }, { name: 'v', kind: 'variable', values: [{}] }, { name: 'b', kind: 'buffer', type: 1 }])
    assert.ok(!isDraft({ ...PRESETS[0].draft, arguments: [one] }, ''), JSON.stringify(one));
});
