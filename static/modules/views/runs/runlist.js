// The runs that the list has loaded so far, newest first.

import * as api from '../../lab/api.js';

const PAGE_SIZE = 50; // runs per request

/** Returns an empty list: load(query) replaces it by the first page of the runs that match; returns false if another
 * load has begun meanwhile. loadMore() appends the next page and returns its runs. refresh() adds new runs, and
 * replaces those of the first page. update(run) replaces a run that is in the list or older than its newest; returns
 * false if the run may belong at its top. progress(id, progress) and remove(id) return whether the list has the run. */
export function runList(signal) {
  let runs = [];
  let next = null; // the cursor of the next page; null: none
  let query = {};
  let loads = 0;

  const fetchPage = (cursor) => api.runs({ ...query, limit: PAGE_SIZE, cursor }, signal);
  const indexOf = (id) => runs.findIndex((run) => run.id === id);
  const put = (run) => {
    const at = indexOf(run.id);
    if (at >= 0) runs[at] = run;
    return at >= 0;
  };

  return {
    runs: () => runs,
    hasMore: () => next !== null,
    async load(filters) {
      loads += 1;
      const own = loads;
      query = filters;
      const page = await fetchPage(null);
      if (own !== loads) return false;
      ({ runs, next } = page);
      return true;
    },
    async loadMore() {
      const own = loads;
      const page = await fetchPage(next);
      if (own !== loads) return [];
      const added = page.runs.filter(({ id }) => indexOf(id) < 0);
      runs = [...runs, ...added];
      ({ next } = page);
      return added;
    },
    async refresh() {
      const own = loads;
      const page = await fetchPage(null);
      if (own !== loads) return;
      const last = page.runs.at(-1)?.id ?? '';
      const older = page.next ? runs.filter(({ id }) => id < last) : [];
      if (!older.length) ({ next } = page);
      runs = [...page.runs, ...older];
    },
    update(run) {
      return put(run) || (runs.length > 0 && run.id < runs[0].id);
    },
    progress(id, progress) {
      const at = indexOf(id);
      return at >= 0 && put({ ...runs[at], progress });
    },
    remove(id) {
      const had = indexOf(id) >= 0;
      runs = runs.filter((run) => run.id !== id);
      return had;
    },
  };
}
