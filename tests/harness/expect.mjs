// What many tests expect in the same words.
import assert from 'node:assert/strict';

/** An RFC 9457 problem document of this status; with `pointer`, one of its errors points there. Returns the document. */
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

/** An RFC 3339 time in UTC. */
export function time(text) {
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  return Date.parse(text);
}
