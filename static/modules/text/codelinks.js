// Which line of a source the instructions of PTX and SASS belong to.

const FILE = /^\s*\.file\s+(\d+)\s+"(.*)"/;
const PLACE = /^\s*\.loc\s+(\d+)\s+(\d+)(?:.*\binlined_at\s+(\d+)\s+(\d+))?/;

/** PTX with line information as parts [{text, line}] in order: the instructions that follow one another of a line of
 * the file `name`, or with line 0 what belongs to none. Instructions of an inlined function of another file belong to
 * the line that calls it. The texts together are the PTX without its line information. */
export function ptxParts(ptx, name) {
  const lines = ptx.replace(/\n\s*\.section\s+\.debug_str\s*\{[^}]*\}\s*$/, '\n').split('\n');
  const files = new Map(lines.map((line) => FILE.exec(line)).filter(Boolean).map(([, number, file]) => [number, file]));
  const lineOf = (number, line) => (files.get(number) === name ? Number(line) : 0);
  const { add, parts } = collecting();
  let current = 0;
  for (const text of lines) {
    const place = PLACE.exec(text);
    if (place) current = lineOf(place[1], place[2]) || lineOf(place[3], place[4]);
    if (place || FILE.test(text)) continue;
    if (text === '}') current = 0;
    add(current, text);
  }
  return parts();
}

const FRAME = /^\s*\/\/## File "(.*?)", line (\d+)(?: inlined at "(.*?)", line (\d+))?/;

/** The parts of SASS as nvdisasm writes SASS with line information: comments before the instructions, of inlined
 * functions the innermost first. */
export function sassParts(sass, name) {
  const lineOf = (file, line) => (file === name ? Number(line) : 0);
  const { add, parts } = collecting();
  let current = 0;
  let inFrames = false;
  for (const text of sass.split('\n')) {
    const frame = FRAME.exec(text);
    if (frame) {
      const [, file, line, caller, callerLine] = frame;
      const own = lineOf(file, line) || lineOf(caller, callerLine);
      current = inFrames ? current || own : own;
    } else {
      if (text.startsWith('.text.') || text.startsWith('//---')) current = 0;
      add(current, text);
    }
    inFrames = frame !== null;
  }
  return parts();
}

/** Joins lines of code that follow one another and belong to the same line of the source: {add(line, text),
 * parts()}. */
function collecting() {
  const list = [];
  return {
    add(line, text) {
      if (list.at(-1)?.line === line) list.at(-1).texts.push(text);
      else list.push({ line, texts: [text] });
    },
    parts: () => list.map(({ line, texts }, at) => ({ line, text: texts.join('\n') + (at < list.length - 1 ? '\n' : '') })),
  };
}

const COLOURS = 6;

/** The class of the colour of each line that has instructions, a Map {line: class}: lines that follow one another
 * differ. */
export function linkClasses(parts) {
  const lines = [...new Set(parts.map(({ line }) => line))].filter(Boolean).sort((a, b) => a - b);
  return new Map(lines.map((line, at) => [line, `linked-${at % COLOURS}`]));
}
