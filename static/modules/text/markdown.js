// The Markdown of explanations, of which a small subset is understood (kernels/experiments/README.md, "Explanations"):
// a text made into blocks, and the text of a block into pieces. What is not of the subset stays text. No piece is found
// by a search without a bound, so that the time grows with the length of the text only.

const HEADING = /^(##|###) +(.*)$/;
const FENCE = /^\s*```/;
const ITEM = /^(\s*)(?:-|(\d{1,9})\.)\s+(.*)$/;
const NESTED_INDENT = 2; // an item that is indented by so much more than the first one is in a list within the item before

/** The pieces that begin with a mark. A link leads to an https address, to a path of this lab or to a part of the
 * page. */
const PIECE = new RegExp(
  [
    /\\(?<escaped>[!-/:-@[-`{-~])/,
    /`(?<code>[^`]{1,500})`/,
    /\$(?<formula>[^\s$]|[^\s$][^$]{0,500}[^\s$\\])\$(?!\d)/,
    /\[(?<text>[^[\]]{1,500})\]\((?<href>https:\/\/[^\s()\\]{1,500}|\/(?![/\\])[^\s()\\]{0,500}|#[\w-]{1,100})\)/,
    /(?<mark>\*\*?)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

const isBlank = (line) => !line.trim();
/** The first line from number `at` on for which `test` is true; their number where there is none. */
function findLine(lines, at, test) {
  while (at < lines.length && !test(lines[at])) at += 1;
  return at;
}
/** Whether a line begins a block without a blank line before it. */
const interrupts = (line) => HEADING.test(line) || FENCE.test(line) || line.trim().startsWith('$$');

/** The blocks of a text: {kind: 'paragraph', content}, {kind: 'heading', level: 2 or 3, content}, {kind: 'list',
 * ordered, start, items: [{content, list}]}, {kind: 'table', align, head, rows}, {kind: 'code', text} and {kind:
 * 'formula', text}. A content is a list of pieces (piecesOf), `list` a list of the same form or null; `align` is
 * 'left', 'right', 'center' or '' for each column. */
export function blocksOf(text) {
  const lines = text.split(/\r\n|\r|\n/);
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    if (isBlank(lines[at])) {
      at += 1;
      continue;
    }
    const [block, next] =
      codeAt(lines, at) ?? formulaAt(lines, at) ?? headingAt(lines, at) ?? listAt(lines, at) ?? tableAt(lines, at) ?? paragraphAt(lines, at);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

// Each of these returns [block, the line after it], or null where the line begins no such block.

function codeAt(lines, at) {
  if (!FENCE.test(lines[at])) return null;
  const end = findLine(lines, at + 1, (line) => FENCE.test(line));
  return [{ kind: 'code', text: lines.slice(at + 1, end).join('\n') }, end + 1];
}

function formulaAt(lines, at) {
  if (!lines[at].trim().startsWith('$$')) return null;
  let text = lines[at].trim().slice(2);
  let next = at + 1;
  while (!text.includes('$$') && next < lines.length && !isBlank(lines[next])) {
    text += ` ${lines[next].trim()}`;
    next += 1;
  }
  const formula = text.slice(0, -2).trim();
  return text.indexOf('$$') === text.length - 2 && formula ? [{ kind: 'formula', text: formula }, next] : null;
}

function headingAt(lines, at) {
  const [, marks, text] = HEADING.exec(lines[at]) ?? [];
  return marks ? [{ kind: 'heading', level: marks.length, content: piecesOf(text) }, at + 1] : null;
}

function paragraphAt(lines, at) {
  const next = findLine(lines, at + 1, (line) => isBlank(line) || interrupts(line));
  const text = lines.slice(at, next).map((line) => line.trim());
  return [{ kind: 'paragraph', content: piecesOf(text.join(' ')) }, next];
}

const newList = ([, , number]) => ({ kind: 'list', ordered: number !== undefined, start: Number(number ?? 1), items: [] });
/** Whether the marker is one of the list. */
const isOf = (list, [, , number]) => list.ordered === (number !== undefined);

function listAt(lines, at) {
  const first = ITEM.exec(lines[at]);
  if (!first) return null;
  const list = newList(first);
  let item; // whose lines follow
  for (let next = at; next < lines.length; next += 1) {
    const following = findLine(lines, next, (line) => !isBlank(line)); // an item may follow blank lines
    const marker = ITEM.exec(lines[following] ?? '');
    const isNested = marker && marker[1].length >= first[1].length + NESTED_INDENT;
    const ends = marker ? !isNested && !isOf(list, marker) : following > next || interrupts(lines[next]);
    if (ends) return [withContent(list), next];
    if (marker) {
      item = { text: marker[3], list: null };
      const [last] = list.items.slice(-1);
      (isNested ? (last.list ??= newList(marker)) : list).items.push(item);
      next = following;
    } else item.text += ` ${lines[next].trim()}`;
  }
  return [withContent(list), lines.length];
}

/** A list of items with their pieces in place of their text. */
const withContent = ({ items, ...list }) => ({
  ...list,
  items: items.map((item) => ({ content: piecesOf(item.text.trim()), list: item.list && withContent(item.list) })),
});

const cellsOf = (line) =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.replaceAll('\\|', '|').trim());

const ALIGNMENTS = { '--': '', ':-': 'left', '-:': 'right', '::': 'center' };

function tableAt(lines, at) {
  const rule = at + 1 < lines.length && lines[at].includes('|') && lines[at + 1].includes('|') ? cellsOf(lines[at + 1]) : [];
  const head = cellsOf(lines[at]);
  if (rule.length !== head.length || !rule.every((cell) => /^:?-+:?$/.test(cell))) return null;
  const next = findLine(lines, at + 2, (line) => !line.includes('|') || interrupts(line));
  const rows = lines.slice(at + 2, next).map((line) => cellsOf(line).map(piecesOf));
  const align = rule.map((cell) => ALIGNMENTS[(cell.startsWith(':') ? ':' : '-') + (cell.endsWith(':') ? ':' : '-')]);
  return [{ kind: 'table', align, head: head.map(piecesOf), rows }, next];
}

/** The pieces of a text: strings, {kind: 'code', text}, {kind: 'formula', text}, {kind: 'link', href, content}, {kind:
 * 'emphasis', content} and {kind: 'strong', content}. */
export function piecesOf(text) {
  const open = [{ mark: '', content: [] }]; // the marks of emphasis that are not closed, from the outside to the inside
  const put = (piece) => open.at(-1).content.push(piece);
  let from = 0;
  for (const match of text.matchAll(PIECE)) {
    const { escaped, code, formula, href, text: label, mark } = match.groups;
    const end = match.index + match[0].length;
    if (match.index > from) put(text.slice(from, match.index));
    from = end;
    if (escaped) put(escaped);
    else if (code) put({ kind: 'code', text: code });
    else if (formula) put({ kind: 'formula', text: formula });
    else if (href) put({ kind: 'link', href, content: piecesOf(label) });
    else takeMark(open, put, mark, { before: text[match.index - 1] ?? ' ', after: text[end] ?? ' ' });
  }
  if (from < text.length) put(text.slice(from));
  return joined(unopened(open));
}

/** Opens emphasis at the beginning of a word, closes what is open at the end of one, and is text elsewhere. */
function takeMark(open, put, mark, { before, after }) {
  const at = /\s/.test(before) ? -1 : open.findLastIndex((one) => one.mark === mark && one.content.length);
  if (at > 0) {
    const [{ content }, ...inner] = open.splice(at);
    put({ kind: mark === '*' ? 'emphasis' : 'strong', content: joined([...content, ...unopened(inner)]) });
  } else if (/[\s*]/.test(after) || /[\p{L}\p{N}]/u.test(before)) put(mark);
  else open.push({ mark, content: [] });
}

/** The pieces of emphasis that is not closed, with its marks as text. */
const unopened = (open) => open.flatMap(({ mark, content }) => [mark, ...content]).filter((piece) => piece !== '');

/** Pieces with neighbouring strings made one. */
const joined = (pieces) =>
  pieces.reduce((all, piece) => {
    if (typeof piece === 'string' && typeof all.at(-1) === 'string') all[all.length - 1] += piece;
    else all.push(piece);
    return all;
  }, []);
