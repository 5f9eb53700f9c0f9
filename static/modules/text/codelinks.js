// Which line of a source the instructions of PTX belong to.

const FILE = /^\s*\.file\s+(\d+)\s+"(.*)"/;
const PLACE = /^\s*\.loc\s+(\d+)\s+(\d+)(?:.*\binlined_at\s+(\d+)\s+(\d+))?/;

/** PTX with line information as parts [{text, line}] in order: the instructions that follow one another of a line of the file
 * `name`, or with line 0 what belongs to none. Instructions of an inlined function of another file belong to the line that calls it.
 * The texts together are the PTX without its line information. */
export function ptxParts(ptx, name) {
  const lines = ptx.replace(/\n\s*\.section\s+\.debug_str\s*\{[^}]*\}\s*$/, '\n').split('\n');
  const files = new Map(lines.map((line) => FILE.exec(line)).filter(Boolean).map(([, number, file]) => [number, file]));
  const lineOf = (number, line) => (files.get(number) === name ? Number(line) : 0);
  const parts = [];
  let current = 0;
  for (const text of lines) {
    const place = PLACE.exec(text);
    if (place) current = lineOf(place[1], place[2]) || lineOf(place[3], place[4]);
    if (place || FILE.test(text)) continue;
    if (text === '}') current = 0;
    if (parts.at(-1)?.line === current) parts.at(-1).texts.push(text);
    else parts.push({ line: current, texts: [text] });
  }
  return parts.map(({ line, texts }, at) => ({ line, text: texts.join('\n') + (at < parts.length - 1 ? '\n' : '') }));
}

const COLOURS = 6;

/** The class of the colour of each line that has instructions, a Map {line: class}: lines that follow one another differ. */
export function linkClasses(parts) {
  const lines = [...new Set(parts.map(({ line }) => line))].filter(Boolean).sort((a, b) => a - b);
  return new Map(lines.map((line, at) => [line, `linked-${at % COLOURS}`]));
}
