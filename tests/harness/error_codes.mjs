// The table of error codes, from its source.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const source = readFileSync(fileURLToPath(new URL('../../kernels/core/error_codes.h', import.meta.url)), 'utf8');

/** Rows {value, name, title, status} of the table, in its order; title null: the words of the name. */
export function errorCodes() {
  const rows = [...source.matchAll(/^ {4}ROW\((\w+),\s*"([^"]+)",\s*(?:NULL|"([^"]+)"),\s*(\d+)\)/gm)];
  return rows.map(([, value, name, title = null, status]) => ({ value, name, title, status: Number(status) }));
}
