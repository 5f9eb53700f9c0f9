// Compiled code without what differs between texts that mean the same, to compare it line by line.

import { SOURCE_NAME } from './compilermessages.js';
import { ptxParts } from './codelinks.js';

/** The lines of SASS as nvdisasm writes it: names of functions, labels and instructions, without addresses and the
 * numbers of labels. Registers stay as they are. */
export const plainSass = (sass) =>
  sass
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^(\.text\..*:|\.L_.*:|\/\*[0-9a-f]+\*\/.*)$/.test(line))
    .map((line) => line.replace(/^\/\*[0-9a-f]+\*\/\s*/, '').replace(/\.L_x_\d+/g, '.L'))
    .map((line) => (line.startsWith('.text.') ? line.slice('.text.'.length) : line.startsWith('.L') ? line : `    ${line.replace(/\s+/g, ' ')}`))
    .join('\n');

/** The PTX without the lines of the source. */
export const plainPtx = (ptx) =>
  ptxParts(ptx, SOURCE_NAME)
    .map(({ text }) => text)
    .join('');
