// What a user does with a run: repeat, edit, delete. A failed request rejects with an error whose message is shown to
// the user.

import * as api from '../../lab/api.js';
import { announce } from '../../parts/announce.js';
import { confirm } from '../../parts/confirm.js';
import { go } from '../../router.js';
import { plural } from '../../text/format.js';

/** Starts a run like `run` and shows it. */
export async function repeat(run) {
  const { id } = await api.repeat(run.id, api.freshKey()).catch((error) => {
    // The problem names the devices and parameters that the lab no longer has.
    throw new Error(`The run was not repeated: ${error.errors?.[0]?.detail ?? error.message}`);
  });
  announce('Run started');
  go(`/runs/${id}`);
}

/** Why a change failed, by status of the answer. */
const CONFLICTS = {
  409: 'A run can be pinned only after it has ended.',
  412: 'The run was changed meanwhile, by someone else or by its end. The page now shows its present state; change it again.',
};

/** Changes tags, note or `pinned`; returns the run. After a conflict, `error.conflict` is true: the run is to be read
 * again. */
export async function change(run, changes) {
  try {
    return await api.change(run.id, changes, run.revision);
  } catch (error) {
    const text = CONFLICTS[error.status];
    if (!text) throw new Error(error.errors?.[0]?.detail ?? error.message);
    throw Object.assign(new Error(text), { conflict: error.status === 412 });
  }
}

/** Deletes the run if the user confirms, and shows the list of runs. */
export async function remove(run) {
  if (run.pinned) throw new Error('A baseline is kept: stop using the run as baseline before you delete it.');
  const count = run.measurement_count ?? run.measurements?.length ?? 0;
  const what = count ? `its ${plural(count, 'measurement')} with all samples` : 'it';
  const confirmed = await confirm({
    title: 'Delete this run?',
    text: `This permanently deletes ${what}, for all users of this lab.`,
    action: 'Delete run',
  });
  if (!confirmed) return;
  await api.remove(run.id);
  announce('Run deleted');
  go('/runs', { replaceState: true });
}
