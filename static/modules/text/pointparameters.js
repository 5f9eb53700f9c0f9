// The parameters of a run that measures one point.

/** Parameters, as in a request, with which the experiment measures at `axes`: a parameter of the name of an axis, or
 * the smallest and the largest value of it. Axes that no parameter decides are left out. */
export function parametersAt(axes, schema) {
  const properties = schema?.properties ?? {};
  const entries = Object.entries(axes).flatMap(([name, value]) => {
    const property = properties[name];
    if (property) return [[name, property.anyOf ? [value] : value]];
    const bounds = [`min_${name}`, `max_${name}`];
    return bounds.every((bound) => bound in properties) ? bounds.map((bound) => [bound, value]) : [];
  });
  return Object.fromEntries(entries);
}
