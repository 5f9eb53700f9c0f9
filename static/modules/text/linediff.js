// Compares two texts line by line.

/** What leads from `before` to `after`: a row for each line, {kind, text, before, after}, with kind "same", "removed"
 * or "added" and the numbers of the line in both texts, from 1, or null. The lines that are the same are a longest
 * common subsequence. */
export function diffLines(before, after) {
  const [old, own] = [before.split('\n'), after.split('\n')];
  const start = commonStart(old, own);
  const end = commonEnd(old, own, start);
  const same = (i, k) => ({ kind: 'same', text: own[k], before: i + 1, after: k + 1 });
  return [
    ...own.slice(0, start).map((_, k) => same(k, k)),
    ...differing(old.slice(start, old.length - end), own.slice(start, own.length - end), start),
    ...own.slice(own.length - end).map((_, at) => same(old.length - end + at, own.length - end + at)),
  ];
}

function commonStart(old, own) {
  let count = 0;
  while (count < old.length && count < own.length && old[count] === own[count]) count++;
  return count;
}

/** How many lines at the end are the same, without the first `start` lines. */
function commonEnd(old, own, start) {
  let count = 0;
  while (count < Math.min(old.length, own.length) - start && old.at(-1 - count) === own.at(-1 - count)) count++;
  return count;
}

const PAIRS_MAX = 16e6; // of lines that are compared: they take 64 MB

/** The rows of lines that begin `start` lines below the first. Where there are too many to compare them, all are
 * removed and added. */
function differing(old, own, start) {
  if (old.length * own.length > PAIRS_MAX)
    return [
      ...old.map((text, i) => ({ kind: 'removed', text, before: start + i + 1, after: null })),
      ...own.map((text, k) => ({ kind: 'added', text, before: null, after: start + k + 1 })),
    ];
  const lengths = commonLengths(old, own);
  const rows = [];
  for (let i = 0, k = 0; i < old.length || k < own.length;) {
    const [before, after] = [start + i + 1, start + k + 1];
    if (i < old.length && k < own.length && old[i] === own[k]) {
      rows.push({ kind: 'same', text: own[k], before, after });
      i++;
      k++;
    } else if (i < old.length && (k === own.length || lengths[i + 1][k] >= lengths[i][k + 1])) {
      rows.push({ kind: 'removed', text: old[i++], before, after: null });
    } else rows.push({ kind: 'added', text: own[k++], before: null, after });
  }
  return rows;
}

/** lengths[i][k] is the length of the longest common subsequence of `old` from i on and `own` from k on. */
function commonLengths(old, own) {
  const lengths = Array.from({ length: old.length + 1 }, () => new Uint32Array(own.length + 1));
  for (let i = old.length - 1; i >= 0; i--)
    for (let k = own.length - 1; k >= 0; k--)
      lengths[i][k] = old[i] === own[k] ? lengths[i + 1][k + 1] + 1 : Math.max(lengths[i + 1][k], lengths[i][k + 1]);
  return lengths;
}

/** Rows of a comparison as they stand beside each other: {kind: "same" or "changed", before, after} with the rows of
 * both sides, one of which may be null, and what withoutLongSame has left out. */
export function besideRows(rows) {
  const pairs = [];
  let [removed, added] = [[], []];
  const pairUp = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      pairs.push({ kind: 'changed', before: removed[at] ?? null, after: added[at] ?? null });
    [removed, added] = [[], []];
  };
  for (const row of rows) {
    if (row.kind === 'removed') removed.push(row);
    else if (row.kind === 'added') added.push(row);
    else {
      pairUp();
      pairs.push(row.kind === 'same' ? { kind: 'same', before: row, after: row } : row);
    }
  }
  pairUp();
  return pairs;
}

/** Which lines of `after` are new or changed compared with `before`: an array with true or false for each line. */
export const changedLines = (before, after) =>
  diffLines(before, after)
    .filter(({ kind }) => kind !== 'removed')
    .map(({ kind }) => kind === 'added');

/** How many lines differ, as "+3 −1"; "no change" for equal texts. */
export function changeText(before, after) {
  const rows = diffLines(before, after);
  const count = (wanted) => rows.filter(({ kind }) => kind === wanted).length;
  const [added, removed] = [count('added'), count('removed')];
  return added || removed ? `+${added} −${removed}` : 'no change';
}

const CONTEXT = 3; // unchanged lines that are shown before and after a change

/** The rows of a comparison in which long unchanged parts are replaced by {kind: "skipped", count}. */
export function withoutLongSame(rows) {
  const near = rows.map((_, at) =>
    rows.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== 'same'),
  );
  const shown = [];
  rows.forEach((row, at) => {
    if (near[at]) shown.push(row);
    else if (shown.at(-1)?.kind === 'skipped') shown.at(-1).count++;
    else shown.push({ kind: 'skipped', count: 1 });
  });
  return shown;
}
