// The source code of an experiment's steps, as listed in its `sources`: [{step, backend, title, explanation, files,
// editable}].

/** The runtimes that an experiment has sources for, in order of the list. */
export const backendsOf = (sources) => [...new Set((sources ?? []).map(({ backend }) => backend))];

/** The sources of one runtime. */
export const sourcesOf = (experiment, backend) =>
  (experiment.sources ?? []).filter((source) => source.backend === backend);

/** The files of a source as a text. */
export const filesOf = ({ files }) => files.join(', ');

/** The source before `source` in the list of its runtime; null for the first. */
export function previousOf(experiment, source) {
  const list = sourcesOf(experiment, source.backend);
  return list[list.indexOf(source) - 1] ?? null;
}

/** The runtime of a run: the one recorded or, before the run starts, that of its device (`deviceOf(id)` returns the
 * device); null when neither is known. */
export function backendOf({ environment, devices }, deviceOf) {
  const first = devices?.[0]?.id;
  const recorded = environment?.devices?.find?.(({ id }) => id === first) ?? environment?.devices?.[0];
  return recorded?.backend ?? deviceOf(first)?.backend ?? null;
}

/** The address of the page that edits a source. */
export const editAddress = (experiment, { step }) => `/kernels?edits=${encodeURIComponent(`${experiment.name}/${step}`)}`;
