// Any two texts of a kernel or a program beside each other: the first one, those of the attempts, and the one in the
// editor. Of kernels also their PTX or SASS, and which is faster.

import { freshId, h, replace } from '../../dom.js';
import { differenceTable } from '../../parts/differencetable.js';
import { comparisonAddress } from '../../parts/trendlink.js';
import { plainPtx, plainSass } from '../../text/comparedcode.js';
import { plain } from '../../text/format.js';
import { changeText } from '../../text/linediff.js';
import { placed } from '../../place.js';

const PAUSE_MS = 600; // without a change, before texts are compiled
const KINDS = { source: 'Source', ptx: 'PTX', sass: 'SASS' };
const PLAIN = { ptx: plainPtx, sass: plainSass };
const ABOUT = {
  ptx: 'PTX of both texts, without the lines of the source.',
  sass: 'SASS of both texts, without addresses and the numbers of labels; registers are as they are.',
};

/** Returns {element, update(), choose(before, after), offer(sass)}. `texts()` returns the texts to choose from, in
 * order: [{id, title, text}], the last one the text of the editor; those of runs, whose results can be compared, also
 * have `code`. `choose` shows the differences between two of them. Of kernels: compile(one) returns a promise of what
 * the compiler answers to a text, `times` is what measuredPair returns, and offer() is called with whether the lab
 * writes SASS. update() is to be called when texts have changed and when the element is shown again; while it is
 * hidden, nothing is compared. */
export function differences({ texts, compile, times }) {
  const ids = { before: freshId('before'), after: freshId('after') };
  const chosen = { before: '', after: '' };
  let kind = 'source';
  let timer = null;
  let turn = 0; // of the code that was requested last
  const select = (name) =>
    h('select', {
      id: ids[name],
      on: {
        change: (event) => {
          chosen[name] = event.target.value;
          update();
        },
      },
    });
  const selects = { before: select('before'), after: select('after') };
  const count = h('span', { class: 'aside' });
  const results = h('a', {}, 'Compare their results');
  const buttons = Object.entries(KINDS).map(([name, title]) =>
    h('button', { type: 'button', dataset: { kind: name }, hidden: name === 'sass', on: { click: () => chooseKind(name) } }, title),
  );
  const kinds = h('div', { class: 'segments', role: 'group', 'aria-label': 'What is compared', hidden: !compile }, buttons);
  const wide = h('button', { type: 'button', class: 'small widen', 'aria-pressed': 'false', on: { click: widen } }, 'Full width');
  const state = h('p', { class: 'aside', role: 'status' });
  const listing = h('div', {});
  const element = h(
    'div',
    { class: 'differences stack' },
    h(
      'div',
      { class: 'difference-choice row' },
      h('label', { for: ids.before }, 'From'),
      selects.before,
      h('label', { for: ids.after }, 'to'),
      selects.after,
      count,
      results,
    ),
    times?.element,
    h('div', { class: 'difference-choice row' }, kinds, wide),
    state,
    listing,
  );

  function chooseKind(name) {
    kind = name;
    update();
  }

  function widen() {
    wide.setAttribute('aria-pressed', String(element.classList.toggle('wide')));
    element.scrollIntoView({ block: 'nearest' });
  }

  /** The texts that are chosen, {before, after}. */
  function pairOf(list) {
    const find = (id, fallback) => list.find((one) => one.id === id) ?? fallback;
    return { before: find(chosen.before, list[0]), after: find(chosen.after, list.at(-1)) };
  }

  function update() {
    clearTimeout(timer);
    turn++;
    if (element.closest('[hidden]')) return;
    const list = texts();
    const pair = pairOf(list);
    for (const name of ['before', 'after']) {
      replace(
        selects[name],
        list.map(({ id, title }) => h('option', { value: id }, title)),
      );
      selects[name].value = pair[name].id;
    }
    results.hidden = !pair.before.code || !pair.after.code || pair.before === pair.after;
    results.href = placed(comparisonAddress({ base: pair.before.id, head: pair.after.id }));
    count.textContent = changeText(pair.before.text, pair.after.text);
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.kind === kind));
    times?.update(pair, list);
    showKind(pair);
  }

  function showKind(pair) {
    if (kind === 'source') show('', pair.before.text, pair.after.text, 'The texts are equal.');
    else timer = setTimeout(() => showCode(pair, turn), PAUSE_MS);
  }

  function show(about, before, after, equal) {
    state.textContent = about;
    replace(listing, before === after ? h('p', { class: 'aside' }, equal) : differenceTable(before, after));
  }

  async function showCode({ before, after }, own) {
    const title = KINDS[kind];
    state.textContent = 'Compiling both texts…';
    const codes = await Promise.all([before, after].map((one) => codeOf(one)));
    if (own !== turn) return;
    const refusal = codes.find(({ why }) => why);
    if (refusal) {
      state.textContent = refusal.why;
      replace(listing);
      return;
    }
    const [old, present] = codes.map(({ code }) => code);
    show(`${ABOUT[kind]} ${lineCount(old)} lines, then ${lineCount(present)}.`, old, present, `The ${title} is equal.`);
  }

  /** The code of a text, {code}; where there is none {why}, a sentence. */
  async function codeOf(one) {
    const wanted = kind;
    try {
      const answer = await compile(one);
      const code = answer[wanted];
      if (answer.status !== 'compiled') return { why: `“${one.title}” is not compiled: the compiler rejects it.` };
      return code === undefined ? { why: `There is no ${KINDS[wanted]} of “${one.title}”.` } : { code: PLAIN[wanted](code) };
    } catch (error) {
      return { why: `“${one.title}” is not compiled: ${error.message}` };
    }
  }

  return {
    element,
    update,
    choose(before, after) {
      Object.assign(chosen, { before, after });
      update();
    },
    offer(sass) {
      for (const button of buttons) button.hidden = button.dataset.kind === 'sass' && !sass;
      if (kind === 'sass' && !sass) chooseKind('source');
    },
  };
}

const lineCount = (text) => plain(text.split('\n').length);
