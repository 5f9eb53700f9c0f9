// The arguments of a program as one line, as in a shell: blanks separate them, and quotes keep blanks.

const PART = /[^\s'"\\]+|\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/y;

/** The value that a part of an argument, which PART matches, stands for. */
function valueOf(part) {
  if (part[0] === '\\') return part[1];
  if (part[0] === "'") return part.slice(1, -1);
  return part[0] === '"' ? part.slice(1, -1).replace(/\\(["\\])/g, '$1') : part;
}

/** The arguments in a line: {value: [text]}, or {error} with a sentence. */
export function splitArguments(line) {
  const value = [];
  let open = false; // whether the next part continues the last argument
  for (let at = 0; at < line.length;) {
    PART.lastIndex = at;
    const [part] = PART.exec(line) ?? [];
    if (part === undefined && !/\s/.test(line[at]))
      return { error: line[at] === '\\' ? 'A backslash is at the end.' : `The quote ${line[at]} is not closed.` };
    if (part !== undefined) value.push((open ? value.pop() : '') + valueOf(part));
    open = part !== undefined;
    at += part?.length ?? 1;
  }
  return { value };
}

/** The line that splitArguments splits into these arguments. */
export const joinArguments = (list) =>
  list.map((one) => (/^[^\s'"\\]+$/.test(one) ? one : `'${one.replaceAll("'", `'"'"'`)}'`)).join(' ');
