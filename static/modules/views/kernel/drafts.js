// Where the text of the editor is kept: in the browser, one draft for each subject, and in links.

import { replaceAddress } from '../../router.js';
import { keep, kept } from '../../storage.js';
import { isDraft } from '../../text/ownkernel.js';
import { pack, unpack } from '../../text/sharing.js';
import { pathInLab, placed } from '../../place.js';

const keyOf = (edits) => `gpulab.kernel.${edits || 'own'}`;

/** The draft that is kept for a subject; null without one. */
export function keptDraft(edits) {
  const draft = kept(keyOf(edits));
  return isDraft(draft, edits) ? draft : null;
}

/** Keeps a draft; null removes the draft that is kept. */
export const keepDraft = (edits, draft) => keep(keyOf(edits), draft);

const FRAGMENT = '#text=';

/** A promise of the address that opens a draft. */
export const linkTo = async (edits, draft) =>
  new URL(
    placed(`/kernels${edits ? `?edits=${encodeURIComponent(edits)}` : ''}${FRAGMENT}${await pack(draft)}`),
    location.origin,
  ).href;

/** A promise of the draft that the address holds: null if it holds none, undefined if it cannot be read. */
export async function linkedDraft(edits) {
  if (!location.hash.startsWith(FRAGMENT)) return null;
  try {
    const draft = await unpack(location.hash.slice(FRAGMENT.length));
    return isDraft(draft, edits) ? draft : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the draft from the address, when the text is no longer that of the link. */
export function forgetLink() {
  if (location.hash.startsWith(FRAGMENT)) replaceAddress(pathInLab() + location.search);
}
