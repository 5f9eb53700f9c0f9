// The measurements of one run. They arrive from the run's document and, while the run is live, one by one from the
// event stream, in any order and some of them twice. Metric and axes identify a measurement.

/** A measurement of the run's own request; null for one of the base of a comparison. */
export const ofOwnRequest = (measurement) => (measurement.side === 'base' ? null : measurement);

/** Returns an empty set: {merge(list), add(measurement), list()}. `merge` adds the measurements of the run's document,
 * which define the order; `add` adds one measurement of the event stream. A later measurement replaces an earlier one
 * at the same point; list() returns all. `shown` returns the measurement to keep for one of the run, or null
 * (ownstep.js). */
export function measurementSet(shown = ofOwnRequest) {
  let byIdentity = new Map();
  let only = null; // the document's measurements while there are no others: nothing has to be identified then

  function put(measurement) {
    byIdentity.set(identity(measurement), measurement);
  }

  function identifyAll() {
    only?.forEach(put);
    only = null;
  }

  return {
    add(measurement) {
      const own = shown(measurement);
      if (!own) return;
      identifyAll();
      put(own);
    },
    merge(list) {
      const own = list.map(shown).filter(Boolean);
      if (!byIdentity.size && own.length >= (only?.length ?? 0)) {
        only = own;
        return;
      }
      identifyAll();
      const before = byIdentity;
      byIdentity = new Map();
      own.forEach(put);
      // Measurements that the document lacks were made after it.
      for (const [key, measurement] of before) if (!byIdentity.has(key)) byIdentity.set(key, measurement);
    },
    list: () => only ?? [...byIdentity.values()],
  };
}

function identity({ metric, axes }) {
  return JSON.stringify([metric, Object.entries(axes ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))]);
}
