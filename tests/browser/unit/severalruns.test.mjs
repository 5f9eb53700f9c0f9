// Several runs as one: names, measurements with the run as an axis, and their figures against the first.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filterSeries } from '../../../static/modules/results/seriesfilter.js';
import { figureTable, joinedMeasurements, runNames, withRunAxis } from '../../../static/modules/results/severalruns.js';

test('runs are named by their devices, and by their ids where these do not tell them apart', () => {
  const runs = [{ id: '1', device: 'A' }, { id: '2', device: 'B' }, { id: '3', device: 'A' }];
  assert.deepEqual(runNames(runs, ({ device }) => device, (id) => `#${id}`), ['A · #1', 'B', 'A · #3']);
});

test('measurements have their run as an axis and its cautions; those of a base are left out', () => {
  const measurements = [{ axes: { bytes: 1 }, side: 'base' }, { axes: { bytes: 1 }, side: 'head', cautions: [{ name: 'noisy', text: 'n' }] }];
  const joined = joinedMeasurements([{ run: { contended: true }, name: 'A', measurements }, { run: {}, name: 'B', measurements: [{ axes: {} }] }]);
  assert.deepEqual(joined.map(({ axes, cautions }) => [axes, cautions.map(({ name }) => name)]), [[{ bytes: 1, run: 'A' }, ['contended', 'noisy']], [{ run: 'B' }, []]]);
});

test('a chart with too many series leaves out others than the runs', () => {
  const { axes } = withRunAxis({ axes: [{ name: 'kind', title: 'Kind', unit: null }] });
  const measurements = ['A', 'B'].flatMap((run) => Array.from({ length: 30 }, (_, at) => ({ axes: { kind: `k${at}`, run, x: 1 } })));
  const { picks, measurements: shown } = filterSeries(measurements, axes, 'x', new Map(), {}, { lines: true });
  assert.deepEqual(picks.map(({ axis, value }) => [axis.name, value]), [['kind', 'k0'], ['run', null]]);
  assert.deepEqual(shown.map(({ axes: { run } }) => run), ['A', 'B']);
});

test('figures have the ratio to those of the first run at the same point', () => {
  const figure = (value, bytes = 1, title = 'Copy') => ({ title, metric: 'bandwidth', unit: 'GB/s', value, axes: { bytes } });
  const { titles, rows } = figureTable([{ headline: [figure(10)] }, { headline: [figure(20), figure(5, 1, 'Triad')] }, { headline: [figure(30, 2)] }, { headline: null }]);
  assert.deepEqual(titles, ['Copy', 'Triad']);
  assert.deepEqual(rows.map(({ cells }) => cells.map((cell) => cell?.ratio)), [[null, undefined], [2, null], [null, undefined], [undefined, undefined]]);
});
