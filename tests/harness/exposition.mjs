// A strict parser of Prometheus' text format 0.0.4: throws for a line that is not in that format, for samples apart
// from their metric's description, repeated samples, and histograms that do not add up.
import assert from 'node:assert/strict';

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const VALUE = /^(NaN|[+-]Inf|-?\d+(\.\d+)?(e[+-]?\d+)?)$/;
const SUFFIXES = { counter: [''], gauge: [''], histogram: ['_bucket', '_sum', '_count'] };

/** Labels of `{a="x",b="y"}` at the beginning of `text`, and the rest of it. */
function labelsOf(text) {
  const labels = {};
  if (!text.startsWith('{')) return [labels, text];
  let rest = text.slice(1);
  for (;;) {
    const match = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"([,}])/.exec(rest);
    assert.ok(match, `labels: ${text}`);
    const [whole, name, value, end] = match;
    assert.ok(!(name in labels), `label ${name} twice: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character));
    rest = rest.slice(whole.length);
    if (end === '}') return [labels, rest];
  }
}

function sampleOf(line) {
  const name = NAME.exec(line)?.[0];
  assert.ok(name, line);
  const [labels, rest] = labelsOf(line.slice(name.length));
  assert.match(rest, /^ \S+$/, line);
  assert.match(rest.slice(1), VALUE, line);
  return { name, labels, value: Number(rest.slice(1).replace('Inf', 'Infinity')) };
}

const keyOf = (labels) => JSON.stringify(Object.entries(labels).sort());

/** Each series of a histogram has ascending bounds up to +Inf, cumulative counts, a sum and a count. */
function checkHistogram({ name, samples }) {
  const series = new Map();
  for (const sample of samples) {
    const { le, ...others } = sample.labels, key = keyOf(others);
    if (!series.has(key)) series.set(key, []);
    series.get(key).push(sample);
  }
  for (const of of series.values()) {
    const buckets = of.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => Number(labels.le.replace('Inf', 'Infinity')));
    for (let i = 1; i < buckets.length; i++) {
      assert.ok(bounds[i] > bounds[i - 1], `${name}: bounds`);
      assert.ok(buckets[i].value >= buckets[i - 1].value, `${name}: counts`);
    }
    const [sum, count, ...more] = of.slice(buckets.length);
    assert.deepEqual([sum?.name, count?.name, more.length, bounds.at(-1)], [`${name}_sum`, `${name}_count`, 0, Infinity]);
    assert.equal(count.value, buckets.at(-1).value, name);
    assert.ok(sum.value >= 0, name);
  }
}

/** The metrics of a text, by name: {name, type, help, samples: [{name, labels, value}]}. */
export function parseExposition(text) {
  const metrics = new Map();
  const seen = new Set(); // samples by name and labels
  let current;
  assert.ok(text.endsWith('\n'), 'the last line has no end');
  for (const line of text.slice(0, -1).split('\n')) {
    const help = /^# HELP (\S+) (\S.*)$/.exec(line), type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line);
    if (help) {
      assert.ok(!metrics.has(help[1]), `${help[1]} is described twice`);
      current = { name: help[1], help: help[2], samples: [] };
      metrics.set(current.name, current);
    } else if (type) {
      assert.deepEqual([type[1], current?.type], [current?.name, undefined], line);
      current.type = type[2];
    } else {
      const sample = sampleOf(line);
      const key = `${sample.name} ${keyOf(sample.labels)}`;
      assert.ok(SUFFIXES[current?.type]?.some((suffix) => sample.name === current.name + suffix), `${line}: not of ${current?.name}`);
      assert.ok(!seen.has(key), `twice: ${line}`);
      seen.add(key);
      current.samples.push(sample);
    }
  }
  for (const metric of metrics.values()) {
    assert.ok(metric.type, metric.name);
    if (metric.type === 'histogram') checkHistogram(metric);
  }
  return metrics;
}

/** The sum of the samples `name` whose labels include `labels`. */
export function valueOf(metrics, name, labels = {}) {
  const family = metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''));
  assert.ok(family, name);
  const matches = (sample) => sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value);
  return family.samples.filter(matches).reduce((sum, { value }) => sum + value, 0);
}
