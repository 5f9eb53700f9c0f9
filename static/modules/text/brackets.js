// Which brackets of a source belong together.

const CLOSES = { ')': '(', ']': '[', '}': '{' };

/** A Map from the position of each bracket to that of its partner. `lines` are the tokens of the text's lines
 * (tokenizer.js); those of comments and texts are no brackets. A bracket that is not closed before the one around it
 * has no partner. */
export function bracketPairs(lines) {
  const pairs = new Map();
  const open = [];
  const take = (letter, at) => {
    if ('([{'.includes(letter)) return open.push({ letter, at });
    const partner = open.findLastIndex((one) => one.letter === CLOSES[letter]);
    if (partner < 0) return undefined;
    pairs.set(at, open[partner].at).set(open[partner].at, at);
    open.length = partner;
    return undefined;
  };
  let start = 0; // of the line or the token in the text
  for (const tokens of lines) {
    for (const { kind, text } of tokens) {
      if (kind === '') for (const { 0: letter, index } of text.matchAll(/[()[\]{}]/g)) take(letter, start + index);
      start += text.length;
    }
    start += 1;
  }
  return pairs;
}

/** The bracket before a position or, where that is none, after it, with its partner: [position, position]; null without
 * one. */
export function pairBeside(pairs, position) {
  const at = [position - 1, position].find((one) => pairs.has(one));
  return at === undefined ? null : [at, pairs.get(at)];
}
