// gpulab compare, export and import, against a server that gives the answers of the contract.
import assert from 'node:assert/strict';
import http from 'node:http';
import { test } from 'node:test';
import { comparisonOf, serveAnswers } from '../harness/answers.mjs';
import { ERROR, FAILED, Place, SUCCESS, USAGE } from '../harness/cli.mjs';

/** Serves `routes` as serveAnswers does; returns {requests, gpulab}: the requests, and a function that runs a command
 * against it. */
async function serve(t, routes) {
  const { requests, address } = await serveAnswers(t, routes), place = new Place(t);
  return { requests, gpulab: (...args) => place.gpulab([...args, '--server', address]) };
}

const ids = { base: '01993c2f-1a2b-7abc-8000-000000000001', head: '01993c30-1a2b-7abc-8000-000000000002' };
const run = (id) => ({ id, experiment: 'transfer', status: 'succeeded', created_at: '2026-01-31T12:00:00.000000Z',
  devices: [{ id: 'GPU-1', name: 'NVIDIA H200', node: 'n1' }], headline: [{ title: 'Copy', metric: 'bandwidth', unit: 'GB/s', value: 26.31 }] });

const comparison = (verdicts) => comparisonOf({ base: run(ids.base), head: run(ids.head) }, verdicts);

/** The routes by which runs are found, and the comparison. */
const routes = (verdicts) => ({
  'GET /api/v1/runs': ({ q, status }) => ({ runs: Object.values(ids).filter((id) => (status ? id === ids.head : id.startsWith(q))).map(run), next: null }),
  [`GET /api/v1/runs/${ids.base}`]: () => run(ids.base),
  [`GET /api/v1/runs/${ids.head}`]: () => run(ids.head),
  'GET /api/v1/compare': () => comparison(verdicts),
});

test('compare prints environment, points and a summary, and exits with 1 where a point is slower', async (t) => {
  const { gpulab, requests } = await serve(t, routes(['same', 'slower', 'unclear']));
  const command = await gpulab('compare', ids.base, ids.head, '--minimum-effect', '0.02');
  assert.equal(command.code, FAILED, command.stderr);
  assert.equal(command.stderr, '');
  assert.match(command.stdout, /^base +01993c2f-1a2b-7abc-8000-000000000001 +[0-9]+ d +NVIDIA H200$/m);
  assert.ok(command.stdout.indexOf('driver') < command.stdout.indexOf('bandwidth, GB/s'), 'the environment comes first');
  assert.match(command.stdout, /^driver +570\.1 +580\.2$/m);
  assert.match(command.stdout, /^warning: throttled$/m);
  assert.match(command.stdout, /^ *8192 +20\.00 +18\.00 +0\.9000 +0\.881 to 0\.919 +1\.4 % +slower$/m);
  assert.match(command.stdout, /\n3 points: 1 slower, 0 faster, 1 same, 1 unclear; together slower\n2 points only in head\nFAILED: 1 points are slower\n$/);
  assert.match(command.stdout, /^unclear, 1 points: wide; 3\.44 times the time budget would probably decide it$/m);
  for (const line of command.stdout.split('\n')) assert.ok([...line].length <= 80, line);
  assert.deepEqual(requests.at(-2).query, { base: ids.base, head: ids.head, minimum_effect: '0.02' });
});

test('compare prints the hardware counters that differ, of the first three points', async (t) => {
  const found = comparison(['same', 'slower', 'same', 'faster']), change = { name: 'sectors_per_store', title: 'Sectors per store', unit: '1', base: 32, head: 4 };
  const counted = (count) => ({ ...found, points: found.points.map((point, at) => ({ ...point, counters: at < count ? [change] : null })) });
  const lines = async (answer, ...options) => {
    const { gpulab } = await serve(t, { ...routes([]), 'GET /api/v1/compare': () => answer });
    return (await gpulab('compare', ids.base, ids.head, '--fail-on', 'none', ...options)).stdout.split('\n');
  };
  const all = await lines(counted(4));
  assert.equal(all.filter((line) => /^Sectors per store +32\.00 +4\.000 +0\.1250$/.test(line)).length, 3, all.join('\n'));
  assert.ok(all.includes('Counters of 1 further points differ; --json has them.'));
  const one = await lines(counted(4), '--only', 'slower');
  assert.equal(one.filter((line) => line.startsWith('Sectors per store')).length, 1);
  assert.ok(!(await lines(counted(0))).some((line) => line.includes('hardware counter')));
});

test('compare --fail-on says what gives the exit code 1', async (t) => {
  const cases = [
    [['slower', 'unclear'], {}, { none: 0, unclear: 1, wrong: 0, slower: 1, 'wrong,unclear': 1 }, /^FAILED: 1 points are (slower|unclear)$/m],
    [['same', 'unclear'], {}, { default: 0, slower: 0, unclear: 1, 'slower,wrong,unclear': 1 }, /^FAILED: 1 points are unclear$/m],
    [['same'], { head: { wrong_count: 3, status: 'failed' } }, { default: 1, slower: 0, wrong: 1, none: 0 }, /^FAILED: 3 results of the head are wrong$/m],
    [['same'], { base: { wrong_count: 0, status: 'failed' } }, { default: 1, 'slower,unclear': 0 }, /^FAILED: the base failed$/m],
    [['same'], { head: { wrong_count: 0, status: 'cancelled' } }, { default: 0 }],
    [[], {}, { default: 0, unclear: 1 }, /^FAILED: no point was compared$/m],
  ];
  for (const [verdicts, sides, codes, said] of cases) {
    const found = comparison(verdicts), answer = { ...found, base: { ...found.base, ...sides.base }, head: { ...found.head, ...sides.head } };
    const { gpulab } = await serve(t, { ...routes(verdicts), 'GET /api/v1/compare': () => answer });
    for (const [list, code] of Object.entries(codes)) {
      const options = list === 'default' ? [] : ['--fail-on', list], text = await gpulab('compare', ids.base, ids.head, ...options);
      assert.equal(text.code, code, `${list}: ${text.stdout}${text.stderr}`);
      if (code === FAILED) assert.match(text.stdout, said ?? /FAILED/);
      else assert.doesNotMatch(text.stdout, /FAILED/);
      assert.equal((await gpulab('compare', ids.base, ids.head, '--json', ...options)).code, code, list);
    }
  }
});

test('compare refuses a --fail-on that is no list of findings', async (t) => {
  const { gpulab } = await serve(t, routes(['same']));
  for (const list of ['', 'faster', 'slower,', 'none,slower', 'slower wrong']) {
    const command = await gpulab('compare', ids.base, ids.head, '--fail-on', list);
    assert.equal(command.code, USAGE, list);
    assert.match(command.stderr, /--fail-on/);
  }
});

test('compare says once, first, that samples are missing, and each reason once', async (t) => {
  const missing = { ...comparison(['unclear', 'unclear', 'same', 'unclear']), samples_missing: { base: 2, head: 0 } };
  for (const point of missing.points.slice(0, 2)) Object.assign(point, { reason: 'the base has no samples', detectable: null, needed: null });
  const { gpulab } = await serve(t, { ...routes([]), 'GET /api/v1/compare': () => missing });
  const { stdout } = await gpulab('compare', ids.base, ids.head);
  assert.match(stdout, /^NO SAMPLES: base has none at 2 points, and nothing can be judged without\.\n/);
  assert.equal(stdout.match(/NO SAMPLES/g).length, 1);
  assert.match(stdout, /gpulab export/);
  assert.deepEqual(stdout.match(/^unclear, .*$/gm), [
    'unclear, 2 points: the base has no samples', 'unclear, 1 points: wide; 3.44 times the time budget would probably decide it']);
  assert.doesNotMatch((await gpulab('compare', ids.base, ids.head, '--only', 'same')).stdout, /^unclear, /m);
});

test('compare rounds what would have been found, and does not promise that very much time decides', async (t) => {
  const { gpulab } = await serve(t, { ...routes([]), 'GET /api/v1/compare': () => {
    const found = comparison(['same', 'unclear', 'unclear', 'same']);
    found.points.forEach((point, i) => Object.assign(point, { detectable: [0.0999, 3.4444, 12.5, null][i], needed: [null, 2, 1e6, null][i] }));
    return found;
  } });
  const { stdout } = await gpulab('compare', ids.base, ids.head);
  assert.deepEqual([...stdout.matchAll(/0\.919 +(\S.*?) +(?:same|unclear)$/gm)].map(([, text]) => text), ['10 %', '344 %', '1250 %', '-']);
  assert.match(stdout, /^unclear, 2 points: wide; over 100 times the time budget would probably decide all$/m);
});

test('compare exits with 0 where no point is slower; --only selects points', async (t) => {
  const { gpulab } = await serve(t, routes(['same', 'faster']));
  const command = await gpulab('compare', ids.base, ids.head, '--only', 'faster');
  assert.equal(command.code, SUCCESS, command.stderr);
  assert.match(command.stdout, / faster$/m);
  assert.doesNotMatch(command.stdout, / same$/m);
  assert.match(command.stdout, /^2 points: /m);
});

test('compare takes the latest run that succeeded where HEAD is missing, and passes on "pinned"', async (t) => {
  const { gpulab, requests } = await serve(t, routes(['same']));
  const latest = await gpulab('compare', '01993c2f', '--json');
  assert.equal(latest.code, SUCCESS, latest.stderr);
  assert.equal(JSON.parse(latest.stdout).summary.same, 1);
  assert.deepEqual(requests.at(-2).query, { status: 'succeeded', experiment: 'transfer', limit: '1' });
  assert.deepEqual(requests.at(-1).query, { base: ids.base, head: ids.head });
  const alone = await gpulab('compare', ids.head);
  assert.equal(alone.code, USAGE);
  assert.match(alone.stderr, /^gpulab: HEAD: is missing/);
  assert.equal((await gpulab('compare', 'pinned', '--json')).code, SUCCESS);
  assert.deepEqual(requests.at(-1).query, { base: 'pinned', head: ids.head });
});

test('compare of one run that compared two requests compares its sides', async (t) => {
  const { gpulab, requests } = await serve(t, { ...routes(['same']), [`GET /api/v1/runs/${ids.base}`]: () => ({ ...run(ids.base), compare_with: { parameters: {} } }) });
  assert.equal((await gpulab('compare', ids.base, '--json')).code, SUCCESS);
  assert.deepEqual(requests.at(-1).query, { run: ids.base });
});

test('compare leaves out points without a verdict', async (t) => {
  const { gpulab } = await serve(t, { ...routes([]), 'GET /api/v1/compare': () => comparison(['same', null]) });
  const command = await gpulab('compare', ids.base, ids.head);
  assert.equal(command.code, SUCCESS, command.stderr);
  assert.match(command.stdout, /^1 points: /m);
  assert.doesNotMatch(command.stdout, /8192/);
});

test('export passes the filters on and writes what the lab sends', async (t) => {
  const lines = '{"type":"run"}\n{"type":"end","runs":1}\n';
  const { gpulab, requests } = await serve(t, { 'GET /api/v1/export': () => lines });
  const command = await gpulab('export', '--experiment', 'transfer', '--since', '2026-01-01', '--samples');
  assert.equal(command.code, SUCCESS, command.stderr);
  assert.equal(command.stdout, lines);
  assert.deepEqual(requests.at(-1).query, { experiment: 'transfer', since: '2026-01-01', samples: 'true', format: 'jsonl' });
  await gpulab('export');
  assert.deepEqual(requests.at(-1).query, { samples: 'true', format: 'jsonl' });
  await gpulab('export', '--no-samples');
  assert.deepEqual(requests.at(-1).query, { samples: 'false', format: 'jsonl' });
  await gpulab('export', '--csv');
  assert.deepEqual(requests.at(-1).query, { samples: 'false', format: 'csv' });
});

test('export fails where the answer is cut or the lab refuses', async (t) => {
  const refused = await serve(t, { 'GET /api/v1/export': () => [503, { detail: 'The store is not available.' }] });
  const command = await refused.gpulab('export');
  assert.equal(command.code, ERROR);
  assert.equal(command.stdout, '');
  assert.equal(command.stderr, 'gpulab: The store is not available.\n');
  const server = http.createServer((request, response) => {
    if (request.url === '/api/v1/version') return response.end('{"name":"gpulab"}');
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
    return response.write('{"type":"run"}\n', () => response.destroy());
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const cut = await new Place(t).gpulab(['export', '--server', `http://127.0.0.1:${server.address().port}`]);
  assert.equal(cut.code, ERROR, cut.stderr);
  assert.match(cut.stderr, /^gpulab: No lab answers at /);
});
