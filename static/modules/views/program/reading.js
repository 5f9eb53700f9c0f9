// Reads files of the person's machine as texts.

import { bytes } from '../../text/format.js';

const BYTES_MAX = 1 << 20; // a larger file is not read: no request could have it

/** Returns a promise of {files: [{name, text}], refused: sentences about those that are no texts, or cannot be
 * read}. */
export async function readFiles(list) {
  const [files, refused] = [[], []];
  for (const file of list) {
    const text = await textOf(file).catch((error) => refused.push(`${file.name}: ${error.message}`) && null);
    if (text !== null) files.push({ name: file.name, text });
  }
  return { files, refused };
}

async function textOf(file) {
  if (file.size > BYTES_MAX) throw new Error(`It has ${bytes(file.size)}, more than a program may have.`);
  const content = await file.arrayBuffer().catch(() => {
    throw new Error('It cannot be read; choose the files of a folder, not the folder.');
  });
  const text = decoded(content);
  if (text === null || text.includes('\0')) throw new Error('It is no text in UTF-8.');
  return text;
}

function decoded(content) {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return null;
  }
}
