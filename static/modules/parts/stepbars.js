// The ladder of steps at one size: a bar for each, with its share of the vendor's library, whose height is a line
// through all bars of its group. A bar is a button: beside the ladder stands what its step does, and its code.

import { arrange, h } from '../dom.js';
import { ladderOf, orderOf } from '../stepgroups.js';
import { shows } from '../series.js';
import { sourcesOf } from '../sources.js';
import { announce } from './announce.js';
import { rungRow } from './stepbar.js';
import { stepDetail } from './stepdetail.js';

/** {element, update(series, hidden, {measurements, backend}), close()}, as parts/chart.js has it. */
export function ladder({ view, axis, metric, experiment }) {
  const order = orderOf(experiment, axis.name);
  const rungs = h('div', { class: 'ladder-groups' });
  const detail = stepDetail({ experiment, go: ({ step }) => choose(step) });
  const element = h('div', { class: 'ladder', role: 'group', 'aria-label': view.title }, rungs);
  const groups = new Map(); // key -> {element, list, rows: Map(step -> row)}
  let drawn = { ladder: [], measured: new Set(), sources: [] };
  let chosen = null;

  const sourceOf = (step) => drawn.sources.find((source) => source.step === step) ?? null;

  /** Called with a step whose source there is. */
  function choose(step) {
    chosen = step;
    drawChoice();
    announce(sourceOf(step).title);
    // Where it stands below the bars it may be out of sight.
    const [bars, box] = [rungs, detail.element].map((part) => part.getBoundingClientRect());
    if (box.top >= bars.bottom)
      detail.element.scrollIntoView({
        block: 'start',
        behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
      });
  }

  /** The step that was chosen, else the first that the run has measured, at whatever size; the detail shows it with its
   * neighbours. */
  function drawChoice() {
    const steps = [...new Set([...order, ...drawn.measured])].filter(
      (step) => drawn.measured.has(step) && sourceOf(step),
    );
    const step = steps.includes(chosen) ? chosen : steps[0];
    element.classList.toggle('explained', step !== undefined);
    for (const { rows } of groups.values()) for (const row of rows.values()) row.mark(step);
    if (step === undefined) return detail.element.remove();
    const at = steps.indexOf(step);
    if (!detail.element.isConnected) element.append(detail.element);
    return detail.show(sourceOf(step), [sourceOf(steps[at - 1]), sourceOf(steps[at + 1])]);
  }

  function drawGroup(group, single) {
    if (!groups.has(group.key)) {
      const head = h('h3', { class: 'bar-head' });
      const list = h('ol', { class: 'rungs' });
      groups.set(group.key, { element: h('div', { class: 'bar-group' }, head, list), head, list, rows: new Map() });
    }
    const { element: box, head, list, rows } = groups.get(group.key);
    head.textContent = group.label;
    head.hidden = single;
    for (const rung of group.rungs) {
      const known = rows.get(rung.step);
      const source = sourceOf(rung.step);
      if (!known || known.source !== source)
        rows.set(rung.step, rungRow({ step: rung.step, source, axis, metric, controls: detail.element.id, choose }));
      rows.get(rung.step).update(rung, group);
    }
    arrange(
      list,
      group.rungs.map(({ step }) => rows.get(step).element),
    );
    return box;
  }

  return {
    element,
    close() {},
    update(series, hidden, { measurements, backend }) {
      const shown = series.filter(({ key }) => !hidden.has(key));
      const own = measurements.filter((measurement) => !measurement.skipped && shows(view, measurement));
      drawn = {
        ladder: ladderOf(shown, measurements),
        measured: new Set(own.map(({ axes }) => axes[axis.name])),
        sources: sourcesOf(experiment, backend),
      };
      arrange(
        rungs,
        drawn.ladder.map((group) => drawGroup(group, series.length === 1)),
      );
      drawChoice();
    },
  };
}
