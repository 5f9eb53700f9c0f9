// What the run of the form would take, computed by the lab while the form is edited.

import * as api from '../lab/api.js';
import { h, replace } from '../dom.js';
import { bytes, plural, roughDuration } from '../text/format.js';

const PAUSE_MS = 300; // without a change, before the lab is asked

/** Returns {element, update(request)}. `request` is {sweep, body, values}, or null where the form has errors; `values`
 * are those that the form shows, if it shows any. `failed(errors)` is called with the errors of a problem document, []
 * without any. */
export function planLine(failed) {
  const element = h('p', { class: 'plan', role: 'status' });
  let timer = null;
  let controller = null;

  async function ask({ sweep, body, values }) {
    controller = new AbortController();
    const { signal } = controller;
    try {
      const plan = await (sweep ? api.planSweep(body, signal) : api.plan(body, signal));
      replace(element, planText(plan, values));
      failed([]);
    } catch (error) {
      if (signal.aborted) return;
      replace(element, error.errors?.length ? null : error.message);
      failed(error.errors ?? []);
    }
  }

  return {
    element,
    update(request) {
      clearTimeout(timer);
      controller?.abort();
      if (request) timer = setTimeout(ask, PAUSE_MS, request);
      else replace(element);
    },
  };
}

/** "4 runs, 120 points, about 12 s; 256 MiB on the device, 512 MiB on the host". A time budget that is not the one that
 * the form shows is named: the lab raises it for many points and for comparisons. */
function planText({ runs, points, seconds, device_bytes, host_bytes, parameters }, { time_budget_s: shown } = {}) {
  const budget = parameters?.time_budget_s;
  const amounts = [
    runs && plural(runs, 'run'),
    plural(points, 'point'),
    `about ${roughDuration(seconds)}`,
    shown !== undefined && budget !== undefined && budget !== shown && `with a time budget of ${roughDuration(budget)}`,
  ];
  const memory = [
    device_bytes > 0 && `${bytes(device_bytes)} on each device`,
    host_bytes > 0 && `${bytes(host_bytes)} on the host`,
  ].filter(Boolean);
  return [amounts.filter(Boolean).join(', '), memory.join(', ')].filter(Boolean).join('; ');
}
