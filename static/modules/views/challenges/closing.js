// Until when a challenge is open, as a field of a form has it: local time without seconds.

/** The local time of an instant (ISO text or milliseconds) as `datetime-local` has it: "2026-12-03T14:00". */
export function localTime(instant) {
  const at = new Date(instant);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The instant of a local time, as the API has it: without a time "". */
export const instantOf = (local) => (local ? new Date(local).toISOString().replace(/\.\d+Z$/, 'Z') : '');
