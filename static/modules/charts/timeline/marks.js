// The marks of a timeline: the last two spans or times that the user has chosen, their details, and the time between
// them.

import { h, replace } from '../../dom.js';
import { announce } from '../../parts/announce.js';
import { exactTime } from '../../text/format.js';
import { betweenText, detailTexts, spanReading } from './text.js';

const NAMES = ['A', 'B'];

/** Returns {element, lines, choose(mark, spoken), draw(xOf), clear()}. A mark is {one, start, end, span}: the variant
 * (variant.js), the times in ns, and the span, or null for a time. The mark that was chosen last is removed when it is
 * chosen again; one of another variant begins anew. `lines` are elements for the stack, which draw() moves: xOf(mark)
 * is in px, or null where the mark is not seen. `changed()` is called after each change; detailsOf(span) is a promise
 * of the details of a span, which are shown when they are there. */
export function timelineMarks({ changed, detailsOf }) {
  const element = h('div', { class: 'timeline-marks row loose spread no-export', role: 'group', 'aria-label': 'Marks', hidden: true });
  const lines = NAMES.map((name) => h('div', { class: 'timeline-mark-line', hidden: true, 'aria-hidden': 'true' }, h('span', {}, name)));
  let marks = [];

  const isSame = (a, b) => a.one === b.one && a.start === b.start && a.span === b.span;
  const textOf = ({ span, start, details = [] }) => (span ? [spanReading(span).name, spanReading(span).facts, details].flat() : [exactTime(start)]);

  function set(next, spoken) {
    marks = next;
    element.hidden = !marks.length;
    const entries = marks.map((mark, at) => [NAMES[at], textOf(mark)]);
    if (marks.length === NAMES.length) entries.push([NAMES.join(' to '), betweenText(...marks)]);
    replace(
      element,
      h(
        'dl',
        {},
        entries.map(([name, texts]) => h('div', {}, h('dt', {}, name), h('dd', {}, texts.join(' · ')))),
      ),
      h('button', { type: 'button', class: 'small', on: { click: () => set([], false) } }, 'Remove the marks'),
    );
    if (spoken && entries.length) announce(entries.at(-1).flat().join(', '));
    changed();
  }

  return {
    element,
    lines,
    async choose(mark, spoken = false) {
      const last = marks.at(-1);
      if (last && isSame(last, mark)) return set(marks.slice(0, -1), spoken);
      set(last?.one === mark.one ? [...marks.slice(1 - NAMES.length), mark] : [mark], false);
      if (mark.span) mark.details = await detailsOf(mark.span).then(detailTexts, () => ['the details could not be loaded']);
      return marks.includes(mark) && set(marks, spoken);
    },
    draw(xOf) {
      lines.forEach((line, at) => {
        const x = marks[at] ? xOf(marks[at]) : null;
        line.hidden = x === null;
        if (x !== null) line.style.setProperty('left', `${x}px`);
      });
    },
    clear: () => set([], false),
  };
}
