// Runs in groups: by sweep or by machine.

/** The ways to group a list of runs: [value in the address, text]. */
export const GROUPINGS = [
  ['', 'none'],
  ['sweep', 'sweep'],
  ['machine', 'machine'],
];

const REST = ''; // the group of the runs without a sweep or machine

/** By grouping: the group that a run belongs to {key, title, href}. */
const GROUP_OF = {
  sweep: ({ sweep, experiment }, title) =>
    sweep
      ? { key: sweep, title: `Sweep: ${title(experiment)}`, href: `/sweeps/${encodeURIComponent(sweep)}` }
      : { key: REST, title: 'Not part of a sweep', href: null },
  machine: ({ host }) => ({ key: host ?? REST, title: host ?? 'Machine unknown', href: null }),
};

/** The groups of `runs`, in the order of their first runs: [{key, title, href, runs}]; one without a title if
 * `grouping` is none. `title(name)` returns the title of an experiment. */
export function groupRuns(runs, grouping, title) {
  const groupOf = GROUP_OF[grouping] ?? (() => ({ key: REST, title: '', href: null }));
  const groups = new Map();
  for (const run of runs) {
    const group = groupOf(run, title);
    if (!groups.has(group.key)) groups.set(group.key, { ...group, runs: [] });
    groups.get(group.key).runs.push(run);
  }
  return [...groups.values()];
}

/** The ids between two runs of a list, in either order, both included; only `to` if the list lacks `from`. */
export function rangeOf(ids, from, to) {
  const [a, b] = [ids.indexOf(from), ids.indexOf(to)];
  return a < 0 || b < 0 ? [to] : ids.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** Why the selected runs cannot be compared; '' if they can. */
export function obstacleToComparison(runs) {
  if (runs.length === 1 && runs[0].compare_with) return '';
  if (runs.length < 2) return 'Select two or more runs to compare them.';
  return runs.every(({ experiment }) => experiment === runs[0].experiment) ? '' : 'Only runs of the same experiment can be compared.';
}
