// Exports of runs that a test makes up, so that what the history says of them does not depend on this machine.

/** An id of a run that was created at `at` (a Date); `n` makes it unique. */
export function idAt(at, n = 0) {
  const ms = at.getTime().toString(16).padStart(12, '0'), tail = n.toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-${tail}`;
}

/** The line of a run. */
export function runLine({ at, n = 0, ...fields }) {
  const time = at.toISOString().replace('Z', '000Z');
  return {
    type: 'run', id: idAt(at, n), revision: 3, experiment: 'transfer', status: 'succeeded', devices: [{ id: 'GPU-1', name: 'NVIDIA H200', node: 'n1' }], host: 'elsewhere',
    parameters: { seed: 1 }, tags: [], note: '', pinned: false, priority: 'normal', requested_by: null, compare_with: null, time_limit_s: null, estimate_s: 1.5,
    created_at: time, started_at: time, finished_at: time, contended: false, measurement_count: 0, headline: null, warnings: [], notes: [], error: null, environment: null, ...fields,
  };
}

/** Members of a point that was skipped. */
const nothing = { n: 0, median: null, q1: null, q3: null, min: null, max: null, mean: null, stdev: null, noise: null, stop_reason: null, verified: null, wrong: null, rounds: null };

/** The line of a measurement of the run `run`. */
export function measurementLine({ run, position = 0, samples, ...fields }) {
  const sorted = [...(samples ?? [fields.median ?? 1])].sort((a, b) => a - b), at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
  return {
    type: 'measurement', run, position, axes: { direction: 'h2d', bytes: 4096 }, metric: 'bandwidth', unit: 'GB/s', n: samples?.length ?? fields.rounds?.flat().length ?? 1, median: at(0.5), q1: at(0.25), q3: at(0.75),
    min: sorted[0], max: sorted.at(-1), mean: at(0.5), stdev: 0.01, noise: 0.001, stop_reason: 'converged', verified: true, wrong: 0, cache: null, numa_node: null, peak: null,
    conditions: null, kernel: null, side: null, rounds: null, skipped: null, ...(samples ? { samples: samples.length } : {}), ...fields, ...(fields.skipped ? nothing : {}),
  };
}

/** The lines of a run with a measurement for each of `measurements`: its fields, and `samples` (a list of numbers). */
export function linesOf(run, measurements) {
  const line = runLine({ measurement_count: measurements.length, ...run });
  return [line, ...measurements.flatMap((fields, position) => [
    measurementLine({ run: line.id, position, ...fields }),
    ...(fields.samples ? [{ type: 'samples', run: line.id, position, first: 0, values: fields.samples }] : []),
  ])];
}

/** The text of an export with these lines. */
export function textOf(lines) {
  const end = { type: 'end', runs: lines.filter(({ type }) => type === 'run').length };
  return [...lines, end].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Imports a text, or lines, into a lab. Returns the response. */
export function importInto(lab, what) {
  return lab.request('POST', '/api/v1/import', { body: Array.isArray(what) ? textOf(what) : what, headers: { 'content-type': 'application/x-ndjson' } });
}
