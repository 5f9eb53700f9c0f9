// Parser for the text of an event stream (server-sent events). Chunks may end anywhere in a line.

/** Returns a parser {feed(text)} that calls `onEvent({type, data, id})` for each complete event; `id` is the last id
 * received. */
export function createParser(onEvent) {
  let incomplete = ''; // the start of a line whose end has not arrived
  let fields = { data: [] };
  let id = '';

  function readLine(text) {
    if (text === '') {
      if (fields.data.length) onEvent({ type: fields.event ?? 'message', data: fields.data.join('\n'), id });
      fields = { data: [] };
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return; // a comment; the server sends one as heartbeat
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') fields.data.push(value);
    else if (name === 'event') fields.event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
  }

  return {
    feed(text) {
      // A CR at the end is not taken as a line end yet, because its LF may be in the next chunk.
      const lines = (incomplete + text).split(/\r\n|\n|\r(?!$)/);
      incomplete = lines.pop();
      lines.forEach(readLine);
    },
  };
}
