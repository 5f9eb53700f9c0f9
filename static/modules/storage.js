// What the browser keeps for the page between visits. Storage may be switched off or full: then nothing is kept.

/** The value that is kept under a name; null without one. */
export function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(name));
  } catch {
    return null;
  }
}

/** Keeps a value; null removes the value that is kept. */
export function keep(name, value) {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // the value is still on the page
  }
}
