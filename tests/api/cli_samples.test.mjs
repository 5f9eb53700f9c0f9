// gpulab show ID --samples POINT, and the measurement that it reads; gpulab explain ID POINT.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { build, execute, Lab } from '../harness/lab.mjs';

const at = new Date(Date.UTC(2026, 0, 1));
/** Two of three samples are near 50 GB/s, the third near 60, and one is 10. */
const samples = Array.from({ length: 90 }, (_, i) => (i === 45 ? 10 : (i % 3 ? 50 : 60) + 0.1 * ((i * 37) % 9)));
const point = (bytes, fields = {}) => ({ axes: { direction: 'h2d', opposing: false, bytes }, samples, min: 10, max: 60.8, ...fields });
const half = samples.map((value) => value / 2);

const counters = [
  { name: 'dram_read_bytes', value: 268435456, unit: 'B', metric: 'dram__bytes_read.sum' },
  { name: 'occupancy', value: 0.75, unit: '1', metric: 'sm__warps_active.avg.pct_of_peak_sustained_active' },
];

let lab;
const [plain, compared, counted] = [0, 1, 2].map((n) => idAt(at, n));
before(async () => {
  lab = await Lab.start();
  const lines = [
    ...linesOf({ at, n: 0 }, [point(1 << 20), point(1 << 20, { metric: 'time', unit: 's' }), point(1 << 24), { axes: point(4096).axes }, { axes: { direction: 'p2p', bytes: 4096 }, skipped: 'no peer' }]),
    ...linesOf({ at, n: 1, compare_with: { experiment: 'transfer', devices: [], parameters: {}, kernel: null } }, [
      point(1 << 20, { side: 'base' }), point(1 << 20, { side: 'base', metric: 'time', unit: 's' }), point(1 << 20, { side: 'head', samples: half, min: 5, max: 30.4 })]),
    ...linesOf({ at, n: 2 }, [point(1 << 26, { counters })]),
  ];
  assert.deepEqual((await importInto(lab, lines)).json.errors, []);
});
after(() => lab.close());

const show = (id, point, ...args) => execute('gpulab', ['show', id, '--samples', point, '--server', lab.address, ...args]);

test('a point is named by values of its axes, sizes as people write them, and by its metric', async () => {
  const { code, stdout } = await show(plain, 'bytes=1MiB,opposing=false');
  assert.equal(code, 0);
  assert.match(stdout, /^\nbandwidth, direction h2d, opposing false, bytes 1 MiB\n90 samples: median 50\.\d\d GB\/s, quartiles /);
  assert.match((await show(plain, 'bytes=1MiB,metric=time')).stdout, /^\ntime, direction h2d/);
});

test('drift, levels, outliers and cautions are said, and drawn in ASCII outside a terminal', async () => {
  const { stdout } = await show(plain, 'bytes=2^24');
  assert.match(stdout, /\ndrift: -?0\.\d % \(-?\d+\.\d % to \d+\.\d %\)\n/);
  assert.match(stdout, /\nlevels: 50\.\d\d GB\/s \(68 %\) and 60\.\d\d GB\/s \(32 %\)\n/);
  assert.match(stdout, /\noutliers: 1 below .* GB\/s, the farthest 10\.00 GB\/s\n/);
  assert.match(stdout, /\ncaution: The samples have two levels: /);
  assert.match(stdout, /^[\x00-\x7f]*$/);
  const rows = stdout.split('\n').filter((line) => /\|.*\|/.test(line));
  assert.equal(rows.length, 13);
  assert.equal(rows.reduce((sum, row) => sum + Number(/\|[^|]*\|[# ]* (\d+)/.exec(row)[1]), 0), 89, 'all but the outlier');
  assert.match(rows.at(0), /level/);
  assert.match(rows.at(-1), /median/);
  assert.match(stdout, /\| 1 below\n +first +last  samples in each range\n$/);
});

test('hardware counters are listed with the names of the device, as they were imported', async () => {
  const { stdout } = await show(counted, 'bytes=64MiB');
  const [, list] = stdout.split('hardware counters of one repetition:\n');
  assert.deepEqual(list.trimEnd().split('\n').map((line) => line.trim().split(/ {2,}/)), [
    ['DRAM bytes read', '256 MiB', 'dram__bytes_read.sum'],
    ['Achieved occupancy', '0.7500', 'sm__warps_active.avg.pct_of_peak_sustained_active'],
  ]);
  assert.doesNotMatch((await show(plain, 'bytes=2^24')).stdout, /hardware counters/);
  const { measurements } = JSON.parse((await show(counted, 'bytes=64MiB', '--json')).stdout);
  assert.deepEqual(measurements[0].counters, counters);
});

test('a terminal with UTF-8 gets blocks, and no line is wider than it', () => {
  const shown = (locale) => execFileSync('script', ['--quiet', '--command', `${join(build, 'gpulab')} show ${plain} --samples bytes=1MiB --server ${lab.address}`, '/dev/null'],
    { encoding: 'utf8', env: { ...process.env, LC_ALL: locale, COLUMNS: '90', TERM: 'xterm' } }).replaceAll('\r', '');
  const [utf8, plainText] = [shown('C.UTF-8'), shown('C')];
  assert.match(utf8, /│[ ░▒▓█]+│█+/);
  assert.match(plainText, /\|[ .:*#]+\|#+/);
  assert.ok(utf8.split('\n').filter((line) => line.includes('│')).every((line) => [...line].length <= 90), utf8);
});

test('both sides of a comparison are shown on one scale', async () => {
  const { stdout } = await show(compared, 'bytes=1MiB,metric=bandwidth');
  assert.match(stdout, /\nbase: bandwidth, [^]*\nhead: bandwidth, /);
  const labels = stdout.split('\n').map((line) => /^ +([\d.]+) GB\/s \|/.exec(line)?.[1]).filter(Boolean);
  assert.equal(labels.length, 10);
  assert.deepEqual(labels.slice(0, 5), labels.slice(5));
  assert.doesNotMatch((await show(compared, 'side=head')).stdout, /base: /);
});

test('with --json the measurement has its samples', async () => {
  const { measurements } = JSON.parse((await show(plain, 'bytes=1MiB', '--json')).stdout);
  assert.equal(measurements.length, 1);
  assert.deepEqual(measurements[0].samples, samples.map((value) => Number(value.toPrecision(15))));
});

test('what names no point, several, or one without samples is refused with what is missing', async () => {
  const refused = async (point, code, message) => {
    const { code: found, stdout, stderr } = await show(plain, point);
    assert.deepEqual([found, stdout], [code, ''], stderr);
    assert.match(stderr, message);
  };
  await refused('direction=h2d', 2, /--samples: names 3 points; add values of the axes that differ: bytes\n/);
  await refused('bytes=3', 2, /--samples: no measurement of the run that was sampled has these values\n/);
  await refused('depth=3', 2, /no measurement/);
  await refused('direction=p2p', 2, /no measurement/);
  await refused('bytes', 2, /must be AXIS=VALUE, several separated by commas, not 'bytes'\n/);
  await refused('=1', 2, /not '=1'\n/);
  await refused('bytes=4096', 1, /The samples of this point are not stored: they were removed, or left out of an export\.\n/);
});

test('GET /measurements?position=N has that measurement alone', async () => {
  const all = (await lab.get(`/api/v1/runs/${plain}/measurements`)).json.measurements;
  for (const position of [0, 1, 4]) {
    assert.deepEqual((await lab.get(`/api/v1/runs/${plain}/measurements?position=${position}`)).json, { measurements: [all[position]] });
    const { measurements } = (await lab.get(`/api/v1/runs/${plain}/measurements?samples=true&position=${position}`)).json;
    assert.deepEqual(measurements.map(({ samples: list }) => list.length), [position === 4 ? 0 : 90]);
  }
  assert.deepEqual((await lab.get(`/api/v1/runs/${plain}/measurements?position=5`)).json, { measurements: [] });
  assert.equal((await lab.get(`/api/v1/runs/${plain}/measurements?position=-1`)).status, 422);
  assert.equal((await lab.get(`/api/v1/runs/${plain}/measurements.csv?position=1`)).status, 422);
});

const explain = (id, point, ...args) => execute('gpulab', ['explain', id, point, '--server', lab.address, ...args]);

test('a point is explained, by its values or the position of a measurement', async () => {
  const { code, stdout } = await explain(counted, 'bytes=64MiB');
  assert.equal(code, 0);
  assert.match(stdout, /^Bandwidth, direction h2d, opposing false, bytes 64 MiB: 5\d\.\d\d GB\/s\n\n\S.*\.\n\nSamples: 90 samples: median /);
  assert.match(stdout, /\nNo other process used the device when the run began or ended\.\n/);
  assert.match(stdout, /\nHardware counters of one repetition\n.*\n *DRAM bytes read +256 MiB  dram__bytes_read\.sum\n/s);
  assert.equal((await explain(counted, '0')).stdout, stdout);
  const document = JSON.parse((await explain(counted, '0', '--json')).stdout);
  assert.deepEqual(document, (await lab.get(`/api/v1/runs/${counted}/points/0/explanation`)).json);
  assert.deepEqual(document.counters, [{ ...counters[0], title: 'DRAM bytes read' }, { ...counters[1], title: 'Achieved occupancy' }]);
  assert.deepEqual([document.metric, document.limit.basis, document.more], ['bandwidth', 'unknown', null]);
});

test('a point that cannot be explained is refused with what is allowed', async () => {
  const several = await explain(plain, 'direction=h2d');
  assert.deepEqual([several.code, several.stderr], [2, 'gpulab: POINT: names 3 points; add values of the axes that differ: bytes\n']);
  assert.match((await explain(plain, 'bytes=7')).stderr, /^gpulab: POINT: no measurement of the run has these values\n/);
  assert.match((await explain(plain, 'bytes')).stderr, /^gpulab: POINT: must be AXIS=VALUE, several separated by commas, not 'bytes'\n/);
  const beyond = await explain(plain, '99');
  assert.deepEqual([beyond.code, /The run has no measurement at this position/.test(beyond.stderr)], [2, true]);
  assert.equal((await lab.get(`/api/v1/runs/${plain}/points/x/explanation`)).status, 404);
  assert.equal((await lab.get(`/api/v1/runs/${plain}/points/99/explanation`)).status, 404);
});
