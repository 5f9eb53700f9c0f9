// Bars of the optimisation steps at one size. Each bar gives the throughput of a step and its share of the throughput
// of the vendor's library, which a dashed line marks in all bars of a group. The name of a bar is a button that shows
// the explanation and the source code of its step beside the bars.

import { arrange, h, keepingFocus, replace } from '../../dom.js';
import { stepGroupsOf, stepShownFirst } from '../../results/stepgroups.js';
import { sourcesOf } from '../../lab/sources.js';
import { axisValueText } from '../../text/displaynames.js';
import { percent, quantity } from '../../text/format.js';
import { orderOf } from '../../text/valueorder.js';
import { announce } from '../../parts/announce.js';
import { stepBar } from './stepbar.js';
import { stepDetail } from './stepdetail.js';

/** Returns a chart (lines/linechart.js describes the interface); `update` also takes {measurements, run, backend}. The
 * step that the user has chosen is the choice `step`. */
export function stepBars({ view, axis, metric, experiment, choices, showSamples }) {
  const order = orderOf(experiment, axis.name);
  const groupList = h('div', { class: 'step-bar-groups' });
  const detail = stepDetail({ experiment, go: ({ step }) => choose(step) });
  const element = h('div', { class: 'step-bars stack spaced', role: 'group', 'aria-label': view.title }, groupList);
  const groups = new Map(); // key of the series -> {element, head, list, rows: step -> result of stepBar}
  let drawn = { groups: [], sources: [], run: null };

  const sourceOf = (step) => drawn.sources.find((source) => source.step === step) ?? null;

  /** Shows the details of a step, which must have a source. */
  function choose(step) {
    choices.set({ step });
    drawChoice();
    announce(sourceOf(step).title);
    // On a narrow page the details are below the bars and may be out of view.
    const [bars, box] = [groupList, detail.element].map((part) => part.getBoundingClientRect());
    if (box.top >= bars.bottom)
      detail.element.scrollIntoView({
        block: 'start',
        behavior: matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth',
      });
  }

  /** Shows the details of the chosen step or, if it has no bar, of the one that is shown first. */
  function drawChoice() {
    const barred = new Set(drawn.groups.flatMap(({ bars }) => bars.map(({ step }) => step)));
    const steps = [...new Set([...order, ...barred])].filter((step) => barred.has(step) && sourceOf(step));
    const step = steps.includes(choices.get('step')) ? choices.get('step') : stepShownFirst(drawn.run, metric, axis, steps);
    element.classList.toggle('with-detail', step !== undefined);
    for (const { rows } of groups.values()) for (const row of rows.values()) row.mark(step);
    if (step === undefined) return detail.element.remove();
    const index = steps.indexOf(step);
    if (!detail.element.isConnected) element.append(detail.element);
    return detail.show(sourceOf(step), [sourceOf(steps[index - 1]), sourceOf(steps[index + 1])]);
  }

  const titleOf = (step) => sourceOf(step)?.title ?? axisValueText(axis, step);

  /** "Largest jump: Tiles, 3x the step before", where the name of the step shows its details. */
  function jumpText({ step, factor }) {
    const title = titleOf(step);
    const name = sourceOf(step) ? h('button', { type: 'button', class: 'link', on: { click: () => choose(step) } }, title) : title;
    return ['Largest jump: ', name, `, ${quantity(factor, 'x')} the step before`];
  }

  /** "WGMMA + TMA: 100 % of cuBLAS in alternate samples, at the same clock; 95.0 % by the bars, each at the clock that
   * its step reaches by itself". */
  const contrastText = ({ step, share, ofBars }, reference) =>
    `${titleOf(step)}: ${percent(share, 3)} of ${titleOf(reference.step)} in alternate samples, at the same clock; ` +
    `${percent(ofBars, 3)} by the bars, each at the clock that its step reaches by itself.`;

  /** Draws a group of stepgroups.js; without a heading if it is `single`. */
  function drawGroup(group, single, cautions) {
    if (!groups.has(group.key)) {
      const head = h('h3', { class: 'bar-head' });
      const jump = h('p', { class: 'step-jump' });
      const contrast = h('p', { class: 'aside' });
      const list = h('ol', { class: 'step-bar-list' });
      groups.set(group.key, { element: h('div', { class: 'bar-group' }, head, jump, list, contrast), head, jump, contrast, list, rows: new Map() });
    }
    const { element: box, head, jump, contrast, list, rows } = groups.get(group.key);
    head.textContent = group.label;
    head.hidden = single;
    jump.hidden = !group.jump;
    if (group.jump) keepingFocus(jump, 'button', () => replace(jump, jumpText(group.jump)));
    contrast.textContent = group.contrast ? contrastText(group.contrast, group.reference) : '';
    contrast.hidden = !group.contrast;
    for (const bar of group.bars) {
      const known = rows.get(bar.step);
      const source = sourceOf(bar.step);
      if (!known || known.source !== source)
        rows.set(bar.step, stepBar({ step: bar.step, source, axis, metric, controls: detail.element.id, choose, showSamples }));
      rows.get(bar.step).update(bar, group, cautions(bar.measurement));
    }
    arrange(
      list,
      group.bars.map(({ step }) => rows.get(step).element),
    );
    return box;
  }

  return {
    element,
    close() {},
    update(series, hidden, { measurements, run, backend, cautions }) {
      const shown = series.filter(({ key }) => !hidden.has(key));
      drawn = { groups: stepGroupsOf(shown, measurements, metric), sources: sourcesOf(experiment, backend), run };
      arrange(
        groupList,
        drawn.groups.map((group) => drawGroup(group, series.length === 1, cautions)),
      );
      drawChoice();
    },
  };
}
