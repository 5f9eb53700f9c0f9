// The tab with reference results: published ones, and ones of gpulab on named systems.

import { referenceResults } from '../../parts/references.js';

/** Returns {element, update({references, measurements})}. */
export function referencesTab({ experiment }) {
  const panel = referenceResults({ experiment });
  return { element: panel.element, update: ({ references, measurements }) => panel.update(references, measurements) };
}
