// Says something to those who listen to the page instead of seeing it. The live region is in index.html.

let last = '';

/** Announces `text` politely; the same text twice in a row is said once. */
export function announce(text) {
  if (text === last) return;
  last = text;
  document.getElementById('announcer').textContent = text;
}
