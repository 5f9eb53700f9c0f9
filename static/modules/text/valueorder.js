// The order of the values of an axis.

/** The values of an axis in the order of the choices of the experiment's parameter with the same name; [] if there is
 * none. */
export function orderOf(experiment, name) {
  const property = experiment.parameters?.properties?.[name];
  return property?.anyOf?.[0].enum ?? property?.enum ?? [];
}
