// Tabs: one of several panels at a time (role tablist). The arrow keys, Home and End select a tab. Tabs can be hidden;
// there is no element for a hidden one.

import { arrange, freshId, h } from '../dom.js';

const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

/** Returns {element, update(shown), select(name)}. `label` names the tabs; `choose(name)` is called when the user has
 * selected one. `shown` are the tabs in order, [{name, title, panel}]; `select` shows the panel of a tab, or of the
 * first where it is not shown, and returns its name. */
export function tabs({ label, choose }) {
  const list = h('div', { class: 'tabs', role: 'tablist', 'aria-label': label });
  const panels = h('div', { class: 'tab-panels' });
  const element = h('div', { class: 'tabbed' }, list, panels);
  const entries = new Map(); // name -> {tab, frame}
  let shown = [];

  function entryOf({ name, panel }) {
    if (entries.has(name)) return entries.get(name);
    const [tabId, panelId] = [freshId('tab'), freshId('tabpanel')];
    const tab = h('button', {
      type: 'button',
      role: 'tab',
      id: tabId,
      'aria-controls': panelId,
      dataset: { tab: name },
      on: { click: () => choose(name) },
    });
    const frame = h('div', { role: 'tabpanel', id: panelId, 'aria-labelledby': tabId, tabindex: 0 }, panel);
    entries.set(name, { tab, frame });
    return entries.get(name);
  }

  list.addEventListener('keydown', (event) => {
    const at = shown.findIndex(({ name }) => entries.get(name).tab === document.activeElement);
    const to = { Home: 0, End: shown.length - 1 }[event.key] ?? (STEPS[event.key] && at + STEPS[event.key]);
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    const { name } = shown[(to + shown.length) % shown.length];
    choose(name);
    entries.get(name).tab.focus();
  });

  return {
    element,
    update(next) {
      shown = next;
      for (const one of shown) {
        const { tab } = entryOf(one);
        if (tab.textContent !== one.title) tab.textContent = one.title;
      }
      arrange(list, shown.map(({ name }) => entries.get(name).tab));
      arrange(panels, shown.map(({ name }) => entries.get(name).frame));
    },
    select(wanted) {
      const selected = shown.find(({ name }) => name === wanted) ?? shown[0];
      for (const { name } of shown) {
        const { tab, frame } = entries.get(name);
        tab.setAttribute('aria-selected', String(name === selected.name));
        tab.tabIndex = name === selected.name ? 0 : -1;
        frame.hidden = name !== selected.name;
      }
      return selected?.name ?? null;
    },
  };
}
