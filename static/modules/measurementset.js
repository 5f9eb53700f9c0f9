// The measurements of one run as they come: from the run's document and, while it is live, one by one from the event
// stream, in any order and some of them twice. A measurement is known by its metric and its place on the axes.

/** {take(list), add(measurement), list()}: `take` is for the run's document, which gives the order; `add` for the
 * stream. */
export function collection() {
  let known = new Map();

  function add(measurement) {
    known.set(identity(measurement), measurement);
  }

  return {
    add,
    take(list) {
      const before = known;
      known = new Map();
      list.forEach(add);
      // What is not in the document came while it was on its way.
      for (const [key, measurement] of before) if (!known.has(key)) known.set(key, measurement);
    },
    list: () => [...known.values()],
  };
}

function identity({ metric, axes }) {
  return JSON.stringify([metric, Object.entries(axes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
