// The HTTP API for people: every route and every document, made from the OpenAPI document of this lab.

import { h } from '../dom.js';
import * as api from '../lab/api.js';
import { withCode } from '../parts/prose.js';
import { memberRows, referenced, routesByTag, typeParts } from '../text/schematext.js';

const anchorOf = (name) => `schema-${name}`;

export async function view(_, signal) {
  const document = await api.description();
  const { schemas } = document.components;
  const element = h(
    'div',
    { class: 'view stack spaced http-api' },
    head(document.info),
    routesByTag(document).map(([tag, routes]) => h('section', { class: 'stack dense' }, h('h2', {}, tag), routes.map(routeElement))),
    h('section', { class: 'stack dense' }, h('h2', {}, 'Documents'), Object.entries(schemas).map(([name, schema]) => documentElement(name, schema))),
  );
  const reveal = () => {
    const target = location.hash && element.querySelector(`#${CSS.escape(decodeURIComponent(location.hash.slice(1)))}`);
    if (target) target.open = true;
  };
  reveal();
  window.addEventListener('hashchange', reveal, { signal });
  return { title: 'HTTP API', element };
}

const head = ({ description, version }) =>
  h(
    'header',
    { class: 'view-head stack tight start' },
    h('h1', {}, 'HTTP API'),
    h('p', { class: 'lead' }, withCode(description)),
    h('p', {}, `gpulab ${version}. For programs: `, h('a', { href: '/api/v1/openapi.json' }, 'the same as an OpenAPI document'), ', and ', h('a', { href: '/gpulab.py', download: true }, 'gpulab.py'), ', the client for Python.'),
  );

/** An element that is closed until its summary is clicked; what it contains is made when it is opened first. */
function closed({ id, summary }, content) {
  const element = h('details', { id, class: 'api-item' }, h('summary', {}, summary));
  element.addEventListener('toggle', () => element.append(...content()), { once: true });
  return element;
}

function routeElement(route) {
  const summary = [h('code', {}, `${route.method} ${route.path}`), ' ', h('span', { class: 'aside' }, route.summary)];
  return closed({ id: route.operationId, summary }, () => routeContent(route));
}

const ROLE_TEXTS = {
  public: 'Anyone may call it.',
  anonymous: 'Needs the role viewer; none in a lab whose results are public (--anonymous).',
};

function routeContent({ 'x-role': role, 'x-participants': participants, parameters, requestBody, responses }) {
  const body = requestBody && Object.entries(requestBody.content)[0];
  const parameterRows = parameters.map((each) => ({ name: each.name, where: each.in, parts: typeParts(each.schema), required: each.required, text: each.description ?? '' }));
  return [
    h('p', {}, ROLE_TEXTS[role] ?? `Needs the role ${role}.`, participants ? ' Participants may call it for what is their own.' : null),
    parameterRows.length ? [h('h3', {}, 'Parameters'), membersTable(parameterRows)] : [],
    body ? [h('h3', {}, `Body: ${body[0]}`), schemaElement(body[1].schema)] : [],
    h('h3', {}, 'Answers'),
    h('dl', { class: 'api-answers' }, Object.entries(responses).sort().map(answerRow)),
  ].flat();
}

function answerRow([status, { description, content }]) {
  const types = Object.entries(content ?? {}).filter(([type]) => type !== 'application/problem+json');
  return [
    h('dt', {}, h('code', {}, status)),
    h('dd', {}, description.split('\n').map((line) => h('p', {}, withCode(line))), types.map(([type, { schema }]) => h('p', {}, type === 'application/json' ? null : `${type}: `, schema ? typeElement(schema) : null))),
  ];
}

const documentElement = (name, schema) =>
  closed({ id: anchorOf(name), summary: [h('code', {}, name), ' ', h('span', { class: 'aside' }, schema.description ?? '')] }, () => [schemaElement(schema)]);

/** A schema: its members if it is an object that has any, else what it can be. */
const schemaElement = (schema) => (referenced(schema) || !schema.properties ? h('p', {}, typeElement(schema)) : membersTable(memberRows(schema)));

const typeElement = (schema) => typeParts(schema).map(partElement);
const partElement = (part) => (typeof part === 'string' ? part : h('a', { href: `#${anchorOf(part.schema)}` }, part.schema));

function membersTable(rows) {
  const where = rows.some((row) => row.where);
  const columns = ['Name', ...(where ? ['In'] : []), 'Value', 'Required', 'Meaning'];
  return h(
    'div',
    { class: 'table-scroll' },
    h('table', { class: 'api-members' }, [
      h('thead', {}, h('tr', {}, columns.map((title) => h('th', { scope: 'col' }, title)))),
      h('tbody', {}, rows.map((row) =>
        h('tr', {}, h('th', { scope: 'row' }, h('code', {}, row.name)), where ? h('td', {}, row.where) : null, h('td', {}, row.parts.map(partElement)), h('td', {}, row.required ? 'yes' : ''), h('td', {}, withCode(row.text))))),
    ]),
  );
}
