// What the compiler says of a source: messages {severity, file, line, column, text}, `line` and `column` from 1;
// `file`, `line` and `column` may be absent.

import { plural } from './format.js';

const SEVERITIES = ['error', 'warning', 'note']; // the most severe first

/** The name of the source in messages; those about headers have other files. */
export const SOURCE_NAME = 'kernel.cu';

const isOf = (name) => ({ file = SOURCE_NAME, line }) => file === name && line > 0;

/** The messages of each line of a file, a Map {line: {severity, text}}: the most severe one and the text of the first
 * such message, with the number of others. */
export function messagesByLine(messages, name = SOURCE_NAME) {
  const lines = new Map();
  for (const message of messages.filter(isOf(name)))
    lines.set(message.line, [...(lines.get(message.line) ?? []), message]);
  return new Map([...lines].map(([line, list]) => [line, markOf(list)]));
}

function markOf(list) {
  const rank = ({ severity }) => SEVERITIES.indexOf(severity);
  const [first] = [...list].sort((a, b) => rank(a) - rank(b));
  const more = list.length > 1 ? ` (and ${list.length - 1} more)` : '';
  return { severity: first.severity, text: `${first.text}${more}` };
}

/** "2 errors, 1 warning"; '' without messages. */
export function messageCounts(messages) {
  return SEVERITIES.map((severity) => [severity, messages.filter((one) => one.severity === severity).length])
    .filter(([, count]) => count)
    .map(([severity, count]) => plural(count, severity))
    .join(', ');
}

/** "Line 12, column 5"; '' for a message about the whole source or about a header. */
export function placeText(message) {
  if (!isOf(SOURCE_NAME)(message)) return '';
  const { line, column } = message;
  return column > 0 ? `Line ${line}, column ${column}` : `Line ${line}`;
}
