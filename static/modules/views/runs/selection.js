// The selected runs of the list, and the bar with what can be done with them: compare, tag, pin, delete.

import * as api from '../../lab/api.js';
import { h, replace } from '../../dom.js';
import { announce } from '../../parts/announce.js';
import { ask } from '../../parts/ask.js';
import { confirm } from '../../parts/confirm.js';
import { comparisonAddress, severalAddress, sidesAddress } from '../../parts/trendlink.js';
import { obstacleToComparison, rangeOf } from '../../results/rungroups.js';
import { isLive } from '../../text/displaynames.js';
import { plural } from '../../text/format.js';
import { go } from '../../router.js';
import { shortId } from '../../text/runtitle.js';

/** Returns {element, box(run), allBox, prune()}. `runs()` returns the runs of the list in order; `title(name)` the
 * title of an experiment; `changed()` is called when runs were changed or deleted. box(run) is the box that selects a
 * run, allBox the one for all of them. prune() forgets the runs that the list lacks. */
export function selection({ runs, title, changed }) {
  const selected = new Set(); // ids
  const boxes = new Map(); // id -> box
  let last = null; // the run clicked last: where a range begins
  const count = h('strong', { class: 'selection-count' });
  const hint = h('span', { class: 'aside' });
  const errors = h('div', { class: 'selection-errors', role: 'alert' });
  const button = (text, work, kind = '') => h('button', { type: 'button', class: kind, on: { click: work } }, text);
  const compareButton = button('Compare', compare, 'primary');
  const pinButton = button('Pin', togglePinned);
  const deleteButton = button('Delete…', remove, 'danger');
  const buttons = [compareButton, button('Add a tag…', addTag), pinButton, deleteButton];
  const clearButton = button('Clear the selection', clear, 'quiet');
  const element = h(
    'section',
    { class: 'selection bottom-bar', 'aria-label': 'Selected runs', hidden: true },
    h('div', { class: 'actions' }, count, buttons, clearButton, hint),
    errors,
  );
  const allBox = h('input', { type: 'checkbox', 'aria-label': 'Select all runs shown', on: { change: selectAll } });

  const chosen = () => runs().filter(({ id }) => selected.has(id));

  function box(run) {
    const input = h('input', {
      type: 'checkbox',
      'aria-label': `Select ${title(run.experiment)} ${shortId(run.id)}`,
      checked: selected.has(run.id),
      on: { click: (event) => select(run.id, event) },
    });
    boxes.set(run.id, input);
    return input;
  }

  /** Selects or deselects a run; with the shift key all from the run before that was clicked. */
  function select(id, event) {
    const ids = event.shiftKey && last ? rangeOf(runs().map((run) => run.id), last, id) : [id];
    for (const one of ids) selected[event.currentTarget.checked ? 'add' : 'delete'](one);
    last = id;
    draw();
  }

  function selectAll() {
    if (allBox.checked) runs().forEach(({ id }) => selected.add(id));
    else selected.clear();
    draw();
  }

  function clear() {
    selected.clear();
    replace(errors);
    draw();
    allBox.focus();
  }

  function draw() {
    const list = chosen();
    for (const [id, input] of boxes) input.checked = selected.has(id);
    allBox.checked = list.length > 0 && list.length === runs().length;
    allBox.indeterminate = list.length > 0 && !allBox.checked;
    element.hidden = list.length === 0;
    count.textContent = `${plural(list.length, 'run')} selected`;
    hint.textContent = obstacleToComparison(list);
    compareButton.disabled = hint.textContent !== '';
    pinButton.textContent = list.every(({ pinned }) => pinned) ? 'Unpin' : 'Pin';
  }

  /** Sends `work(run)` for each of `list`; names the runs for which it failed and keeps only them selected. */
  async function forEach(list, what, work) {
    [...buttons, clearButton].forEach((one) => { one.disabled = true; });
    const failed = [];
    for (const run of list) {
      try {
        await work(run);
        selected.delete(run.id);
      } catch (error) {
        failed.push(h('li', {}, h('strong', {}, `${title(run.experiment)} ${shortId(run.id)}`), `: ${error.message}`));
      }
    }
    [...buttons, clearButton].forEach((one) => { one.disabled = false; });
    replace(errors, failed.length ? h('ul', {}, failed) : null);
    announce(`${plural(list.length - failed.length, 'run')} ${what}`);
    await changed();
    draw();
    (element.hidden ? allBox : clearButton).focus();
  }

  /** Compares the older of two runs with the newer one, the sides of one, or more in one chart. */
  function compare() {
    const list = chosen().sort((a, b) => (a.id < b.id ? -1 : 1));
    if (list.length > 2) go(severalAddress(list.map(({ id }) => id)));
    else go(list.length === 1 ? sidesAddress(list[0].id) : comparisonAddress({ base: list[0].id, head: list[1].id }));
  }

  async function addTag() {
    const list = chosen();
    const tag = await ask({
      title: `Add a tag to ${plural(list.length, 'run')}`,
      label: 'Tag',
      hint: 'At most 64 characters.',
      action: 'Add the tag',
      max: 64,
    });
    const without = list.filter(({ tags }) => !(tags ?? []).includes(tag));
    if (tag) await forEach(without, 'tagged', (run) => api.change(run.id, { tags: [...run.tags, tag] }, run.revision));
  }

  async function togglePinned() {
    const list = chosen();
    const pinned = !list.every((run) => run.pinned);
    await forEach(list, pinned ? 'pinned' : 'unpinned', (run) => api.change(run.id, { pinned }, '*'));
  }

  async function remove() {
    const list = chosen();
    const live = list.filter(({ status }) => isLive(status)).length;
    const confirmed = await confirm({
      title: `Delete ${plural(list.length, 'run')}?`,
      text:
        'This permanently deletes them with all measurements, for all users of this lab. Pinned runs are kept.' +
        (live ? ' Runs that are queued or running must be cancelled before.' : ''),
      action: `Delete ${plural(list.length, 'run')}`,
    });
    if (confirmed) await forEach(list, 'deleted', (run) => api.remove(run.id));
  }

  return {
    element,
    box,
    allBox,
    prune() {
      const ids = new Set(runs().map(({ id }) => id));
      for (const id of [...boxes.keys()].filter((one) => !ids.has(one))) {
        boxes.delete(id);
        selected.delete(id);
      }
      draw();
    },
  };
}
