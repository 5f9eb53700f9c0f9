// Tags and note of a run, and the form that edits them in place.

import { announce } from '../../parts/announce.js';
import { freshId, h, replace } from '../../dom.js';
import { change } from './actions.js';

/** Returns {element, update(run), open()}; `changed(run)` is called with the edited run, or with null if the run is to
 * be read again because someone else has changed it. */
export function labels({ changed }) {
  let run = null;
  const element = h('div', { class: 'run-labels row tight baseline' });
  let form = null;

  function draw() {
    const tags = (run.tags ?? []).map((tag) => h('a', { class: 'tag', href: `/runs?tag=${encodeURIComponent(tag)}` }, tag));
    replace(element, tags, run.note ? h('p', { class: 'note' }, run.note) : null);
  }

  function close() {
    form = null;
    draw();
  }

  function open() {
    const [tagsId, noteId] = [freshId('tags'), freshId('note')];
    const tags = h('input', { id: tagsId, value: (run.tags ?? []).join(', '), autocomplete: 'off' });
    const note = h('textarea', { id: noteId, rows: 3, maxlength: 4096 });
    note.value = run.note ?? '';
    const errorText = h('p', { class: 'field-error', role: 'alert' });

    async function save(event) {
      event.preventDefault();
      replace(errorText);
      try {
        const next = await change(run, { tags: tagsOf(tags.value), note: note.value });
        announce('Saved');
        close();
        changed(next);
      } catch (error) {
        replace(errorText, error.message);
        if (error.conflict) changed(null);
      }
    }

    form = h(
      'form',
      { class: 'label-form stack', 'aria-label': 'Tags and note', on: { submit: save, keydown: (event) => event.key === 'Escape' && close() } },
      h('div', { class: 'field' }, h('label', { for: tagsId }, 'Tags, separated by commas'), tags),
      h('div', { class: 'field' }, h('label', { for: noteId }, 'Note'), note),
      errorText,
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'submit', class: 'primary' }, 'Save'),
        h('button', { type: 'button', on: { click: close } }, 'Cancel'),
      ),
    );
    replace(element, form);
    tags.focus();
  }

  return {
    element,
    open,
    update(next) {
      run = next;
      if (!form) draw(); // what the user is typing is kept
    },
  };
}

const tagsOf = (text) => [...new Set(text.split(',').map((tag) => tag.trim()).filter(Boolean))];
