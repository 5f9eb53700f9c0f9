// The keys of a timeline: arrows go from span to span within a row and to the nearest of the next row, + and - zoom
// around the one that is reached.

const QUARTER = 0.25; // of what is seen: a step with Shift

/** A handler (event, one) for keydown on a variant {chart, focus: {row, index}}. `hands` is told: reach(one, row, index),
 * move(share of what is seen), closer(span), wider(span), whole(), leave(one). */
export function timelineKeys(hands) {
  return (event, one) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const rows = one.chart.rows();
    const { row, index } = one.focus;
    const { items } = rows[row];
    const { span } = items[index];
    const along = (step) => (event.shiftKey ? hands.move(step * QUARTER) : hands.reach(one, row, index + step));
    const across = (step) => rows[row + step] && hands.reach(one, row + step, nearest(rows[row + step].items, span));
    const keys = {
      ArrowRight: () => along(1),
      ArrowLeft: () => along(-1),
      ArrowDown: () => across(1),
      ArrowUp: () => across(-1),
      Home: () => hands.reach(one, row, 0),
      End: () => hands.reach(one, row, items.length - 1),
      '+': () => hands.closer(span),
      '=': () => hands.closer(span),
      '-': () => hands.wider(span),
      0: hands.whole,
      Escape: () => hands.leave(one),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  };
}

/** The place in `items` of the span whose middle is nearest to another's. */
function nearest(items, { start, end }) {
  const away = ({ span }) => Math.abs(span.start + span.end - start - end);
  return items.reduce((best, item, index) => (away(item) < away(items[best]) ? index : best), 0);
}
