// What a value of the API can be, as text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberRows, routesByTag, typeParts } from '../../../static/modules/text/schematext.js';

const text = (schema) => typeParts(schema).map((part) => (typeof part === 'string' ? part : `<${part.schema}>`)).join('');

test('a schema as text', () => {
  for (const [schema, wanted] of [
    [{ type: 'integer', minimum: 0, maximum: 60, default: 0 }, 'integer; 0 to 60; 0 by default'],
    [{ type: 'integer', minimum: 1 }, 'integer; at least 1'],
    [{ type: 'number', exclusiveMinimum: 0, maximum: 9 }, 'number; more than 0; at most 9'],
    [{ type: ['string', 'null'], maxLength: 64 }, 'text or null; at most 64 characters'],
    [{ type: 'string', minLength: 1, maxLength: 8 }, 'text; 1 to 8 characters'],
    [{ type: 'string', enum: ['a', 'b'], default: 'a' }, 'a, b; a by default'],
    [{ const: 'run' }, 'run'],
    [{ $ref: '#/components/schemas/Run' }, '<Run>'],
    [{ anyOf: [{ $ref: '#/components/schemas/Time' }, { type: 'null' }] }, '<Time> or null'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Run' }, maxItems: 3 }, 'list of: <Run>; at most 3 items'],
    [{ type: ['array', 'null'], items: {} }, 'list or null'],
    [{ type: 'boolean', default: false }, 'true or false; false by default'],
    [{}, 'any value'],
  ]) assert.equal(text(schema), wanted);
});

test('members of objects and of lists in an object are rows of their own', () => {
  const inner = { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] };
  const schema = { properties: { a: { ...inner, description: 'An object.' }, list: { type: 'array', items: inner } }, required: ['a'] };
  assert.deepEqual(memberRows(schema).map(({ name, required, text: said }) => [name, required, said]),
    [['a', true, 'An object.'], ['a.b', true, ''], ['list', false, ''], ['list[].b', true, '']]);
  assert.deepEqual(memberRows({}), []);
});

test('routes are grouped by tag in their order', () => {
  const paths = { '/a': { get: { tags: ['one'] }, post: { tags: ['one'] } }, '/b': { get: { tags: ['two'] } }, '/c': { get: { tags: ['one'] } } };
  assert.deepEqual(routesByTag({ paths }).map(([tag, routes]) => [tag, routes.map(({ method, path }) => `${method} ${path}`)]),
    [['one', ['GET /a', 'POST /a', 'GET /c']], ['two', ['GET /b']]]);
});
