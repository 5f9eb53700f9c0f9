// Which reference results are of a device model.

/** The references of systems with the device `model`, and those of others: {same, others}. A system is named by its device,
 * with their number in front if there are several and remarks behind: "2 x NVIDIA H200 SXM, NVLink". */
export function publishedFor(references, model) {
  const isSame = ({ system }) => {
    const [, name] = /^(?:\d+ x )?(.*)$/.exec(system);
    return model !== '' && name.startsWith(model) && /^([ ,]|$)/.test(name.slice(model.length));
  };
  return { same: references.filter(isSame), others: references.filter((one) => !isSame(one)) };
}
