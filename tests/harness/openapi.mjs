// The OpenAPI document of a lab, for tests: its operations, values that their schemas refuse, and the check of an
// answer.
import assert from 'node:assert/strict';
import Ajv from 'ajv/dist/2020.js';

const time = /^\d{4}-\d\d-\d\d([Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d))?$/;

/** A value of each type of JSON. */
const values = [null, true, 7.5, 'text', [], {}, [7], [{}]];

export class Description {
  constructor(document) {
    this.document = document;
    this.ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false, strictRequired: false, keywords: ['x-unit', 'x-advanced', 'components'], formats: { 'date-time': time, date: time } });
    this.compiled = new Map();
    this.ajv.addSchema({ $id: 'document', components: document.components });
    this.operations = Object.entries(document.paths).flatMap(([path, item]) => Object.entries(item).map(([method, operation]) => ({
      ...operation, path, method: method.toUpperCase(), title: `${method.toUpperCase()} ${path}`,
    })));
  }

  static async of(lab) {
    return new Description((await lab.get('/api/v1/openapi.json')).json);
  }

  /** What is wrong with the value: a list of errors, empty when it matches. */
  errors(schema, value) {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    if (!this.compiled.has(text)) this.compiled.set(text, this.ajv.compile(JSON.parse(text)));
    const validate = this.compiled.get(text);
    return validate(value) ? [] : validate.errors.map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`);
  }

  /** The schema itself, if it is a reference the schema that it names. */
  resolve(schema) {
    if (!schema.$ref) return schema;
    return schema.$ref.slice(2).split('/').reduce((node, name) => node[name], this.document);
  }

  /** Values of other types or out of bounds. */
  wrongValues(schema) {
    const { minimum, exclusiveMinimum, maximum, minLength, maxLength, maxItems, items, type, enum: choices } = schema;
    const bounds = [minimum - 1, exclusiveMinimum, maximum + 1].filter(Number.isFinite);
    if (minLength > 0) bounds.push('');
    if (maxLength < 10_000) bounds.push('x'.repeat(maxLength + 1));
    if (choices) bounds.push('nonsense');
    if (type === 'array') {
      bounds.push(Array.from({ length: maxItems + 1 }, (_, i) => `${i}`), ['x', 'x']);
      if (items.maxLength) bounds.push(['x'.repeat(items.maxLength + 1)]);
    }
    return [...values, ...bounds].filter((value) => this.errors(schema, value).length > 0);
  }

  /** Texts that are no value of a parameter in a query or a header. */
  wrongTexts(schema) {
    const texts = { integer: ['x', '1.5', ''], number: ['x', ''], boolean: ['maybe', '1', ''] }[schema.type] ?? [];
    if (schema.anyOf) texts.push('yesterday', '');
    return [...texts, ...this.wrongValues(schema).filter((value) => ['string', 'number'].includes(typeof value) && this.errors(schema, value).length > 0).map(String)]
      .filter((text) => schema.type !== 'number' || Number.isNaN(Number(text)) || this.errors(schema, Number(text)).length > 0)
      .filter((text) => schema.type !== 'string' || this.errors(schema, text).length > 0);
  }

  /** The operation of a request; undefined for a path or method that no route has. */
  operationOf(method, path) {
    const [plain] = path.split('?');
    const fits = ({ path: pattern }) => new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`).test(plain);
    return this.operations.find((operation) => operation.method === method && operation.path === plain)
      ?? this.operations.find((operation) => operation.method === method && fits(operation));
  }

  /** The members of a JSON answer that no row describes, as errors. Results of older versions may lack some that are
   * described. */
  undescribed({ method, path, answer }) {
    const type = answer.headers['content-type'] ?? '';
    if (answer.json === undefined || !/^application\/(problem\+)?json/.test(type)) return [];
    const schema = type.startsWith('application/problem') ? { $ref: '#/components/schemas/Problem' }
      : this.operationOf(method, path)?.responses[answer.status]?.content?.[type]?.schema;
    if (!schema) return [`no schema of ${answer.status}`];
    return this.errors(schema, answer.json).filter((error) => error.includes('must NOT have additional properties'));
  }

  /** Asserts that the operation describes the answer: status, content type, body, and the code of a problem. */
  check(operation, answer) {
    const response = operation.responses[answer.status];
    assert.ok(response, `${operation.title}: ${answer.status} is not described: ${answer.text}`);
    if (!response.content) return assert.equal(answer.bytes.length, 0, operation.title);
    const [[type, { schema }]] = Object.entries(response.content);
    assert.equal(answer.headers['content-type'], type, operation.title);
    if (type !== 'application/json' && !type.endsWith('+json')) return undefined;
    assert.deepEqual(this.errors(schema, answer.json), [], `${operation.title}: ${answer.text.slice(0, 1000)}`);
    if (answer.status >= 400) {
      const code = answer.json.type.replace('/problems/', '');
      assert.ok(response.description.includes(`\`${code}\`: `), `${operation.title}: ${code} is not described for ${answer.status}`);
    }
    return undefined;
  }
}
