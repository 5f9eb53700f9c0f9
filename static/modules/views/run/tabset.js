// The tabs of a run's page. Which one is shown is the choice `tab`; its panel is created when it is first shown, and only the
// panel shown is updated.

import { tabs } from '../../parts/tabs.js';
import { isLive } from '../../text/displaynames.js';
import { h, replace } from '../../dom.js';
import { chartTab } from './charttab.js';
import { environmentTab } from './environmenttab.js';
import { logTab } from './logtab.js';
import { methodTab } from './method.js';
import { notesTab } from './notestab.js';
import { referencesTab } from './referencestab.js';
import { tableTab } from './table.js';
import { timelineTab, timelineView } from './timelinetab.js';

/** `exists(state, context)`: whether there is something to show; `count(state)`: the number beside the title; `create(context)`
 * returns {element, update(state)}. */
const TABS = [
  { name: 'chart', title: 'Chart', exists: ({ run, measurements }) => isLive(run.status) || measurements.length > 0, create: chartTab },
  {
    name: 'timeline',
    title: 'Timeline',
    exists: ({ run, measurements }, { experiment }) =>
      !isLive(run.status) && measurements.length > 0 && timelineView(experiment) !== undefined,
    create: timelineTab,
  },
  { name: 'table', title: 'Table', exists: ({ measurements }) => measurements.length > 0, create: tableTab },
  {
    name: 'references',
    title: 'References',
    exists: ({ references }) => references.length > 0,
    count: ({ references }) => references.length,
    create: referencesTab,
  },
  { name: 'method', title: 'Method', exists: () => true, create: methodTab },
  { name: 'environment', title: 'Environment', exists: ({ run }) => Boolean(run.environment), create: environmentTab },
  { name: 'log', title: 'Log', exists: ({ run }) => Boolean(run.error?.log), create: logTab },
  {
    name: 'notes',
    title: 'Notes',
    exists: ({ run }) => run.notes?.length > 0,
    count: ({ run }) => run.notes.length,
    create: notesTab,
  },
];

/** Returns {element, update(state)}; `context` is {experiment, devices, run (as first fetched), signal, choices}, `state` is {run,
 * measurements, references}. */
export function runTabs(context) {
  const { choices } = context;
  const panels = new Map(TABS.map(({ name }) => [name, { frame: h('div', { class: `run-tab ${name}` }), content: null }]));
  let state = null;
  const bar = tabs({
    label: 'Parts of the result',
    choose(name) {
      choices.set({ tab: name });
      draw();
    },
  });

  function draw() {
    const shown = TABS.filter(({ exists }) => exists(state, context));
    bar.update(shown.map(({ name, title, count }) => ({ name, title, count: count?.(state) ?? null, panel: panels.get(name).frame })));
    const selected = bar.select(choices.get('tab'));
    const panel = panels.get(selected);
    if (!panel.content) {
      panel.content = TABS.find(({ name }) => name === selected).create(context);
      replace(panel.frame, panel.content.element);
    }
    panel.content.update(state);
  }

  return {
    element: bar.element,
    update(next) {
      state = next;
      draw();
    },
  };
}
