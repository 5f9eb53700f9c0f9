// Keys that work everywhere on the page.

const isEditable = ({ localName, isContentEditable }) =>
  ['input', 'select', 'textarea'].includes(localName) || isContentEditable;

/** Calls `work` when the key is pressed outside of fields and dialogs. */
export function onKey(key, work) {
  document.addEventListener('keydown', (event) => {
    if (event.key !== key || event.ctrlKey || event.metaKey || event.altKey || isEditable(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    event.preventDefault();
    work();
  });
}
