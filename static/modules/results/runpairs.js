// Pairs of runs to compare.

/** The names of a run's devices as one text. */
const devicesOf = ({ devices }) => (devices ?? []).map(({ name }) => name).join();

/** Whether a run can be compared with `head`: another one that succeeded on the same device models and compares nothing
 * itself. */
const isComparable = (run, head) =>
  run.id !== head.id && run.status === 'succeeded' && !run.compare_with && devicesOf(run) === devicesOf(head);

/** What a run was asked for, as one text: the devices, by id where it is known, and the parameters. */
const requestOf = ({ devices, parameters }) => JSON.stringify([(devices ?? []).map(({ id, name }) => id ?? name), parameters ?? {}]);

/** The newest run of `runs` (newest first, of one experiment) that repeats an older one, on the same devices with the
 * same parameters: {base, head}; null if there is none. */
export function newestPair(runs) {
  for (const head of runs) {
    if (head.status !== 'succeeded' || head.compare_with) continue;
    const base = runs.find((run) => run.id < head.id && isComparable(run, head) && requestOf(run) === requestOf(head));
    if (base) return { base, head };
  }
  return null;
}

/** The base for a head if none is chosen: the newest pinned run, otherwise the one before, otherwise any; undefined if
 * `runs` has none. */
export function defaultBase(runs, head) {
  const others = runs.filter((run) => isComparable(run, head));
  return others.find(({ pinned }) => pinned) ?? others.find(({ id }) => id < head.id) ?? others[0];
}
