// The end of every page: the theme, and the list of keys.

import { h, replace } from '../dom.js';
import { keep, kept } from '../storage.js';
import { applyTheme, THEME } from '../theme.js';
import { showKeys } from './keyhelp.js';

const THEMES = { '': 'as the system', light: 'light', dark: 'dark' };

/** Shows both in `element`. */
export function showPreferences(element) {
  const chosen = kept(THEME) ?? '';
  const options = Object.entries(THEMES).map(([value, text]) => h('option', { value, selected: value === chosen }, text));
  const select = h('select', { on: { change } }, options);
  function change() {
    keep(THEME, select.value || null);
    applyTheme();
  }
  replace(element, h('label', {}, 'Theme ', select), h('button', { type: 'button', class: 'link', on: { click: showKeys } }, 'Keys'));
}
