// The source code of an experiment's steps: listed with the experiment, and served as the text of the file named.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { problem } from '../harness/expect.mjs';
import { Lab } from '../harness/lab.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const base = '/api/v1/experiments/matmul/sources';

let lab, sources;
before(async () => {
  lab = await Lab.start();
  ({ sources } = (await lab.get('/api/v1/experiments/matmul')).json);
});
after(() => lab.close());

test('sources are listed with their experiment, without their texts', async () => {
  for (const source of sources) {
    assert.deepEqual(Object.keys(source).sort(), ['backend', 'editable', 'explanation', 'files', 'step', 'title']);
    const { editable, ...texts } = source;
    assert.equal(typeof editable, 'boolean');
    for (const [name, value] of Object.entries(texts)) assert.ok(value.length > (name === 'files' ? 0 : 2), `${name} of ${source.step}`);
  }
  const places = sources.map(({ step, backend }) => `${backend} ${step}`);
  assert.equal(new Set(places).size, places.length, 'each step once for each backend');
  for (const place of ['cuda naive', 'cuda tiled-16', 'cuda cublas', 'host naive', 'host tiled-16', 'host blocked', 'host openblas'])
    assert.ok(places.includes(place), `${place} is among ${places}`);
  assert.deepEqual((await lab.get('/api/v1/experiments/transfer')).json.sources, []);
});

test('every step that has a source is a step of the experiment', async () => {
  const { parameters } = (await lab.get('/api/v1/experiments/matmul')).json;
  const { anyOf, enum: choices = anyOf[0].enum } = parameters.properties.step;
  assert.deepEqual(sources.filter(({ step }) => !choices.includes(step)), []);
});

/** The lines of a file that a source may show: without marks of regions. */
const lines = (file) => readFileSync(resolve(root, file), 'utf8').split('\n').filter((line) => !/^\/\/ (region|end) /.test(line));

test('each text has its files, each headed by its path, and nothing else', async () => {
  assert.ok(sources.length >= 10);
  for (const { step, backend, files } of sources) {
    const answer = await lab.get(`${base}/${step}?backend=${backend}`);
    assert.equal(answer.status, 200, `${backend} ${step}: ${answer.text}`);
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    const shown = answer.text.split('\n');
    assert.deepEqual(shown.filter((line) => line.startsWith('// kernels/')), files.map((file) => `// ${file}`), `${backend} ${step}`);
    const known = new Set(files.flatMap(lines));
    assert.deepEqual(shown.filter((line) => !line.startsWith('// kernels/') && !known.has(line)), [], `${backend} ${step}`);
  }
});

test('a whole file is shown but for what its other parts replace and for the step that it names; a region without the rest', async () => {
  const naive = (await lab.get(`${base}/naive?backend=cuda`)).text, whole = lines('kernels/experiments/matmul/naive.cu');
  const step = whole.findIndex((line) => line.startsWith('// step naive ')), code = whole.findIndex((line, at) => at > step && line.endsWith('*/')) + 1;
  assert.ok(step > 0 && whole[step + 1].startsWith('/* '), 'the step and its explanation');
  assert.equal(naive, ['// kernels/experiments/matmul/naive.cu', ...whole.slice(0, step), ...whole.slice(code)].join('\n'));
  const vectorized = (await lab.get(`${base}/vectorized?backend=cuda`)).text;
  assert.ok(vectorized.includes('load_float4') && !vectorized.includes('#include "copies.cuh"'));
  const mma = (await lab.get(`${base}/mma?backend=cuda`)).text;
  assert.ok(mma.includes('mma.sync') && !mma.includes('cudaLaunchKernelEx'), 'without launch code');
});

test('a benchmark has a source for each value of its axis variant', async () => {
  const { sources: own, parameters } = (await lab.get('/api/v1/experiments/stream')).json;
  const { anyOf } = parameters.properties.variant;
  for (const backend of ['cuda', 'host'])
    assert.deepEqual(own.filter((one) => one.backend === backend).map(({ step }) => step), anyOf[0].enum);
  const triad = (await lab.get('/api/v1/experiments/stream/sources/triad')).text;
  assert.ok(triad.includes('FOR_EACH_ELEMENT') && triad.includes('stream_triad') && !triad.includes('stream_copy'), triad);
});

test('without a backend the first source of the step is served', async () => {
  for (const step of new Set(sources.map((source) => source.step))) {
    const { backend } = sources.find((source) => source.step === step);
    const [first, named] = await Promise.all([lab.get(`${base}/${step}`), lab.get(`${base}/${step}?backend=${backend}`)]);
    assert.ok(first.bytes.equals(named.bytes), step);
  }
  assert.notEqual((await lab.get(`${base}/naive?backend=cuda`)).text, (await lab.get(`${base}/naive?backend=host`)).text);
});

test('the ETag stays the same while the lab runs, and HEAD answers like GET', async () => {
  const first = await lab.get(`${base}/naive?backend=host`);
  assert.match(first.headers.etag, /^".+"$/);
  await lab.complete();
  const again = await lab.get(`${base}/naive?backend=host`, { 'if-none-match': first.headers.etag });
  assert.deepEqual([again.status, again.bytes.length], [304, 0]);
  assert.equal((await lab.get(`${base}/naive`, { 'if-none-match': '"other"' })).status, 200);
  const head = await lab.request('HEAD', `${base}/naive?backend=host`);
  assert.deepEqual([head.status, head.bytes.length], [200, 0]);
  assert.equal(head.headers['content-length'], first.headers['content-length']);
});

test('an unknown experiment, step or backend is 404 and names what is unknown', async () => {
  const says = async (path, words) => assert.match(problem(await lab.get(path), 404).detail, words);
  await says('/api/v1/experiments/nothing/sources/naive', /^Experiment not found/);
  await says('/api/v1/experiments/transfer/sources/naive', /'transfer' has no sources/);
  await says(`${base}/nothing`, /^Step not found/);
  await says(`${base}/NAIVE`, /^Step not found/);
  await says(`${base}/cublas?backend=host`, /'cublas' has no source for this backend. It has one for 'cuda'/);
  await says(`${base}/openblas?backend=cuda`, /'openblas' has no source for this backend. It has one for 'host'/);
  problem(await lab.get(base), 404);
  problem(await lab.get(`${base}/naive/text`), 404);
});

test('an invalid query is refused with its pointer', async () => {
  problem(await lab.get(`${base}/naive?runtime=cuda`), 422, '/query/runtime');
  problem(await lab.get(`${base}/naive?backend=`), 422, '/query/backend');
  problem(await lab.get(`${base}/naive?backend=nothing`), 422, '/query/backend');
  problem(await lab.get(`${base}/naive?backend=cuda&backend=host`), 422, '/query/backend');
  problem(await lab.get('/api/v1/experiments/nothing/sources/nothing?x=1'), 422, '/query/x');
  problem(await lab.post(`${base}/naive`), 405);
});
