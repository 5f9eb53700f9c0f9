// Reference results: their order, and which of them a run has.

/** The year that the source of a reference names; 0 without one. */
const yearOf = ({ source }) => Math.max(0, ...[...(source ?? '').matchAll(/\b(?:19|20)\d\d\b/g)].map(([year]) => Number(year)));

/** References, or what has a `source` as they do, the newest first; those without a year last. */
export const newestFirst = (references) => [...references].sort((a, b) => yearOf(b) - yearOf(a));

/** The references that stand beside a run with these parameters: every parameter of such a reference has the run's
 * value. */
export const referencesOfRun = (references, parameters) =>
  references.filter((one) => Object.entries(one.parameters).every(([name, value]) => parameters[name] === value));
