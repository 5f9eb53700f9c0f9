// The measurements of one run. They arrive from the run's document and, while the run is live, one by one from the
// event stream, in any order and some of them twice. Metric and axes identify a measurement.

/** {merge(list), add(measurement), list()}: `merge` takes the list of the run's document, which defines the order;
 * `add` takes one measurement of the event stream. */
export function measurementSet() {
  let byIdentity = new Map();

  function add(measurement) {
    byIdentity.set(identity(measurement), measurement);
  }

  return {
    add,
    merge(list) {
      const before = byIdentity;
      byIdentity = new Map();
      list.forEach(add);
      // Measurements missing from the document arrived after it was made.
      for (const [key, measurement] of before) if (!byIdentity.has(key)) byIdentity.set(key, measurement);
    },
    list: () => [...byIdentity.values()],
  };
}

function identity({ metric, axes }) {
  return JSON.stringify([metric, Object.entries(axes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
