// What people have written, each with who and when, and the form to add one: the comments on a run, the marks of a
// trend.

import { freshId, h, keepingFocus, replace } from '../dom.js';
import { allows, person } from '../lab/session.js';
import { announce } from './announce.js';
import { confirm } from './confirm.js';
import { notice } from './notice.js';
import { absoluteTime } from './status.js';

const TEXT_MAX = 4096;

/** Returns {element, load()}. `source` is {noun, help, list(), add(body), remove(id)}, `noun` such as "comment";
 * `fields` are further fields of the form, [{name, title, input, value()}]; changed(items) is called with what was
 * loaded. */
export function commentsPanel({ source, fields = [], changed = () => {} }) {
  const { noun } = source;
  const list = h('ul', { class: 'item-list stack tight comments' });
  const formPlace = h('div', {});
  const errorText = h('p', { class: 'field-error', role: 'alert' });
  const element = h('div', { class: 'comments-panel stack' }, list, errorText, formPlace);
  let me = null;

  async function load() {
    try {
      const who = await person();
      if (!allows(who.role, 'participant')) return replace(list, h('li', { class: 'aside' }, `Sign in to read ${noun}s.`));
      const items = await source.list();
      if (me === null && allows(who.role, 'operator')) replace(formPlace, form());
      me = who;
      keepingFocus(list, 'button', () => replace(list, items.length ? items.map(item) : h('li', { class: 'aside' }, `No ${noun} yet.`)));
      changed(items);
    } catch (problem) {
      replace(list, h('li', {}, notice({ title: `The ${noun}s could not be loaded`, text: problem.message, tone: 'bad' })));
    }
  }

  async function remove({ id, text }) {
    const confirmed = await confirm({ title: `Delete this ${noun}?`, text, action: 'Delete' });
    if (!confirmed) return;
    await attempt(() => source.remove(id), `The ${noun} is deleted`);
  }

  /** Changes something, then shows the list anew; a refusal is shown. Returns whether it succeeded. */
  async function attempt(change, said) {
    replace(errorText);
    try {
      await change();
    } catch (problem) {
      replace(errorText, problem.errors?.[0]?.detail ?? problem.message);
      return false;
    }
    announce(said);
    await load();
    return true;
  }

  const mayRemove = ({ author }) => allows(me.role, 'admin') || (allows(me.role, 'operator') && author !== null && author === me.name);

  const item = (one) =>
    h(
      'li',
      {},
      h('p', { class: 'aside' }, [one.author, one.node].filter(Boolean).map((text) => [h('strong', {}, text), ', ']), absoluteTime(one.at ?? one.created_at)),
      h('p', { class: 'comment-text' }, one.text),
      mayRemove(one)
        ? h('button', { type: 'button', class: 'small', 'aria-label': `Delete the ${noun}: ${one.text.slice(0, 60)}`, on: { click: () => remove(one) } }, 'Delete')
        : null,
    );

  function form() {
    const textId = freshId('comment');
    const text = h('textarea', { id: textId, rows: 2, maxlength: TEXT_MAX, required: true });
    const submit = async (event) => {
      event.preventDefault();
      const given = Object.fromEntries(fields.map(({ name, value }) => [name, value()]).filter(([, value]) => value !== null));
      if (await attempt(() => source.add({ text: text.value, ...given }), `The ${noun} is added`)) {
        text.value = '';
        for (const { input } of fields) input.value = '';
      } else text.focus();
    };
    return h(
      'form',
      { class: 'comment-form stack', 'aria-label': `Add a ${noun}`, on: { submit } },
      h('div', { class: 'field' }, h('label', { for: textId }, source.help), text),
      fields.map(({ title, input }) => h('div', { class: 'field' }, h('label', { for: input.id }, title), input)),
      h('div', { class: 'actions' }, h('button', { type: 'submit' }, `Add the ${noun}`)),
    );
  }

  return { element, load };
}
