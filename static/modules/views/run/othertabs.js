// The tabs of a run's page that are loaded when one of them is opened.

export { environmentTab } from './environmenttab.js';
export { fieldTab } from './fieldtab.js';
export { logTab } from './logtab.js';
export { methodTab } from './method.js';
export { notesTab } from './notestab.js';
export { referencesTab } from './referencestab.js';
export { tableTab } from './table.js';
export { timelineTab } from './timelinetab.js';
