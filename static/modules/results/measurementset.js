// The measurements of one run. They arrive from the run's document and, while the run is live, one by one from the
// event stream, in any order and some of them twice. Metric and axes identify a measurement. Of a comparison, only the
// measurements of the run's own request are kept, not those of the base.

/** Returns an empty set: {merge(list), add(measurement), list()}. `merge` adds the measurements of the run's document,
 * which define the order; `add` adds one measurement of the event stream. A later measurement replaces an earlier one
 * at the same point; list() returns all. */
export function measurementSet() {
  let byIdentity = new Map();

  function add(measurement) {
    if (measurement.side !== 'base') byIdentity.set(identity(measurement), measurement);
  }

  return {
    add,
    merge(list) {
      const before = byIdentity;
      byIdentity = new Map();
      list.forEach(add);
      // Measurements that the document lacks were made after it.
      for (const [key, measurement] of before) if (!byIdentity.has(key)) byIdentity.set(key, measurement);
    },
    list: () => [...byIdentity.values()],
  };
}

function identity({ metric, axes }) {
  return JSON.stringify([metric, Object.entries(axes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
