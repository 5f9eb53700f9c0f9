// The theme of the page: that of the system, unless the user has chosen one. base.css has the dark colours once, below
// a media query; a choice replaces its condition, so that paper stays light.

import { kept } from './storage.js';

export const THEME = 'theme'; // the name under which the choice is kept
const SYSTEM = 'screen and (prefers-color-scheme: dark)';
const CONDITIONS = { light: 'not all', dark: 'screen' };

let condition = null; // the media of the rule with the dark colours

/** Applies the theme that is kept. */
export function applyTheme() {
  condition ??= [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]).find(({ media }) => media?.mediaText === SYSTEM)?.media;
  if (condition) condition.mediaText = CONDITIONS[kept(THEME)] ?? SYSTEM;
}
