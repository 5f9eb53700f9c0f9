// Shared by the benchmarks: CPU time and memory of a process from /proc, medians, and figures with limits.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU seconds that a process has used so far, in user and kernel mode; the resolution is 10 ms. */
export function cpuSeconds(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Resident memory in MiB. */
export function residentMebibytes(pid) {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2;
}

/** A measured value with its limit; `holds` is false when the value is above it. */
export function figure(what, value, unit, limit) {
  return { what, value, unit, limit, holds: limit === undefined || value <= limit };
}

export function print(figures) {
  for (const { what, value, unit, limit, holds } of figures) {
    const against = limit === undefined ? '' : `   (limit ${limit}${holds ? '' : ': EXCEEDED'})`;
    console.log(`${what}: ${Number(value.toPrecision(4))} ${unit}${against}`);
  }
}

/** For a benchmark started as a program: measures, prints the figures and exits with 1 when one exceeds its limit. */
export async function main(url, measure) {
  if (process.argv[1] !== fileURLToPath(url)) return;
  const figures = await measure();
  print(figures);
  process.exit(figures.every((each) => each.holds) ? 0 : 1);
}
