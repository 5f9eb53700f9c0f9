// The order of a table's rows, and which of them a text leaves. A column is {title, value(row), text(row)}: what it is
// sorted by, and what is searched; a column without `value` cannot be sorted.

/** The rows that have every word of `text` in one of their columns. */
export function matchingRows(rows, columns, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return rows;
  const searched = columns.filter((column) => column.text);
  return rows.filter((row) => {
    const all = searched.map((column) => column.text(row)).join('\n').toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

/** The order that `text` names: "Median" is rising, "-Median" falling: {column, falling}; null for another text. */
export function orderOf(columns, text) {
  const falling = text.startsWith('-');
  const column = columns.find(({ title, value }) => value && title === text.slice(falling ? 1 : 0));
  return column ? { column, falling } : null;
}

/** What a press on the head of a column makes of the order: rising, falling, then the rows' own order. */
export function nextOrder(columns, text, title) {
  const order = orderOf(columns, text);
  if (order?.column.title !== title) return title;
  return order.falling ? '' : `-${title}`;
}

/** The rows in this order; those without a value come last. */
export function sortedRows(rows, order) {
  if (!order) return rows;
  const { column, falling } = order;
  const isMissing = (value) => value === undefined || value === null || Number.isNaN(value);
  const compare = (a, b) => (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true }));
  return [...rows].sort((first, second) => {
    const [a, b] = [column.value(first), column.value(second)];
    if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
    return falling ? compare(b, a) : compare(a, b);
  });
}
