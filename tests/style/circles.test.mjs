// No two source files call one another, directly or through others: a reader can begin at the file that calls nothing
// of the rest.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { root, trackedFiles } from './files.mjs';

const withoutTexts = (source) => source.replace(/\/\*[^]*?\*\/|\/\/.*|"(?:[^"\\\n]|\\.)*"/g, ' ');
const sources = new Map(trackedFiles('kernels/*', 'db/*', 'server/*').filter((path) => path.endsWith('.c'))
  .map((path) => [path, withoutTexts(readFileSync(join(root, path), 'utf8'))]));

/** The names of the functions that a source defines for others. */
function defined(source) {
  return [...source.matchAll(/^(?!static\b|typedef\b|else\b)[a-z_](?:[\w \t*]|__attribute__\(\([^;{}]*?\)\))*?\b(\w+)\([^;{}]*\)\n\{/gm)].map(([, name]) => name);
}

/** For each file the files with functions that it names: Map of path to Set of paths. Of a name that several files
 * define, as each program has a main, none counts. */
function calls() {
  const owners = new Map();
  for (const [path, source] of sources)
    for (const name of defined(source)) owners.set(name, owners.has(name) && owners.get(name) !== path ? null : path);
  return new Map([...sources].map(([path, source]) => {
    const used = new Set([...source.matchAll(/(?<!\b(?:struct|enum|union) |\.|->)\b[a-z_]\w*/g)].map(([name]) => owners.get(name)).filter((owner) => owner && owner !== path));
    return [path, used];
  }));
}

/** The circles of a graph: the sets of two and more nodes of which each reaches all others (Tarjan, 1972). */
function circlesOf(graph) {
  const [order, low, stack, found] = [new Map(), new Map(), [], []];
  const visit = (node) => {
    order.set(node, order.size);
    low.set(node, order.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== order.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1) found.push(circle.sort());
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
}

test('circles are found', () => {
  assert.deepEqual(circlesOf(new Map([['a', ['b']], ['b', ['c', 'd']], ['c', ['b']], ['d', []]])), [['b', 'c']]);
  assert.deepEqual(circlesOf(new Map([['a', ['b', 'c']], ['b', ['c']], ['c', []]])), []);
});

test('no source files call one another in a circle', () => {
  const graph = calls();
  assert.ok([...graph.values()].reduce((sum, used) => sum + used.size, 0) > 1500, 'hardly any call was found: do the patterns still match?');
  const circles = circlesOf(graph);
  assert.deepEqual(circles.map((circle) => circle.map((path) => `${path} calls ${[...graph.get(path)].filter((other) => circle.includes(other)).map((other) => basename(other)).join(', ')}`)), []);
});
