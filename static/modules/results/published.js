// Which reference results are of a device model, and their order.

/** The year that the source of a reference names; 0 without one. */
const yearOf = ({ source }) => Math.max(0, ...[...(source ?? '').matchAll(/\b(?:19|20)\d\d\b/g)].map(([year]) => Number(year)));

/** References, or what has a `source` as they do, the newest first; those without a year last. */
export const newestFirst = (references) => [...references].sort((a, b) => yearOf(b) - yearOf(a));

/** The references of systems with the device `model`, and those of others, both the newest first: {same, others}. A system is named
 * by its device, with their number in front if there are several and remarks behind: "2 x NVIDIA H200 SXM, NVLink". */
export function publishedFor(references, model) {
  const isSame = ({ system }) => {
    const [, name] = /^(?:\d+ x )?(.*)$/.exec(system);
    return model !== '' && name.startsWith(model) && /^([ ,]|$)/.test(name.slice(model.length));
  };
  const all = newestFirst(references);
  return { same: all.filter(isSame), others: all.filter((one) => !isSame(one)) };
}
