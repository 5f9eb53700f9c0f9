// What tells the rows of a table apart is complete in a pipe, and still different where a terminal is too narrow for
// it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Place, SUCCESS } from '../harness/cli.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { build, environment, Lab } from '../harness/lab.mjs';

const at = new Date(Date.UTC(2026, 0, 31, 12)); // of all runs, so that only the ends of their ids differ
const ids = (devices) => devices.map((n) => `host-${n}-0123456789ab`);
const devices = ids([0, 1]).map((id, n) => ({ id, name: `CPU (host runtime) AMD EPYC 9004 of the laboratory, one of 2 with 48 cores, number ${n}`, node: 'n1' }));
const pairs = ids([0, 1]).flatMap((source) => ids([0, 1]).map((target) => ({ source, target, bytes: 4096 }))).filter(({ source, target }) => source !== target);
const measured = (scale) => pairs.map((axes, i) => ({ axes, samples: Array.from({ length: 9 }, (_, k) => scale * (20 + i) + k / 100) }));

let lab, base, head;
before(async () => {
  lab = await Lab.start();
  const headline = [{ title: 'Bandwidth between the two devices that are farthest from each other', metric: 'bandwidth', unit: 'GB/s', value: 20, axes: {}, lowest: false }];
  const made = [1, 2].map((n) => linesOf({ at, n, experiment: 'peer', devices, headline, environment: { driver: `the release ${n} of the driver of the laboratory` } }, measured(n)));
  assert.equal((await importInto(lab, made.flat())).json.imported, 2);
  [base, head] = made.map(([{ id }]) => id);
});
after(() => lab.close());

const piped = async (t, ...args) => {
  const command = await new Place(t).gpulab([...args, '--server', lab.address]);
  assert.equal(command.code, SUCCESS, command.stderr);
  return command.stdout;
};

/** What a command prints on a terminal. */
function shown(t, args, env) {
  const place = new Place(t);
  return execFileSync('script', ['--quiet', '--command', [join(build, 'gpulab'), ...args, '--server', lab.address].join(' '), '/dev/null'],
    { env: { ...environment(place.folder), TERM: 'dumb', ...env }, encoding: 'utf8' }).replaceAll('\r\n', '\n');
}

/** The rows of the table below the line that begins with `title`, as lists of the words in the given columns. */
const cellsBelow = (text, title, ...columns) => {
  const lines = text.split('\n'), from = lines.findIndex((line) => line.startsWith(title));
  assert.ok(from >= 0, text);
  return lines.slice(from + 1, lines.indexOf('', from)).map((line) => columns.map((column) => line.split(/ {2,}/)[column]));
};

test('a pipe gets whole cells, whatever COLUMNS is', async (t) => {
  for (const COLUMNS of ['', '40']) {
    const compared = await new Place(t).gpulab(['compare', base, head, '--server', lab.address], { env: { COLUMNS } });
    for (const text of [base, head, devices.map(({ name }) => name).join(', '), 'the release 1 of the driver of the laboratory  the release 2 of the driver of the laboratory']) {
      assert.ok(compared.stdout.includes(text), `${text}\n${compared.stdout}`);
    }
    assert.deepEqual(cellsBelow(compared.stdout, 'source', 0, 1), pairs.map(({ source, target }) => [source, target]));
    const { stdout } = await new Place(t).gpulab(['runs', '--server', lab.address], { env: { COLUMNS } });
    for (const text of [base, head, devices.map(({ name }) => name).join(', '), 'farthest from each other']) assert.ok(stdout.includes(text), `${text}\n${stdout}`);
    assert.doesNotMatch(stdout, /\.\./);
  }
});

test('a terminal of COLUMNS gets shortened cells that still differ', (t) => {
  for (const COLUMNS of ['1', '60', '72', '90']) {
    const compared = shown(t, ['compare', base, head], { COLUMNS });
    const rows = cellsBelow(compared, 'source', 0, 1).map((cells) => cells.join(' '));
    assert.equal(new Set(rows).size, pairs.length, compared);
    assert.equal(new Set(rows.flatMap((row) => row.split(' '))).size, 2, 'a device has one text in both columns');
    const [[, before_, after_]] = cellsBelow(compared, 'environment', 0, 1, 2);
    assert.notEqual(before_, after_, compared);
    const listed = shown(t, ['runs'], { COLUMNS });
    assert.match(listed, /\.\./, listed);
    assert.equal(new Set(cellsBelow(`${listed}\n`, 'id', 0).flat()).size, 2, listed);
  }
});

test('a terminal has its own width where COLUMNS is missing or no number', (t) => {
  const wide = shown(t, ['runs'], { COLUMNS: '400' });
  assert.ok(wide.includes('farthest from each other') && !wide.includes('..'), wide);
  const listed = (COLUMNS) => shown(t, ['runs'], { COLUMNS }).replace(/\d+ d /g, 'age ');
  for (const COLUMNS of ['', 'wide', '0', '-5', '400x']) assert.equal(listed(COLUMNS), listed('80'), COLUMNS);
});

test('show has every axis, metric and name of an imported run, and all digits of coordinates', async (t) => {
  const axes = (n) => Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`axis${i}`, n * (i + 1)]));
  const metrics = Array.from({ length: 14 }, (_, i) => `${'figure_of_a_long_name_'.repeat(10)}${i}`);
  const names = [1, 2].map((n) => `${'variable_'.repeat(40)}${n}`);
  const shares = [0.12345678901, 0.12345678902];
  const foreign = linesOf({ at, n: 3, experiment: 'foreign.figures', environment: { variables: Object.fromEntries(names.map((name) => [name, 'set'])) } },
    shares.flatMap((share, n) => metrics.map((metric) => ({ metric, unit: '1', axes: { ...axes(n + 1), share } }))));
  const bytes = [1048576, 1048577, 1048580];
  const sizes = linesOf({ at, n: 4 }, bytes.map((size) => ({ axes: { direction: 'h2d', bytes: size } })));
  assert.deepEqual((await importInto(lab, [...foreign, ...sizes])).json.errors, []);
  const text = await piped(t, 'show', foreign[0].id, '--environment'), [header, ...rows] = text.split('\n').slice(2, 5);
  assert.deepEqual(header.trim().split(/ +/), [...Object.keys(axes(1)), 'share', ...metrics, 'noise', 'n', 'verified']);
  assert.deepEqual(rows.map((row) => row.trim().split(/ +/).slice(0, 21)), shares.map((share, n) => [...Object.values(axes(n + 1)), share].map(String)));
  for (const name of names) assert.match(text, new RegExp(`^variables\\.${name} +set$`, 'm'));
  const shownSizes = [...(await piped(t, 'show', sizes[0].id)).matchAll(/^ *(\d+ (?:B|MiB)) /gm)].map(([, size]) => size);
  assert.deepEqual(shownSizes, ['1 MiB', '1048577 B', '1048580 B']);
});
