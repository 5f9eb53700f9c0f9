// A value in an address: JSON, compressed, in the letters of base64url. It is put behind the "#" of a link, which
// browsers do not send to the server.

const BYTES_MAX = 1 << 20; // of an unpacked value, because a short link could unpack to any length

/** A promise of the text for `value`. */
export async function pack(value) {
  const stream = new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** A promise of the value that was packed; it rejects for another text, and for a value of more than BYTES_MAX
 * bytes. */
export async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const decoder = new TextDecoder();
  let [json, size] = ['', 0];
  const reader = stream.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length;
    if (size > BYTES_MAX) throw new Error(`The link holds more than ${BYTES_MAX} bytes.`);
    json += decoder.decode(part.value, { stream: true });
  }
  return JSON.parse(json + decoder.decode());
}
