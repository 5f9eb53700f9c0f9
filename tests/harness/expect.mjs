// Assertions that many tests share.
import assert from 'node:assert/strict';

/** Asserts that the answer is an RFC 9457 problem document of this status, with an error that points to `pointer` if
 * that is given. Returns the document. */
export function problem(answer, status, pointer) {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers['content-type'] ?? '', /^application\/problem\+json/);
  const document = answer.json;
  assert.ok(document, `no JSON: ${answer.text}`);
  assert.equal(document.status, status);
  for (const name of ['type', 'title', 'instance']) assert.equal(typeof document[name], 'string', `${name} in ${answer.text}`);
  if (pointer !== undefined) {
    const pointers = (document.errors ?? []).map((error) => error.pointer);
    assert.ok(pointers.includes(pointer), `${pointer} is not among ${JSON.stringify(pointers)}: ${answer.text}`);
    for (const error of document.errors) assert.ok(error.detail.length > 5, answer.text);
  }
  return document;
}

/** Asserts that the text is an RFC 3339 time in UTC. Returns milliseconds since 1970. */
export function time(text) {
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  return Date.parse(text);
}
