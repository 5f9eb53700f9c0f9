// The code behind an experiment's steps, as its `sources` list it: [{step, backend, title, explanation, file}].

/** The runtimes that an experiment shows code of, in the order of its list. */
export const backendsOf = (sources) => [...new Set((sources ?? []).map(({ backend }) => backend))];

/** The sources of one runtime. */
export const sourcesOf = (experiment, backend) =>
  (experiment.sources ?? []).filter((source) => source.backend === backend);

/** The runtime that a run was measured with: what it recorded, else that of its device (a function from id to device)
 * while it waits; null when neither is known. */
export function backendOf({ environment, devices }, deviceOf) {
  const [id] = devices ?? [];
  const recorded = environment?.devices?.find?.((device) => device.id === id) ?? environment?.devices?.[0];
  return recorded?.backend ?? deviceOf(id)?.backend ?? null;
}
