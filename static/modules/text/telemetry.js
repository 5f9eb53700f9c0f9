// The telemetry of a device as figures with texts and as tracks: the values of the last minutes, prepared for a chart.

import { bytes, plain, plural } from './format.js';

const SPACE = '\u00a0'; // no-break space, as format.js writes between number and unit

/** Without a reading for longer a track is broken: a device that is measured is not read. */
const GAP_MS = 6_000;

const written = (unit) => (value) => `${plain(value, 0)}${SPACE}${unit}`;
const percent = written('%');

/** The figures in order of display. `value` reads one from the telemetry; `limit` is the end of its scale, which begins
 * at 0; `ofLimit`: the text names the limit, too. */
const FIGURES = [
  { name: 'utilization', title: 'GPU utilization', write: percent, value: (t) => t.utilization_gpu, limit: () => 100 },
  {
    name: 'memory',
    title: 'Memory used',
    write: bytes,
    value: (t) => t.memory_used_bytes,
    limit: (t) => t.memory_total_bytes,
    ofLimit: true,
  },
  {
    name: 'power',
    title: 'Power',
    write: written('W'),
    value: (t) => t.power_w,
    limit: (t) => t.power_limit_w,
    ofLimit: true,
  },
  { name: 'temperature', title: 'Temperature', write: written('°C'), value: (t) => t.temperature_c, limit: () => 100 },
  {
    name: 'sm_clock',
    title: 'SM clock',
    write: written('MHz'),
    value: (t) => t.sm_clock_mhz,
    limit: (t, facts) => facts.clock_hz / 1e6,
  },
  {
    name: 'memory_clock',
    title: 'Memory clock',
    write: written('MHz'),
    value: (t) => t.memory_clock_mhz,
    limit: (t, facts) => facts.memory_clock_hz / 1e6,
  },
];

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/** "12 to 98 %"; the unit is written once where both ends have the same. */
function rangeText(from, to, write) {
  const [number, unit] = write(from).split(SPACE);
  const end = write(to);
  if (write(from) === end) return end;
  return `${end.split(SPACE)[1] === unit ? number : write(from)} to ${end}`;
}

function valueText({ write, ofLimit }, value, limit) {
  if (!ofLimit || !isNumber(limit)) return write(value);
  const [number, unit] = write(value).split(SPACE);
  return `${write(limit).split(SPACE)[1] === unit ? number : write(value)} of ${write(limit)}`;
}

/** The tracks of a device: [{name, title, text, range, segments}]. `readings` are [{time, telemetry}] in order of time
 * (ms), `facts` the properties of the device; the chart shows the time from `end - span` to `end`. `text` is the last
 * value, `range` the lowest to the highest one. Segments are lists of [x, y], both from 0 to 1. A figure that the
 * device does not report has no track. */
export function tracksOf(readings, facts, { end, span }) {
  const shown = readings.filter(({ time }) => time >= end - span);
  const last = readings.at(-1)?.telemetry;
  if (!last) return [];
  return FIGURES.filter(({ value }) => isNumber(value(last))).map((figure) => {
    const { name, title, write } = figure;
    const points = shown
      .map(({ time, telemetry }) => ({ time, value: figure.value(telemetry) }))
      .filter(({ value }) => isNumber(value));
    const values = points.map(({ value }) => value);
    const limit = figure.limit(last, facts);
    const top = Math.max(isNumber(limit) ? limit : 0, ...values) || 1;
    return {
      name,
      title,
      text: valueText(figure, figure.value(last), limit),
      range: values.length ? rangeText(Math.min(...values), Math.max(...values), write) : '',
      segments: segmentsOf(points, (time) => 1 - (end - time) / span, top),
    };
  });
}

function segmentsOf(points, x, top) {
  const segments = [];
  points.forEach(({ time, value }, index) => {
    const before = points[index - 1];
    if (!before || time - before.time > GAP_MS) segments.push([]);
    segments.at(-1).push([x(time), value / top]);
  });
  return segments;
}

/** What is not drawn, as short texts: "PCIe gen 5 ×16", "1 process". */
export function telemetryNotes(telemetry) {
  const { pcie_generation: generation, pcie_width: width, processes } = telemetry ?? {};
  return [
    isNumber(generation) && isNumber(width) ? `PCIe gen ${generation} ×${width} now` : null,
    isNumber(processes) ? `${processes ? plural(processes, 'process', 'processes') : 'no process'} on it` : null,
  ].filter(Boolean);
}
