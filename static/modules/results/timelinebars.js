// What is drawn of a row of a timeline: of the spans in the visible part of the time those that are at least a pixel
// wide, or alone in theirs, as bars; of the others, for each column of pixels, the part of its time that they take, by
// kind. So as much is drawn as pixels can show, however many spans there are.

import { kindOrder } from './timeline.js';

const NARROW = 1; // px; narrower spans are drawn together where several share a column
const HEIGHT_MIN = 2; // px of a column in which hardly anything ran: it must be seen

/** The first position from 0 to `count` at which `holds` is true; it is false before and true behind. */
function firstWhere(count, holds) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The positions [first, behind the last] of the items of a row (rowsOf) that may be between two times in ns; outside,
 * none is. */
export function itemsBetween({ items, reached }, from, to) {
  const first = firstWhere(items.length, (at) => reached[at] >= from);
  return [first, Math.max(first, firstWhere(items.length, (at) => items[at].span.start > to))];
}

/** What is drawn of a row: {bars, columns}. `bars` are items; `columns` are [{kind, slot, slots, x, width, low, high}]:
 * px in the plot, and in px from the bottom of the slot. `view` is {from, scale, plot}: the time in ns at the left
 * edge, px per ns, the width in px; `heightOf(slots)` the height in px of one of so many slots. */
export function barsOf(row, view, heightOf) {
  const { from, scale, plot } = view;
  const [first, end] = itemsBetween(row, from, from + plot / scale);
  const bars = [];
  const slots = new Map(); // the column of pixels that is being filled, by slot and number of slots
  const columns = [];
  for (let at = first; at < end; at += 1) {
    const item = row.items[at];
    const { span, slot } = item;
    if (span.end < from) continue;
    if ((span.end - span.start) * scale >= NARROW) {
      bars.push(item);
      continue;
    }
    const key = slot + item.slots / 100;
    const x = Math.floor((span.start - from) * scale);
    let column = slots.get(key);
    if (column?.x !== x) {
      if (column) endColumn(column, bars, columns, heightOf);
      column = { x, first: item, count: 0, times: new Map(), last: column?.drawn ?? [] };
      slots.set(key, column);
    }
    column.count += 1;
    column.times.set(span.kind, (column.times.get(span.kind) ?? 0) + (span.end - span.start) * scale);
  }
  for (const column of slots.values()) endColumn(column, bars, columns, heightOf);
  return { bars, columns };
}

/** Adds a full column of pixels to the bars or columns. Heights are whole pixels, and equal neighbours become one wider
 * column. */
function endColumn(column, bars, columns, heightOf) {
  const { x, first, count, times, last } = column;
  column.drawn = [];
  if (count === 1) return bars.push(first);
  const { slot, slots } = first;
  const most = Math.max(HEIGHT_MIN, Math.floor(heightOf(slots)));
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  const share = Math.min(1, all) / (all || 1);
  let low = 0;
  const kinds = [...times].sort(([a], [b]) => kindOrder(a) - kindOrder(b));
  for (const [at, [kind, time]] of kinds.entries()) {
    const top = low + Math.round(time * share * most);
    const high = Math.min(most, at === kinds.length - 1 ? Math.max(HEIGHT_MIN, top) : top);
    const part = { kind, slot, slots, x, width: 1, low, high };
    const before = last.find((one) => one.kind === kind && one.low === part.low && one.high === part.high && one.x + one.width === x);
    if (before) before.width += 1;
    else if (high > low) columns.push(part);
    column.drawn.push(before ?? part);
    low = high;
  }
  return undefined;
}
