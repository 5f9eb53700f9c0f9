// The theme of the page: that of the system, unless the user has chosen one. base.css has each colour for both.

import { kept } from './storage.js';

export const THEME = 'theme'; // the name under which the choice is kept

/** Applies the theme that is kept. */
export function applyTheme() {
  document.documentElement.style.colorScheme = kept(THEME) ?? '';
}
