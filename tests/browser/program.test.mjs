// The page for whole programs: files, settings, errors where they belong, the run as it goes on, attempts, and the page
// of such a run. Requests that start a program are answered by the test.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { execute, Lab, soon, temporaryFolder } from '../harness/lab.mjs';

const day = (n) => new Date(Date.UTC(2026, 0, n, 12));
const main = (n) => `#include "twice.h"\n\nint main()\n{\n    return twice(${n}) != ${2 * n};\n}\n`;
const program = (n) => ({
  files: { 'main.cu': main(n), 'twice.h': 'int twice(int value);\n', 'twice.cu': 'int twice(int value) { return 2 * value; }\n' },
  name: 'twice', arguments: ['4096', 'two words'], stdin: 'first line\n', options: { std: 'c++17', libraries: ['cublas'] },
});
const hello = { name: 'hello', title: 'Hello', text: 'Prints a line.', lessons: [], files: { 'main.cu': 'int main() { return 0; }\n' } };
const parameters = { runs: 5, limit_s: 60, timeline: true };
const device = { id: 'GPU-1', name: 'NVIDIA H200', backend: 'cuda', ordinal: 0, properties: {}, peers: [] };
const finding = 'The copies are from pageable memory.';

const counted = { axes: { program: 'twice', kernel: 'twice' }, metric: 'launches', unit: '1', median: 3, stop_reason: null, verified: null, wrong: null, counters: [{ name: 'dram_utilization', value: 0.9, unit: '1', metric: 'dram__throughput.avg' }] };

/** A run of program(n) on day n of the year, which took 1/n s. */
function runOf(n, fields = {}) {
  const headline = [{ title: 'Elapsed', metric: 'elapsed', unit: 's', value: 1 / n, axes: { program: 'twice' }, lowest: true }];
  const run = { at: day(n), experiment: 'program', program: program(n), parameters, headline, output: `warning\n${2 * n}\n`, findings: [{ name: 'pageable', text: finding, lesson: 'transfer' }], environment: { devices: [device] }, ...fields };
  return linesOf(run, fields.status ? [] : [{ axes: { program: 'twice' }, metric: 'elapsed', unit: 's', samples: [1 / n, 1.5 / n] }, counted]);
}
const spans = (run) => [['copy-up', 'H2D 4 MiB', 0, 400_000], ['compute', 'twice(float*)', 500_000, 900_000]]
  .map(([kind, label, start_ns, end_ns]) => ({ type: 'span', run, lane: 'stream 13', kind, label, axes: {}, start_ns, end_ns, details: { device: 0 } }));
const rejected = { type: '/problems/compile-failed', title: 'The compiler rejected the source', detail: 'In main.cu, line 5, column 3: identifier "twice" is undefined' };
const messages = [{ severity: 'error', file: 'main.cu', line: 5, column: 3, text: 'identifier "twice" is undefined' }];
const warnings = [{ severity: 'warning', file: 'twice.cu', line: 1, column: 5, text: 'missing return statement' }];

const planned = (route) => route.fulfill({ json: { points: 1, seconds: 6, device_bytes: 0, host_bytes: 0 } });

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  const first = runOf(1), second = runOf(2, { messages: warnings });
  const failed = runOf(3, { status: 'failed', headline: null, findings: null, error: rejected, messages, output: 'main.cu(5): error: identifier "twice" is undefined\n' });
  const answer = await importInto(lab, [...first, ...second, ...spans(second[0].id), ...failed]);
  assert.equal(answer.json.imported, 3, answer.text);
  await page.route('**/api/v1/runs?dry_run=true', planned);
  await page.route('**/api/v1/programs', (route) => route.fulfill({ json: { programs: [hello] } }));
});
after(async () => {
  await browser.close();
  await lab.close();
});

const editor = () => page.getByLabel('Text of the file').and(page.locator(':visible'));
const fileTab = (name) => page.getByRole('tablist', { name: 'Files of the program' }).getByRole('tab', { name, exact: true });
const fileNames = () => page.getByRole('tablist', { name: 'Files of the program' }).getByRole('tab').allTextContents();
const tab = (name) => page.getByRole('tablist', { name: 'Parts of the result' }).getByRole('tab', { name });
const runButton = () => page.getByRole('button', { name: 'Run', exact: true });
const output = (name = 'Output of the program') => page.getByRole('region', { name });
const chosen = (...files) => page.locator('.program-files input[type=file]').setInputFiles(files.map(([name, text]) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })));

async function faultless(what) {
  await browser.faultless();
  await browser.fits(what);
}

async function open(address) {
  await page.goto(`${lab.address}${address}`);
  await editor().waitFor();
}

/** Opens an address in a browser that has kept no draft. */
async function openAfresh(address = '/program') {
  if (!page.url().startsWith(lab.address)) await page.goto(lab.address);
  await page.evaluate(() => localStorage.clear());
  await open(address);
}

/** Answers the next request for a run with the id `id`; returns a promise of its body. */
function nextRun(id) {
  return new Promise((resolve) => {
    page.route('**/api/v1/runs', (route) => {
      resolve(route.request().postDataJSON());
      return route.fulfill({ status: 202, json: { id } });
    }, { times: 1 });
  });
}

test('whole programs are found where own kernels are', async () => {
  await page.goto(lab.address);
  await page.getByRole('link', { name: 'Run a program of your own' }).click();
  await page.getByRole('heading', { level: 1, name: 'Own program' }).waitFor();
  assert.deepEqual(await fileNames(), ['main.cu']);
  assert.match(await editor().inputValue(), /int main\(\)/);
  await page.getByRole('searchbox').or(page.getByRole('combobox', { name: /Search/ })).first().fill('write a program');
  await page.getByRole('option', { name: /Write a program/ }).waitFor();
  await page.keyboard.press('Escape');
  await faultless('a first program');
});

test('files are added, renamed and removed; a name occurs once', async () => {
  await openAfresh();
  await page.getByRole('button', { name: 'Add a file' }).click();
  const name = page.getByLabel('File name');
  assert.ok(await name.evaluate((input) => document.activeElement === input));
  await page.keyboard.type('main.cu');
  await page.getByText('Two files are called main.cu.').waitFor();
  assert.equal(await name.getAttribute('aria-invalid'), 'true');
  const asked = [];
  const note = (request) => request.method() === 'POST' && asked.push(request.url());
  page.on('request', note);
  await runButton().click();
  await browser.drawn();
  assert.deepEqual(asked, [], 'nothing is started');
  page.off('request', note);
  await name.fill('src/data.h');
  await editor().fill('#define DATA 1\n');
  assert.deepEqual(await fileNames(), ['main.cu', 'src/data.h']);
  await fileTab('main.cu').click();
  assert.match(await editor().inputValue(), /int main/);
  await page.reload();
  await editor().waitFor();
  await fileTab('src/data.h').click();
  assert.equal(await editor().inputValue(), '#define DATA 1\n');
  await page.getByRole('button', { name: 'Remove this file' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await soon(async () => assert.deepEqual(await fileNames(), ['main.cu']));
  assert.ok(await page.getByRole('button', { name: 'Remove this file' }).isDisabled());
  await faultless('files');
});

test('files of the machine replace a program to begin with, and are added to another', async () => {
  await openAfresh();
  await chosen(['a.cu', 'int main() {}\n'], ['b.h', '// größer\n']);
  await soon(async () => assert.deepEqual(await fileNames(), ['a.cu', 'b.h']));
  await editor().press('Control+End');
  await page.keyboard.type('// mine');
  await chosen(['c.h', '']);
  await soon(async () => assert.deepEqual(await fileNames(), ['a.cu', 'b.h', 'c.h']));
  await chosen(['a.cu', 'other']);
  await page.getByRole('dialog', { name: 'Replace a.cu?' }).getByRole('button', { name: 'Cancel' }).click();
  await soon(async () => assert.match(await editor().inputValue(), /mine/));
  await chosen(['a.cu', 'other']);
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  await soon(async () => assert.equal(await editor().inputValue(), 'other'));
  await page.locator('.program-files input[type=file]').setInputFiles([{ name: 'x.o', mimeType: '', buffer: Buffer.from([0x7f, 0, 0xff]) }]);
  await page.getByText('x.o: It is no text in UTF-8.').waitFor();
  assert.deepEqual(await fileNames(), ['a.cu', 'b.h', 'c.h']);
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer();
    data.items.add(new File(['dropped\n'], 'dropped.h'));
    return data;
  });
  await page.locator('.program-files').dispatchEvent('drop', { dataTransfer: transfer });
  await soon(async () => assert.deepEqual(await fileNames(), ['a.cu', 'b.h', 'c.h', 'dropped.h']));
  await faultless('files of the machine');
});

test('Ctrl+Enter sends the files, arguments, standard input and options', async () => {
  await openAfresh();
  await page.getByLabel('Name', { exact: true }).fill('hello');
  await page.getByLabel('Arguments').fill(`4096 'two words'`);
  await page.getByLabel('Standard input').fill(' first\nsecond\n');
  await page.getByRole('textbox', { name: 'Executions' }).fill('3');
  await page.getByText('How it is compiled').click();
  await page.getByLabel('Standard', { exact: true }).selectOption('c++17');
  await page.getByLabel('Defines').fill('TILE=32, FAST');
  await page.getByRole('checkbox', { name: 'cublas', exact: true }).check();
  await page.getByLabel('OpenMP').check();
  const text = await editor().inputValue();
  const sent = nextRun(idAt(day(1)));
  await editor().press('Control+Enter');
  const { devices, ...body } = await sent;
  assert.equal(devices.length, 1);
  assert.deepEqual(body, {
    experiment: 'program', parameters: { runs: 3 },
    program: { files: { 'main.cu': text }, name: 'hello', arguments: ['4096', 'two words'], stdin: ' first\nsecond\n', options: { std: 'c++17', defines: ['TILE=32', 'FAST'], libraries: ['cublas'], openmp: true } },
  });
  await soon(async () => assert.equal(await output().locator('code').textContent(), 'warning\n2\n'));
  await page.getByLabel('Arguments').fill(`'two`);
  await page.getByText('The quote \' is not closed.').waitFor();
  await page.reload();
  await editor().waitFor();
  assert.equal(await page.getByLabel('Arguments').inputValue(), `'two`);
  assert.equal(await page.getByLabel('Standard', { exact: true }).inputValue(), 'c++17');
  await soon(async () => assert.equal(await output().locator('code').textContent(), 'warning\n2\n'), 'the run is shown after a reload');
  await faultless('settings');
});

test('what a program prints is shown as it comes, once, the compiler apart', async () => {
  const id = '01b2c3d4-0000-7000-8000-000000000001';
  const { json: of } = await lab.get(`/api/v1/runs/${idAt(day(1))}`);
  const running = { ...of, id, revision: 1, status: 'running', finished_at: null, measurements: [], measurement_count: 0, headline: null, findings: null, progress: { done: 0, total: 0, label: '' }, output: 'main.cu(3): warning #177-D: x\none\n' };
  let run = running;
  const event = (n, offset, stream, text) => `id: test-${n}\nevent: run.output\ndata: ${JSON.stringify({ run: id, offset, stream, text })}\n\n`;
  const start = running.output.length;
  let body = event(1, 0, 'compiler', 'main.cu(3): warning #177-D: x\n') + event(2, start - 4, 'stdout', 'one\n') + event(3, start, 'stdout', 'two\n') + event(4, start + 4, 'stderr', '\\x1b[31mthree\n');
  await page.route(`**/api/v1/runs/${id}`, (route) => route.fulfill({ json: run }));
  await page.route('**/api/v1/events', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
  await openAfresh(`/program?attempt=${id}`);
  await page.getByRole('button', { name: 'Cancel the run' }).waitFor();
  await soon(async () => assert.match(await output().locator('code').textContent(), /one\ntwo\n\\x1b\[31mthree\n$/));
  assert.equal(await output().locator('.stderr').textContent(), '\\x1b[31mthree\n');
  const whole = () => page.locator('.program-text code').allTextContents().then((texts) => texts.join(''));
  assert.equal(await whole(), `${running.output}two\n\\x1b[31mthree\n`, 'each text once');
  run = { ...running, status: 'failed', revision: 2, progress: null, finished_at: of.finished_at, output: `${running.output}two\n\\x1b[31mthree\nlast\n`, error: { type: '/problems/program-failed', title: 'The program failed', detail: 'It was ended by signal 11 (segmentation fault).' } };
  body = `id: test-5\nevent: run.updated\ndata: ${JSON.stringify({ ...run, measurements: undefined, output: undefined })}\n\n`;
  await page.getByText('It was ended by signal 11 (segmentation fault).').waitFor();
  await soon(async () => assert.equal(await whole(), run.output));
  await page.unroute(`**/api/v1/runs/${id}`);
  await page.unroute('**/api/v1/events');
  await browser.faultless();
});

test('a message of the compiler leads to its line', async () => {
  const id = idAt(day(3));
  await openAfresh(`/program?run=${id}&attempt=${id}`);
  await page.getByText(rejected.detail).waitFor();
  assert.match(await output('Messages of the compiler').textContent(), /identifier "twice" is undefined/);
  await fileTab('twice.h').click();
  await page.getByRole('button', { name: 'main.cu, line 5: identifier "twice" is undefined' }).click();
  await soon(async () => assert.equal(await editor().evaluate((area) => document.activeElement === area && area.value.slice(0, area.selectionStart).split('\n').length), 5));
  assert.equal(await page.locator('.editor-frame:visible .editor-gutter .error').textContent(), '5', 'the line is marked');
  await faultless('a message of the compiler');
});

test('a warning of a program that compiles leads to its line, too', async () => {
  const id = idAt(day(2));
  await openAfresh(`/program?run=${id}&attempt=${id}`);
  await page.getByRole('button', { name: 'twice.cu, line 1: missing return statement' }).click();
  await soon(async () => assert.equal(await editor().inputValue(), program(2).files['twice.cu']));
  await soon(async () => assert.equal(await page.locator('.editor-frame:visible .editor-gutter .warning').textContent(), '1', 'the line is marked'));
  await faultless('a warning of the compiler');
});

test('the tabs of a run: output, timeline with two marks, findings, results', async () => {
  const id = idAt(day(2));
  await openAfresh(`/program?attempt=${id}`);
  await soon(async () => assert.equal(await output().locator('code').textContent(), 'warning\n4\n'));
  await tab('Findings').click();
  const item = page.locator('.findings li', { hasText: finding });
  assert.equal(await item.getByRole('link').getAttribute('href'), '/experiments/transfer');
  await tab('Results').click();
  await page.getByText('Elapsed time').first().waitFor();
  await tab('Timeline').click();
  const figure = page.locator('.timeline-figure:visible');
  await figure.waitFor();
  await page.getByText('One execution of the program was traced').waitFor();
  await browser.drawn();
  await figure.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  const marks = page.getByRole('group', { name: 'Marks' });
  await marks.getByText(/H2D 4 MiB · .*stream 13.* · device 0$/).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await soon(async () => assert.match((await marks.textContent()).replaceAll('\u00a0', ' '), /A to Bstart to start 500\.000 µs · end to start 100\.000 µs · in all 900\.000 µs/));
  await soon(async () => assert.equal(await page.locator('.timeline-mark-line:visible').count(), 2));
  const [first, second, chart] = await browser.boxes(page.locator('.timeline-mark-line').nth(0), page.locator('.timeline-mark-line').nth(1), '.timeline-chart');
  assert.ok(first.x < second.x && first.y < chart.y && first.y + first.height >= chart.y + chart.height, JSON.stringify([first, second, chart]));
  await faultless('marks');
  await page.getByRole('button', { name: 'Remove the marks' }).click();
  assert.equal(await marks.isVisible(), false);
  await soon(async () => assert.equal(await page.locator('.timeline-mark-line:visible').count(), 0));
  const [box] = await browser.boxes('.timeline-chart');
  await page.mouse.click(box.x + box.width - 30, box.y + box.height / 2);
  await soon(async () => assert.match(await marks.textContent(), /^A/));
});

test('attempts can be compared and restored', async () => {
  await openAfresh();
  const rows = page.getByRole('region', { name: 'Attempts' }).getByRole('listitem');
  await rows.nth(2).waitFor();
  assert.match(await rows.first().textContent(), /failed/);
  assert.match((await rows.nth(1).textContent()).replaceAll('\u00a0', ' '), /500\.0 ms/);
  await rows.nth(1).getByRole('button', { name: /^Differences/ }).click();
  await page.getByLabel('to', { exact: true }).selectOption({ index: 3 });
  await page.getByLabel('From', { exact: true }).selectOption({ index: 2 });
  assert.deepEqual(await page.locator('.diff td.added code, .diff td.removed code').allTextContents(), ['    return twice(2) != 4;', '    return twice(1) != 2;']);
  const link = page.getByRole('link', { name: 'Compare their results' });
  assert.equal(await link.getAttribute('href'), `/compare?base=${idAt(day(2))}&head=${idAt(day(1))}`);
  await rows.nth(2).getByRole('button', { name: /^Restore/ }).click();
  assert.deepEqual(await fileNames(), Object.keys(program(1).files));
  assert.equal(await editor().inputValue(), main(1));
  await faultless('attempts');
});

test('the page of a run shows the program, and leads to it as a new one', async () => {
  await page.goto(`${lab.address}/runs/${idAt(day(1))}`);
  await soon(async () => assert.equal(await output().locator('code').textContent(), 'warning\n2\n'));
  await tab('Program').click();
  const shown = page.getByRole('region', { name: 'Program', exact: true });
  assert.match(await shown.textContent(), /4096 'two words'.*c\+\+17.*cublas/s);
  await shown.getByText('twice.cu').click();
  const text = page.getByRole('region', { name: 'Text of twice.cu' });
  assert.equal(await text.textContent(), program(1).files['twice.cu']);
  assert.ok(await text.locator('.code-keyword, [class^=code-]').count() > 0, 'with colours');
  await faultless('the page of a run');
  await tab('Chart').click();
  await page.getByText('Launches', { exact: true }).first().click();
  await page.getByTitle('Show the hardware counters').click();
  const counters = page.getByRole('region', { name: 'Samples' });
  await soon(async () => assert.match(await counters.textContent(), /limit is device memory.*single value.*dram__throughput\.avg/s));
  await faultless('the hardware counters of a kernel');
  await page.getByRole('link', { name: 'Edit as a new program' }).first().click();
  await editor().waitFor();
  assert.deepEqual(await fileNames(), Object.keys(program(1).files));
  assert.equal(await page.getByLabel('Arguments').inputValue(), "4096 'two words'");
  assert.equal(await page.getByRole('textbox', { name: 'Executions' }).inputValue(), '5');
  assert.equal(await page.getByLabel('Standard input').inputValue(), 'first line\n');
  await editor().fill('int main() {}\n');
  await page.reload();
  await editor().waitFor();
  assert.equal(await editor().inputValue(), 'int main() {}\n', 'the draft is kept');
});

test('a program of the lab to begin with replaces a changed one only after a question', async () => {
  const samples = [{ name: 'pinned', title: 'Pinned and pageable', text: 'Copies from both kinds of memory.', lessons: ['transfer'], files: { 'pinned.cu': 'int main() { return 1; }\n' } }];
  await page.route('**/api/v1/programs', (route) => route.fulfill({ json: { programs: [hello, ...samples] } }));
  await openAfresh();
  const select = page.getByLabel('Start from');
  await select.selectOption('Pinned and pageable');
  await soon(async () => assert.deepEqual(await fileNames(), ['pinned.cu']));
  await page.getByText('Copies from both kinds of memory.').waitFor();
  await editor().fill('// mine');
  await page.reload();
  await editor().waitFor();
  assert.equal(await editor().inputValue(), '// mine');
  await select.selectOption('Pinned and pageable');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await editor().inputValue(), '// mine');
  await openAfresh('/program?sample=pinned');
  assert.equal(await editor().inputValue(), 'int main() { return 1; }\n');
  await faultless('a program of the lab');
  await page.route('**/api/v1/programs', (route) => route.fulfill({ json: { programs: [hello] } }));
});

test('a lesson leads to the programs about it, and a lab without such programs shows none', async () => {
  await page.unroute('**/api/v1/programs');
  const { programs } = (await lab.get('/api/v1/programs')).json;
  const { name, title, files } = programs.find(({ lessons }) => lessons.includes('transfer'));
  await page.goto(`${lab.address}/experiments/transfer`);
  await page.getByRole('link', { name: title, exact: true }).click();
  await editor().waitFor();
  assert.equal(new URL(page.url()).searchParams.get('sample'), name);
  assert.deepEqual([await fileNames(), await editor().inputValue()], [Object.keys(files), Object.values(files)[0]]);
  await faultless('a program of a lesson');
  await page.route('**/api/v1/programs', (route) => route.fulfill({ status: 404, json: { title: 'Not found' } }));
  await page.goto(`${lab.address}/experiments/transfer`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await openAfresh();
  assert.equal(await page.getByLabel('Start from').count(), 0);
  browser.ignore(/status of 404/);
  await faultless('a lab without programs to begin with');
  await page.unroute('**/api/v1/programs');
  await page.route('**/api/v1/programs', (route) => route.fulfill({ json: { programs: [hello] } }));
});

test('the page fits every screen', async () => {
  for (const width of [360, 768, 1920, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await openAfresh(`/program?run=${idAt(day(2))}&attempt=${idAt(day(2))}`);
    await output().waitFor();
    await faultless(`${width} px`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('a lab that runs no programs over the network says what to do', async () => {
  await page.unroute('**/api/v1/runs?dry_run=true');
  await openAfresh();
  await page.getByRole('heading', { name: 'This lab does not run programs over the network' }).waitFor();
  await page.getByText('gpulab serve --allow-programs').waitFor();
  browser.ignore(/status of 422/);
  await faultless('a lab without programs');
});

test('errors of the lab are shown where they belong; a viewer is told that nothing can be run', async () => {
  const folder = temporaryFolder(), database = join(folder, 'lab.db');
  const addToken = async (name, role) => (await execute('gpulab', ['token', 'add', name, '--role', role, '--db', database], { folder })).stdout.trim();
  const tokens = { operator: await addToken('ana', 'operator'), viewer: await addToken('bo', 'viewer') };
  const open_ = await Lab.start({ folder, database, args: ['--allow-programs'] });
  const signIn = async (token) => {
    await page.context().clearCookies();
    await page.goto(`${open_.address}/program`);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await editor().waitFor();
  };
  await signIn(tokens.operator);
  await page.getByText(/1 point, about/).waitFor();
  await page.getByLabel('File name').fill('a b.cu');
  await page.locator('.file-problems', { hasText: '"a b.cu" is none.' }).waitFor();
  await fileTab('a b.cu: error').waitFor();
  await page.getByLabel('File name').fill('main.cu');
  await soon(async () => assert.equal(await page.locator('.file-problems').textContent(), ''));
  await page.getByText('How it is compiled').click();
  await page.getByLabel('Standard', { exact: true }).selectOption('c17');
  await page.locator('.field', { hasText: 'The standard of the language' }).getByText('c17 is a standard of C, and no file of the program is written in it.').waitFor();
  await page.getByLabel('Standard', { exact: true }).selectOption('');
  await page.getByLabel('Defines').fill('A=$(x)');
  await page.locator('.field', { hasText: 'Macros, as NAME' }).getByText(/A macro must be NAME or NAME=VALUE/).waitFor();
  await page.getByLabel('Defines').fill('ANSWER=42');
  await page.getByLabel('File name').fill('main.c');
  await editor().fill('#include <stdio.h>\nint main(void) { printf("%d\\n", ANSWER); fputs("to stderr\\n", stderr); return 3; }\n');
  await editor().press('Control+Enter');
  await page.getByText(/^The run failed: /).waitFor();
  await soon(async () => assert.deepEqual((await output().locator('code').textContent()).split('\n').sort(), ['', '42', 'to stderr']));
  await page.getByRole('region', { name: 'Attempts' }).getByRole('listitem').getByText('failed').waitFor();
  browser.ignore(/status of 40[14]|status of 422/);
  await faultless('errors');
  await signIn(tokens.viewer);
  await page.getByText('You can read programs, but not run them').waitFor();
  assert.ok(await runButton().isDisabled());
  browser.ignore(/status of 40[134]/);
  await faultless('a viewer');
  await page.goto('about:blank'); // what the page misses of a lab that is closed is no fault
  await open_.close();
});

test('a command of the machine is run instead of files', async () => {
  const listed = [{ name: 'nvbandwidth', text: 'Copies between host and devices.', arguments: ['-t', '[a-z_]+'], format: 'nvbandwidth', limit_s: 60 }];
  await page.route('**/api/v1/runs?dry_run=true', planned);
  await page.route('**/api/v1/nodes/*/commands', (route) => route.fulfill({ json: { commands: listed, reason: null } }));
  await openAfresh();
  await page.getByLabel('Run', { exact: true }).and(page.locator('select')).selectOption('nvbandwidth');
  await page.getByText('Each argument matches one of -t, [a-z_]+. Its results are read as nvbandwidth. It is ended after 60.00 s.').waitFor();
  assert.equal(await page.locator('.program-files').isVisible(), false);
  assert.equal(await page.getByText('How it is compiled').isVisible(), false);
  await page.getByLabel('Arguments', { exact: true }).fill('-t host_to_device_memcpy_ce');
  const body = nextRun(idAt(day(1)));
  await runButton().click();
  assert.deepEqual((await body).program, { command: 'nvbandwidth', arguments: ['-t', 'host_to_device_memcpy_ce'] });
  await faultless('a command');
  await page.getByLabel('Run', { exact: true }).and(page.locator('select')).selectOption('');
  await editor().waitFor();
  await page.unroute('**/api/v1/nodes/*/commands');
});

test('output that the lab has removed is not taken for none', async () => {
  assert.equal((await importInto(lab, runOf(4, { output: '' }))).json.imported, 1);
  await page.goto(`${lab.address}/runs/${idAt(day(4))}?tab=output`);
  await page.getByText('What the program printed was removed, as of older runs.').waitFor();
  await faultless('removed output');
});
