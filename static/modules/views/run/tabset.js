// The tabs of a run's page. Which one is shown is the choice `tab`; its panel is created when it is first shown, and
// only the panel shown is updated.

import { later } from '../../later.js';
import { loading, notice } from '../../parts/notice.js';
import { tabs } from '../../parts/tabs.js';
import { isLive } from '../../text/displaynames.js';
import { h, replace } from '../../dom.js';
import { chartTab } from './charttab.js';

const hasTimeline = ({ views }) => (views ?? []).some(({ kind }) => ['timeline', 'blocks', 'kernels'].includes(kind));

const hasFields = ({ views }) => (views ?? []).some(({ kind }) => kind === 'field');

/** `exists(state, context)`: whether there is something to show; `create(context)` returns a promise of {element,
 * update(state)}. */
const TABS = [
  { name: 'output', title: 'Output', exists: ({ run }) => Boolean(run.program), create: later('outputTab') },
  {
    name: 'chart',
    title: 'Chart',
    exists: ({ run, measurements }) => (isLive(run.status) && !run.program) || measurements.length > 0,
    create: async (context) => chartTab(context),
  },
  {
    name: 'timeline',
    title: 'Timeline',
    exists: ({ run, measurements }, { experiment }) =>
      !isLive(run.status) && (measurements.length > 0 || Boolean(run.program)) && hasTimeline(experiment),
    create: later('timelineTab'),
  },
  { name: 'findings', title: 'Findings', exists: ({ run }) => Boolean(run.findings), create: later('findingsTab') },
  {
    name: 'field',
    title: 'Field',
    exists: ({ run, measurements }, { experiment }) =>
      !isLive(run.status) && measurements.length > 0 && hasFields(experiment),
    create: later('fieldTab'),
  },
  { name: 'table', title: 'Table', exists: ({ measurements }) => measurements.length > 0, create: later('tableTab') },
  {
    name: 'references',
    title: 'References',
    exists: ({ references, measurements }) => references.length > 0 && measurements.length > 0,
    create: later('referencesTab'),
  },
  { name: 'method', title: 'Method', exists: () => true, create: later('methodTab') },
  {
    name: 'environment',
    title: 'Environment',
    exists: ({ run }) => Boolean(run.environment),
    create: later('environmentTab'),
  },
  { name: 'comments', title: 'Comments', exists: () => true, create: later('commentsTab') },
  { name: 'program', title: 'Program', exists: ({ run }) => Boolean(run.program), create: later('programTab') },
  { name: 'log', title: 'Log', exists: ({ run }) => Boolean((run.program ? null : run.output) || run.error?.log), create: later('logTab') },
];

/** Returns {element, update(state)}; `context` is {experiment, devices, run (as first fetched), signal, choices,
 * showSamples(measurement)}, `state` is {run, measurements, references}. `titles`: the tabs that are shown, {name:
 * title}; all by default. */
export function runTabs(context) {
  const { choices, titles = {} } = context;
  const tabsOf = TABS.filter(({ name }) => !context.titles || name in titles);
  // by name: `frame`, the element of the panel; `content` as create() returns it, null until it is there
  const panels = new Map(tabsOf.map(({ name }) => [name, { frame: h('div', { class: 'run-tab' }), content: null, requested: false }]));
  let state = null;
  const bar = tabs({
    label: 'Parts of the result',
    choose(name) {
      choices.set({ tab: name });
      draw();
    },
  });

  function draw() {
    const shown = tabsOf.filter(({ exists }) => exists(state, context));
    bar.update(shown.map(({ name, title }) => ({ name, title: titles[name] ?? title, panel: panels.get(name).frame })));
    const selected = bar.select(choices.get('tab'));
    const panel = panels.get(selected);
    if (panel.content) panel.content.update(state);
    else create(TABS.find(({ name }) => name === selected), panel);
  }

  async function create(one, panel) {
    if (panel.requested) return;
    panel.requested = true;
    replace(panel.frame, loading());
    try {
      panel.content = await one.create(context);
    } catch {
      panel.requested = false;
      return replace(panel.frame, notice({ title: 'This part could not be loaded', text: 'The lab does not answer. Select the tab again.', tone: 'bad' }));
    }
    replace(panel.frame, panel.content.element);
    return panel.content.update(state);
  }

  return {
    element: bar.element,
    update(next) {
      state = next;
      draw();
    },
  };
}
