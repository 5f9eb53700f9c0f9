// The editor of source code: brackets, finding and replacing, comments, braces; with the keyboard, and with undo.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab, soon } from '../harness/lab.mjs';

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  await page.goto(`${lab.address}/kernels`);
  await editor().waitFor();
});
after(async () => {
  await browser.close();
  await lab.close();
});
beforeEach(() => editor().waitFor());

const editor = () => page.getByLabel('Source of the kernel');
const bar = () => page.getByRole('search', { name: 'Find and replace' });
const text = () => editor().inputValue();
const select = (start, end = start) => editor().evaluate((area, [from, to]) => (area.focus(), area.setSelectionRange(from, to)), [start, end]);
const selection = () => editor().evaluate((area) => [area.selectionStart, area.selectionEnd]);
/** What is marked with a name, in order. */
const marked = (name) => page.evaluate((one) => [...CSS.highlights.get(one)].map((range) => range.toString()), `editor-${name}`);
const isMarked = (name, texts) => soon(async () => assert.deepEqual(await marked(name), texts));

test('the bracket at the caret and its partner are marked, and Ctrl+B goes to the other', async () => {
  const source = 'void f(int a) {\n  g((a), ")"); // )\n}\n';
  await editor().fill(source);
  await select(source.indexOf('g(') + 2);
  await isMarked('bracket', ['(', ')']);
  await page.keyboard.press('Control+b');
  assert.deepEqual(await selection(), Array(2).fill(source.indexOf(');') + 1));
  await isMarked('bracket', [')', '(']);
  await page.keyboard.press('Control+b');
  assert.deepEqual(await selection(), Array(2).fill(source.indexOf('g(') + 2));
  await select(0);
  await isMarked('bracket', []);
});

test('what is found is counted, chosen one after the other, and marked', async () => {
  await editor().fill('tile + TILE\n'.repeat(60) + `${' '.repeat(400)}tile`);
  await select(0, 4);
  await page.keyboard.press('Control+f');
  const wanted = bar().getByLabel('Find', { exact: true });
  assert.equal(await wanted.inputValue(), 'tile');
  await bar().getByText('1 of 121').waitFor();
  await isMarked('chosen', ['tile']);
  await wanted.press('Enter');
  await bar().getByText('2 of 121').waitFor();
  await bar().getByLabel('Match case').check();
  await bar().getByText('2 of 61').waitFor();
  await wanted.press('Shift+Enter');
  await wanted.press('Shift+Enter');
  await bar().getByText('61 of 61').waitFor();
  const [box, chosen] = await page.evaluate(() => [document.querySelector('.editor'), [...CSS.highlights.get('editor-chosen')][0]].map((one) => one.getBoundingClientRect().toJSON()));
  assert.ok(chosen.left >= box.left && chosen.right <= box.right && chosen.top >= box.top && chosen.bottom <= box.bottom, JSON.stringify([chosen, box]));
  await browser.faultless();
  await browser.fits('finding');
  await wanted.fill('nowhere');
  await bar().getByText('Not found').waitFor();
  await wanted.press('Escape');
  assert.equal(await bar().isVisible(), false);
  assert.ok(await editor().evaluate((area) => document.activeElement === area));
  await isMarked('found', []);
});

test('one place or all are replaced, and undo brings them back', async () => {
  const source = 'a(1);\nb(1);\na(2);\n';
  const field = (name) => bar().getByLabel(name, { exact: true });
  const undo = async () => {
    await field('Find').press('Escape');
    await page.keyboard.press('Control+z');
    assert.equal(await text(), source);
  };
  await editor().fill(source);
  await page.getByRole('button', { name: 'Find and replace' }).click();
  await bar().getByLabel('Match case').uncheck();
  await field('Find').fill('a(');
  await bar().getByText('1 of 2').waitFor();
  await field('Replace with').fill('$&');
  await field('Replace with').press('Enter');
  assert.equal(await text(), '$&1);\nb(1);\na(2);\n');
  await bar().getByText('1 of 1').waitFor();
  assert.ok(await field('Replace with').evaluate((input) => document.activeElement === input));
  await undo();
  await select(0);
  await page.keyboard.press('Control+f');
  await field('Find').fill(')');
  await bar().getByText('1 of 3').waitFor();
  await field('Replace with').fill(', 0)');
  await bar().getByRole('button', { name: 'Replace all' }).click();
  await bar().getByText('3 places replaced').waitFor();
  assert.equal(await text(), 'a(1, 0);\nb(1, 0);\na(2, 0);\n');
  await undo();
});

test('Ctrl+/ comments lines out, also where "/" needs Shift; a closing brace goes back', async () => {
  await editor().fill('  a\n    b\n');
  await select(0, 8);
  await page.keyboard.press('Control+/');
  assert.equal(await text(), '  // a\n  //   b\n');
  await editor().evaluate((area) => area.dispatchEvent(new KeyboardEvent('keydown', { key: '/', ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true })));
  assert.equal(await text(), '  a\n    b\n');
  await editor().fill('');
  await page.keyboard.type('if (x) {\ny;\n}\n}');
  assert.equal(await text(), 'if (x) {\n    y;\n}\n}');
  await page.keyboard.press('Control+z');
  assert.notEqual(await text(), 'if (x) {\n    y;\n}\n}');
  await browser.faultless();
});
