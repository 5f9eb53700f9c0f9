// Keyboard control of a timeline: arrow keys move between the spans of a row and to the nearest span of the next row; +
// and − zoom around the current span.

const PAN_SHARE = 0.25; // share of the visible window that Shift with an arrow key moves

/** Returns a handler (event, shownVariant) for keydown events on a variant. `shownVariant` is {chart, focus}: its chart
 * (chart.js) and the {row, index} of the focused span. The handler calls the functions of `actions`:
 * focusSpan(shownVariant, row, index), move(share of the visible window), zoomIn(span, shownVariant),
 * zoomOut(span, shownVariant), showAll(),
 * choose(span, shownVariant), leave(shownVariant). */
export function timelineKeys(actions) {
  return (event, shownVariant) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = shownVariant.chart.rows();
    const { row, index } = shownVariant.focus;
    const { items } = rows[row];
    const { span } = items[index];
    const moveInRow = (step) =>
      event.shiftKey ? actions.move(step * PAN_SHARE) : actions.focusSpan(shownVariant, row, index + step);
    const moveToRow = (step) =>
      rows[row + step] && actions.focusSpan(shownVariant, row + step, nearest(rows[row + step].items, span));
    const handlers = {
      ArrowRight: () => moveInRow(1),
      ArrowLeft: () => moveInRow(-1),
      ArrowDown: () => moveToRow(1),
      ArrowUp: () => moveToRow(-1),
      Home: () => actions.focusSpan(shownVariant, row, 0),
      End: () => actions.focusSpan(shownVariant, row, items.length - 1),
      '+': () => actions.zoomIn(span, shownVariant),
      '=': () => actions.zoomIn(span, shownVariant),
      '-': () => actions.zoomOut(span, shownVariant),
      0: actions.showAll,
      Enter: () => actions.choose(span, shownVariant),
      Escape: () => actions.leave(shownVariant),
    };
    if (!handlers[event.key]) return;
    event.preventDefault();
    handlers[event.key]();
  };
}

/** The index in `items` of the span whose middle is nearest to that of another span. */
function nearest(items, { start, end }) {
  const distance = ({ span }) => Math.abs(span.start + span.end - start - end);
  return items.reduce((best, item, index) => (distance(item) < distance(items[best]) ? index : best), 0);
}
