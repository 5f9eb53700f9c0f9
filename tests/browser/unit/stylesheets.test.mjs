// A class has one meaning: the files of static/css are bundled, so a class of one part of the page also styles an
// element of another part that has the same class.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

const folder = new URL('../../../static/css/', import.meta.url);
/** Files that style what all parts have, such as buttons and fields, or all parts on paper. */
const COMMON = new Set(['base.css', 'controls.css', 'print.css']);

/** [{file, selector, display, declarations}]: every selector of the rules of a file; `declarations` are all that the
 * rule sets, `display` is one of them, or undefined. */
function rulesOf(file) {
  const text = readFileSync(new URL(file, folder), 'utf8').replace(/\/\*[^]*?\*\//g, '');
  return [...text.matchAll(/([^{};]+)\{([^{}]*)\}/g)].flatMap(([, selectors, declarations]) => {
    const display = /(?:^|;)\s*display:\s*([\w-]+)/.exec(declarations)?.[1];
    return selectors.split(',').map((selector) => ({ file, selector: selector.trim(), display, declarations: declarations.split(';').map((one) => one.trim()).filter(Boolean) }));
  });
}

const rules = readdirSync(folder).filter((name) => name.endsWith('.css')).flatMap(rulesOf);
const owned = new Map(); // class -> {file: display}, of rules of this class alone that give an element its layout
for (const { file, selector, display } of rules) {
  const [, name] = /^\.([\w-]+)$/.exec(selector) ?? [];
  if (name && display && display !== 'none') owned.set(name, { ...owned.get(name), [file]: display });
}

test('there are rules to check', () => assert.ok(owned.size > 50, `${owned.size} classes`));

test('a class gets its layout in one file', () => {
  const several = [...owned].filter(([, files]) => Object.keys(files).length > 1);
  assert.deepEqual(several, []);
});

test('a part of the page that one file lays out is the root of no rule of another file', () => {
  const found = rules.filter(({ file, selector }) => {
    const [, name] = /^(?:[a-z]+)?\.([\w-]+)(?=[\s>+~:]|$)/.exec(selector) ?? [];
    return name && owned.has(name) && !(file in owned.get(name)) && !COMMON.has(file);
  });
  assert.deepEqual(found.map(({ file, selector }) => `${file}: ${selector} (${Object.keys(owned.get(/\.([\w-]+)/.exec(selector)[1]))})`), []);
});

test('no class says only what a layout class says', () => {
  const said = /^(display: (grid|flex)|grid-template-columns: minmax\(0, 1fr\)|flex-wrap: wrap|gap: [^()]*|align-items: (center|baseline)|justify-items: start|justify-content: space-between)$/;
  const is = (kind, declarations) => declarations.includes(`display: ${kind === 'stack' ? 'grid' : 'flex'}`) && declarations.includes(kind === 'stack' ? 'grid-template-columns: minmax(0, 1fr)' : 'flex-wrap: wrap');
  const found = rules.filter(({ file, selector, declarations }) => file !== 'layout.css' && /^\.[\w-]+$/.test(selector) && declarations.every((one) => said.test(one)) && ['stack', 'row'].some((kind) => is(kind, declarations)));
  assert.deepEqual(found.map(({ file, selector }) => `${file}: ${selector}`), []);
});
