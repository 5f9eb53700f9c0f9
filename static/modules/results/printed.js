// What a program and its compiler have printed: the text of the run's document, and what came as events since. No DOM.

const encoder = new TextEncoder();

/** Returns {add(event), merge(output), parts()}. An event is {stream, offset, text}; add() returns false if texts
 * before it are missing: it waits until `merge`, with the text of a document of the run, brings them. parts() are the
 * texts in order, [{stream, text}]; the stream of a text of a document is null, because a document does not say it. */
export function printed() {
  const parts = [];
  let waiting = []; // events that came before the text before them
  const length = { bytes: 0, letters: 0 }; // of all parts

  function append(stream, text) {
    if (parts.at(-1)?.stream === stream) parts.push({ stream, text: parts.pop().text + text });
    else parts.push({ stream, text });
    length.bytes += encoder.encode(text).length;
    length.letters += text.length;
  }

  function add(event) {
    if (event.offset === length.bytes) {
      append(event.stream, event.text);
      return true;
    }
    const missing = event.offset > length.bytes;
    if (missing) waiting.push(event);
    return !missing;
  }

  return {
    add,
    merge(output) {
      if (output.length > length.letters) append(null, output.slice(length.letters));
      const events = waiting;
      waiting = [];
      events.forEach(add);
    },
    parts: () => parts,
  };
}
