// Announcements for screen readers. The live region is in index.html.

let last = '';

/** Announces `text`; the same text again is not repeated. */
export function announce(text) {
  if (text === last) return;
  last = text;
  document.getElementById('announcer').textContent = text;
}
