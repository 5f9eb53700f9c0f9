// Runs the program: the button, what the lab says of the request, and the run as it goes on, in tabs.

import { h, replace } from '../../dom.js';
import { planLine } from '../../forms/plan.js';
import { followRun } from '../../lab/followrun.js';
import * as lab from '../../lab/lab.js';
import { devicesOf, withDeviceNames } from '../../lab/rundevices.js';
import { submission } from '../../lab/submission.js';
import { announce } from '../../parts/announce.js';
import { isLive, STATUSES } from '../../text/displaynames.js';
import { headlines } from '../run/headlines.js';
import { runNotices } from '../run/notices.js';
import { progressPanel } from '../run/progress.js';
import { runTabs } from '../run/tabset.js';

const TITLES = { output: 'Output', timeline: 'Timeline', findings: 'Findings', chart: 'Results' };

/** Returns {bar, element, run(), show(id), update()}: `bar` has the button; show() shows a run, update() is called
 * after each change of the form. `request()` returns the body of the request, or null where the form has errors, which
 * it shows; `failed(errors)` is called with those of a problem document, and returns the texts of those that belong to
 * no field. `started(id)` is called with the id of a run, `compiled(messages)` with what compilers say of it
 * (text/compilermessages.js). `allowed`: whether the person may run programs. `choices` has the tab. */
export function programRun({ experiment, allowed, request, failed, started, compiled, choices, signal }) {
  const start = submission();
  const refusal = h('div', { class: 'field-error', role: 'alert' });
  const plan = planLine(showErrors);
  const title = allowed ? null : 'Running needs the role operator';
  const button = h('button', { type: 'button', class: 'primary', disabled: !allowed, title, on: { click: run } }, 'Run');
  const element = h('section', { class: 'outcome stack loose', 'aria-label': 'The run' }, nothingYet());
  let following = new AbortController(); // of the run that is shown

  function showErrors(errors) {
    replace(
      refusal,
      failed(errors).map((text) => h('p', {}, text)),
    );
  }

  async function run() {
    if (button.disabled) return;
    const body = request();
    if (!body) return announce('Nothing was started: a field has an error.');
    button.disabled = true;
    try {
      const id = await start(body);
      showErrors([]);
      announce('Run started');
      started(id);
      show(id);
      element.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      showErrors(error.errors?.length ? error.errors : [{ detail: error.message }]);
    } finally {
      button.disabled = false;
    }
  }

  function show(id) {
    following.abort();
    following = new AbortController();
    const own = AbortSignal.any([signal, following.signal]);
    const progress = progressPanel({ experiment, signal: own });
    const figures = headlines({ experiment });
    const notices = h('div', { class: 'run-notices row' });
    let tabSet = null; // made when the run is known
    replace(element, progress.element, notices, figures.element);

    function addTabs(run) {
      const devices = devicesOf(run, lab.device);
      const named = withDeviceNames(experiment, devices);
      tabSet = runTabs({ experiment: named, devices, run, signal: own, choices, titles: TITLES });
      element.append(tabSet.element, h('p', {}, h('a', { href: `/runs/${id}` }, 'All about this run')));
    }

    function changed(next) {
      const measurements = next.measurements ?? [];
      if (!tabSet) addTabs(next);
      progress.update(next);
      compiled(next.messages ?? next.error?.messages ?? []); // the latter of runs of earlier versions
      replace(notices, runNotices(next, measurements, experiment));
      figures.update(next, measurements, null);
      tabSet.update({ run: next, measurements, references: [] });
      if (!isLive(next.status)) announce(`Run ${STATUSES[next.status]?.word ?? next.status}`);
    }

    followRun(id, own, changed, (error) => replace(element, h('p', { class: 'field-error', role: 'alert' }, error.message)));
  }

  return {
    bar: h('div', { class: 'run-bar row loose' }, button, plan.element, refusal),
    element,
    run,
    show,
    update() {
      const body = allowed ? request() : null;
      plan.update(body && { sweep: false, body });
    },
  };
}

const nothingYet = () => h('p', { class: 'aside' }, 'What the program prints, measures and does on the device is shown here when it runs.');
