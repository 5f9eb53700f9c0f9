// How series are distinguished: colour by one of the axes that vary, dash and marker by the others. A style depends on
// the values of a series' axes and on all measurements of the run, so a series looks the same in every view.

const COLOURS = 12; // number of series colours, --series-1 … --series-12 in css/base.css
const DASHES = 5; // number of dash patterns, and of markers, in charts/seriesstyle.js

/** By name of an axis, its values in the run: Map(name -> Map(value -> position)). Numbers are in order; texts are in
 * the order of `orderOf(name)`, the choices of the axis, then of measurement. `swept` are the parameters of an
 * unfinished run, whose values count as measured. */
export function valueOrders(measurements, orderOf = () => [], swept = {}) {
  const values = new Map();
  for (const { axes } of measurements) {
    for (const name in axes) {
      if (!values.has(name)) values.set(name, new Set(Array.isArray(swept[name]) ? swept[name] : []));
      values.get(name).add(axes[name]);
    }
  }
  const positions = (list) => new Map(list.map((value, index) => [value, index]));
  return new Map([...values].map(([name, found]) => [name, positions(sorted(found, orderOf(name)))]));
}

function sorted(values, order) {
  const list = [...values];
  if (list.every((value) => typeof value === 'number')) return list.sort((a, b) => a - b);
  return [...new Set([...order.filter((value) => values.has(value)), ...list])];
}

/** The axis shown by colour: the one named `chosen`; otherwise the first that varies, unless another has more values
 * than there are dashes. */
export function colouredAxis(varying, orders, chosen = '') {
  const count = ({ name }) => orders.get(name)?.size ?? 0;
  return varying.find(({ name }) => name === chosen) ?? varying.find((axis) => count(axis) > DASHES) ?? varying[0];
}

/** Returns a function that gives the style {colour, dash, marker} of a measurement's series, as indices. Colours follow
 * the values of the axis `first`; dashes and markers follow those of `rest` and, when colours repeat, `first` too.
 * `measurements` are all of the run, `orders` as returned by valueOrders. */
export function styleFunction(measurements, first, rest, orders) {
  const position = (axes, { name }) => orders.get(name)?.get(axes[name]) ?? orders.get(name)?.size ?? 0;
  const combination = (axes) => rest.map((axis) => position(axes, axis));
  const combinations = new Map();
  const seen = new Set();
  for (const { axes = {} } of rest.length ? measurements : []) {
    let known = '';
    for (const { name } of rest) known += `${axes[name]}\n`;
    if (seen.has(known)) continue;
    seen.add(known);
    const own = combination(axes);
    if (rest.some(({ name }) => name in axes)) combinations.set(own.join(), own);
  }
  const ordered = [...combinations].sort(([, a], [, b]) => compare(a, b)).map(([key]) => key);
  const dashes = new Map(ordered.map((key, index) => [key, index]));
  return ({ axes }) => {
    const colour = first ? position(axes, first) : 0;
    const dash = dashes.get(combination(axes).join()) ?? 0;
    const pattern = rest.length ? dash + dashes.size * Math.floor(colour / COLOURS) : colour;
    return {
      colour: colour % COLOURS,
      dash: pattern % DASHES,
      marker: (pattern + Math.floor(pattern / DASHES)) % DASHES,
    };
  };
}

function compare(a, b) {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : a[at] - b[at];
}
