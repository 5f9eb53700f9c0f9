// Follows a run to its end.

import * as api from './api.js';
import * as events from './events.js';
import { isLive } from '../text/displaynames.js';

/** Calls changed(run) with the run as it is now and whenever it changes, until it has ended or `signal` is aborted; the
 * last time with its measurements. failed(error) is called where the run cannot be fetched. */
export function followRun(id, signal, changed, failed) {
  const controller = new AbortController();
  const own = AbortSignal.any([signal, controller.signal]);
  let run = null;

  async function refetch() {
    try {
      const answer = await api.run(id, own);
      if (own.aborted || (run && answer.revision < run.revision)) return;
      run = answer;
      if (!isLive(run.status)) controller.abort();
      changed(run);
    } catch (error) {
      if (!own.aborted && error.name !== 'Unreachable') failed(error);
    }
  }

  events.on('run.updated', (one) => (one.id === id || run?.status === 'queued') && refetch(), own);
  events.on(
    'run.progress',
    (progress) => {
      if (progress.id !== id || !run) return;
      run = { ...run, status: 'running', progress };
      changed(run);
    },
    own,
  );
  events.on('reset', refetch, own);
  events.on('connection', (state) => state === 'live' && refetch(), own);
  refetch();
}
