// The editor of kernels: from a lesson to errors in place, a corrected text, its PTX, a link and the draft that is
// kept; the refusal of a run on the host runtime; attempts; all with the keyboard. Compiling needs NVRTC, but no GPU.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { endless, execute, Lab, soon, temporaryFolder } from '../harness/lab.mjs';
import { nvdisasmIn } from '../harness/nvdisasm.mjs';

const { error } = JSON.parse((await execute('gpulab-compiler', [], { input: '{}' })).stdout);
const skip = error && `no NVRTC: ${error.detail}`;

let lab, browser, page, original;
const tools = temporaryFolder(); // with a stand-in for nvdisasm, which says, as an instruction of line 3, whether the machine code has a kernel `second`
const findsSecond = `found=no; while read -r line || [ -n "$line" ]; do case $line in *second*) found=yes;; esac; done < "$3"
echo '//## File "kernel.cu", line 3'; echo "/*0010*/ second: $found"`;
const padded = '/kernels?edits=transpose%2Fpadded';
before(async () => {
  lab = await Lab.start({ env: nvdisasmIn(tools, findsSecond) });
  browser = await Browser.start();
  page = browser.page;
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  original = (await lab.get('/api/v1/experiments/transpose/sources/padded?backend=cuda')).text;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const gpu = { id: 'GPU-1', ordinal: 0, backend: 'cuda', name: 'NVIDIA H200', properties: {}, peers: [], node: 'n1', state: 'available' };
const editor = () => page.getByLabel('Source of the kernel');
const status = (text) => page.locator('.compiler-report').getByText(text);
const heading = (name) => page.getByRole('heading', { level: 1, name });
const preset = (name) => page.getByRole('group', { name: 'Kernels to begin with' }).getByRole('button', { name });
const tab = (name) => page.getByRole('tab', { name });

async function faultless(what) {
  await browser.faultless();
  await browser.fits(what);
}

async function open(address) {
  await page.goto(`${lab.address}${address}`);
  await editor().waitFor();
  await unfold();
}

async function reload() {
  await page.reload();
  await editor().waitFor();
  await unfold();
}

/** Opens the form of the launch, which is folded where the lab has no GPU. */
const unfold = () => page.evaluate(() => document.querySelector('.run-form > details')?.setAttribute('open', ''));

/** Opens an address in a browser that has kept no draft. */
async function openAfresh(address) {
  if (!page.url().startsWith(lab.address)) await page.goto(lab.address);
  await page.evaluate(() => localStorage.clear());
  await open(address);
}

/** Selects the only occurrence of a part of the text and types `text` in its place. */
async function retype(part, text) {
  await editor().evaluate((area, wanted) => {
    const at = area.value.indexOf(wanted);
    area.focus();
    area.setSelectionRange(at, at + wanted.length);
  }, part);
  await page.keyboard.type(text);
}

test('a lesson leads to the editor with the text of the kernel', async () => {
  await page.goto(`${lab.address}/experiments/transpose`);
  const sources = page.getByRole('region', { name: 'Steps and source code' });
  await sources.getByRole('button', { name: 'CUDA' }).click();
  await sources.getByText('Padded tiles', { exact: true }).click();
  await page.getByRole('link', { name: 'Edit this kernel' }).click();
  await heading('Edit: Padded tiles').waitFor();
  assert.equal(await editor().inputValue(), original);
  assert.equal(await page.title(), 'Edit: Padded tiles · gpulab');
  await faultless('the editor');
});

test('sources of libraries and of the host runtime cannot be edited', async () => {
  await page.goto(`${lab.address}/kernels?edits=matmul/cublas`);
  await heading('Kernel not found').waitFor();
  browser.ignore(/status of 404/);
});

test('an error is shown at its line and in a list that moves the cursor', { skip }, async () => {
  await open(padded);
  await status(/^Compiled for sm_90/).waitFor();
  await retype('TILE + 1', 'TILE + one');
  await status('Rejected: 1 error').waitFor();
  const line = original.split('\n').findIndex((one) => one.includes('TILE + 1')) + 1;
  const marked = page.locator('.editor-line.error');
  assert.equal(await marked.count(), 1);
  assert.match(await marked.textContent(), /TILE \+ one.*identifier "one" is undefined/);
  assert.equal(await page.locator('.editor-number.error').textContent(), String(line));
  await faultless('an error');
  await page.getByRole('button', { name: `Line ${line}, column` }).click();
  assert.equal(await editor().evaluate((area) => area.value.slice(0, area.selectionStart).split('\n').length), line);
  assert.ok(await editor().evaluate((area) => document.activeElement === area));
});

test('the corrected text is compiled by itself; its resources are compared with the original', { skip }, async () => {
  await retype('TILE + one', 'TILE');
  await status(/^Compiled for sm_90/).waitFor();
  assert.equal(await page.locator('.editor-line.error').count(), 0);
  const row = page.getByRole('row', { name: /transpose_padded/ });
  await soon(async () => assert.match(await row.textContent(), /4,096 \(−128\)/));
  await page.getByText('In parentheses: the change from the original.').waitFor();
  await tab('PTX').click();
  assert.match(await page.getByRole('region', { name: 'PTX' }).textContent(), /\.visible \.entry transpose_padded\(/);
  await tab('Differences').click();
  const rows = page.getByRole('region', { name: 'Differences' }).locator('td.added, td.removed');
  assert.deepEqual(await rows.locator('code').allTextContents(),
    ['TILE + 1', 'TILE'].map((pitch) => `    transpose_tile<${pitch}>(in, out, rows, columns, blockIdx.y, blockIdx.x);`));
  await faultless('differences');
});

/** Of a line of the editor: the tops of its number, of its text in colours, and of its place in the text area. */
const topsOf = (line) =>
  page.locator('.editor').evaluate((box, at) => {
    const top = (element) => element.getBoundingClientRect().top;
    const area = box.querySelector('.editor-area'), { lineHeight, paddingTop } = getComputedStyle(area);
    const places = [...['.editor-number', '.editor-line'].map((name) => top(box.querySelectorAll(name)[at - 1])), top(area) + parseFloat(paddingTop) + (at - 1) * parseFloat(lineHeight)];
    return places.map((place) => Math.round(place - top(area)));
  }, line);

/** Gives the page a font of texts that is higher above its baseline than that of code, as on many machines. */
const raiseTexts = () =>
  page.evaluate(async () => {
    const sources = ['DejaVu Sans', 'Liberation Sans', 'Noto Sans', 'Arial'].map((name) => `local("${name}")`).join();
    document.fonts.add(await new FontFace('High', sources, { ascentOverride: '130%', descentOverride: '10%' }).load());
    document.documentElement.style.setProperty('--font-text', 'High');
  });

test('number, text and caret of a line are at one place, also at line 400', async () => {
  await open('/kernels');
  await raiseTexts();
  const lines = Array.from({ length: 400 }, (_, at) => (at % 3 ? `__device__ int value_${at + 1} = ${at}; // größer, 大, 🙂` : ''));
  await editor().fill([...lines, `__device__ none unknown; // ${'long '.repeat(80)}`].join('\n'));
  for (const line of [1, 26, 200, 400]) {
    const [number, text, caret] = await topsOf(line);
    assert.ok(Math.abs(number - caret) <= 1 && Math.abs(text - caret) <= 1, `line ${line}: ${[number, text, caret]}`);
  }
  await page.locator('.editor-line').nth(299).click({ force: true, position: { x: 60, y: 8 } });
  assert.equal(await editor().evaluate((area) => area.value.slice(0, area.selectionStart).split('\n').length), 300);
  await page.locator('.editor-number.current', { hasText: /^300$/ }).waitFor();
});

test('a message beside a line moves no other line, and is in view beside a long one', { skip }, async () => {
  await status('Rejected: 1 error').waitFor();
  const [message, box] = await browser.boxes('.editor-line.error > .editor-message', '.editor');
  assert.ok(message.x >= box.x && message.x + message.width <= box.x + box.width, JSON.stringify([message, box]));
  await editor().press('Control+End');
  await page.keyboard.type('\n\n');
  const [number, text, caret] = await topsOf(403);
  assert.ok(Math.abs(number - caret) <= 1 && Math.abs(text - caret) <= 1, String([number, text, caret]));
});

test('SASS is requested when it is chosen, and for each text while it is chosen; the keyboard suffices', { skip }, async () => {
  const asked = []; // of each request to compile: whether it asks for SASS
  const note = (request) => request.url().endsWith('/compile') && asked.push(request.postDataJSON().options?.sass ?? false);
  const listing = (name) => page.getByRole('region', { name, exact: true });
  await openAfresh(padded);
  page.on('request', note);
  await status(/^Compiled for sm_90/).waitFor();
  await tab('PTX, SASS').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab'); // to the panel
  await page.keyboard.press('Tab'); // to PTX
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await soon(async () => assert.equal(await listing('SASS').textContent(), '/*0010*/ second: no\n'));
  assert.equal(asked.pop(), true);
  assert.ok(!asked.includes(true));
  await page.locator('.code-linked[data-line="3"]', { hasText: 'second: no' }).hover();
  await page.locator('.editor-line').nth(2).and(page.locator('.pointed')).waitFor();
  await faultless('SASS');
  await editor().focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText('extern "C" __global__ void second() {}\n');
  await soon(async () => assert.equal(await listing('SASS').textContent(), '/*0010*/ second: yes\n'));
  await page.getByRole('button', { name: 'PTX', exact: true }).click();
  assert.match(await listing('PTX').textContent(), /\.visible \.entry second\(/);
  asked.length = 0;
  await editor().focus();
  await page.keyboard.insertText('\n');
  await soon(() => assert.deepEqual(asked, [false]));
  page.off('request', note);
});

test('options and files are those of the compiler, and part of the draft', async () => {
  await openAfresh('/kernels');
  const compiled = (wanted) => page.waitForRequest((request) => request.url().endsWith('/compile') && wanted(request.postDataJSON()));
  await page.getByText('How it is compiled').click();
  const asked = compiled(({ options, files }) => options.defines?.length === 2 && options.std === 'c++20' && files?.['mine.cuh'] === '// mine');
  await page.getByLabel('Macros').fill('TILE=8,16  FAST');
  await page.getByLabel('Standard').selectOption('c++20');
  await page.getByRole('button', { name: 'Add a file' }).click();
  await page.getByLabel('Text', { exact: true }).fill('// mine');
  assert.deepEqual((await asked).postDataJSON().options.defines, ['TILE=8,16', 'FAST']);
  await faultless('the form of options and files');
  await open('/kernels');
  assert.equal(await page.getByLabel('Macros').inputValue(), 'TILE=8,16  FAST');
  await page.getByRole('button', { name: 'Remove mine.cuh' }).click();
  await page.getByLabel('Macros').fill('');
});

test('the draft is kept, and there is a way back to the original', async () => {
  const toOriginal = page.getByRole('button', { name: 'Back to the original' });
  await openAfresh(padded);
  await retype('elements apart', 'elements away');
  await page.getByText('+1 −1 lines').waitFor();
  await open('/kernels?edits=transpose%2Ftiled');
  assert.equal(await toOriginal.count(), 0);
  await open(padded);
  assert.equal(await editor().inputValue(), original.replace('elements apart', 'elements away'));
  await toOriginal.click();
  assert.equal(await editor().inputValue(), original);
  await page.keyboard.press('Control+z');
  assert.match(await editor().inputValue(), /elements away/);
  await toOriginal.click();
  await open(padded);
  assert.equal(await editor().inputValue(), original);
});

test('a link holds the text and the launch, and does not touch the draft before a change', async () => {
  await openAfresh(padded);
  await retype('elements apart', 'elements linked');
  await page.getByLabel('Threads per block').fill('32, 4');
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.getByRole('button', { name: 'Copy link to this text' }).click();
  const link = await soon(async () => {
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /\/kernels\?edits=transpose%2Fpadded#text=[\w-]+$/);
    return copied;
  });
  await retype('elements linked', 'elements mine');
  await page.goto('about:blank');
  await page.goto(link);
  await editor().waitFor();
  await unfold();
  assert.match(await editor().inputValue(), /elements linked/);
  assert.equal(await page.getByLabel('Threads per block').inputValue(), '32, 4');
  assert.deepEqual(requests.filter((url) => url.split('#')[0].includes('text=')), [], 'the text was sent');
  await faultless('a link');
  await page.getByRole('button', { name: 'Show my draft' }).click();
  assert.match(await editor().inputValue(), /elements mine/);
  assert.equal(new URL(page.url()).hash, '');
  await page.goto('about:blank');
  await page.goto(`${link.slice(0, -9)}`);
  await page.getByText('The text of the link cannot be read').waitFor();
  await page.getByRole('button', { name: 'Back to the original' }).click();
});

test('a lab without a CUDA device says that it cannot run the kernel, before anything is asked of it', async () => {
  for (const address of [padded, '/kernels']) {
    await openAfresh(address);
    await page.reload();
    await page.locator('.run-form > details > summary').waitFor();
    assert.equal(await page.getByLabel('Threads per block').isVisible(), false, 'the launch is folded');
    const reason = page.locator('.run-bar').getByText('No GPU here: you can compile and read PTX; running needs a CUDA device.');
    await reason.waitFor();
    assert.equal(await page.locator('.run-bar .field-error').textContent(), '');
    assert.ok(await page.locator('.run-bar button').isDisabled());
    assert.equal(await page.getByRole('radio').count(), 0, 'no device to choose');
    await editor().press('Control+Enter');
    await browser.drawn();
    await browser.faultless();
  }
  assert.equal((await lab.get('/api/v1/runs')).json.runs.length, 0);
});

test('PTX and resources of an older text say so', { skip }, async () => {
  await openAfresh(padded);
  await status(/^Compiled for sm_90/).waitFor();
  await tab('PTX').click();
  const about = page.locator('.code-note', { hasText: 'PTX' });
  assert.equal(await about.textContent(), 'PTX: the compiler’s portable assembly; the driver turns it into SASS.');
  await retype('TILE + 1', 'TILE + one');
  await status('Rejected: 1 error').waitFor();
  await soon(async () => assert.equal(await about.textContent(), 'PTX of the last text that was compiled, not of the present one.'));
  await tab('Resources').click();
  const older = page.getByText('Resources of the last text that was compiled, not of the present one.');
  await older.waitFor();
  await retype('TILE + one', 'TILE + 1');
  await status(/^Compiled for sm_90/).waitFor();
  await soon(async () => assert.equal(await older.isVisible(), false));
});

test('PTX and the lines that it comes from have one colour, and point at each other', { skip }, async () => {
  await openAfresh(padded);
  await status(/^Compiled for sm_90/).waitFor();
  await tab('PTX').click();
  const lines = original.split('\n');
  const line = lines.findIndex((one) => one.includes('transpose_tile<TILE + 1>')) + 1; // whose call is inlined
  const inner = lines.findIndex((one) => one.includes('__syncthreads')) + 1;
  const linked = (number) => page.locator(`.code-linked[data-line="${number}"]`);
  await linked(inner).first().waitFor();
  assert.match(await linked(inner).allTextContents().then((texts) => texts.join('')), /bar\.sync/);
  assert.ok(await linked(line).count());
  assert.doesNotMatch(await page.getByRole('region', { name: 'PTX' }).textContent(), /\.loc|\.file|debug_str/);
  const colours = async (number) => [page.locator('.editor-number').nth(number - 1), linked(number).first()].map((one) => one.evaluate((element) => getComputedStyle(element).getPropertyValue('--link')));
  const [ofNumber, ofBlock] = await Promise.all(await colours(inner));
  assert.ok(ofNumber && ofNumber === ofBlock, `${ofNumber} ${ofBlock}`);
  await linked(inner).first().hover();
  await page.locator('.editor-line.pointed', { hasText: '__syncthreads' }).waitFor();
  await editor().hover({ position: { x: 200, y: 5 } });
  await editor().evaluate((area, at) => (area.focus(), area.setSelectionRange(at, at)), original.indexOf('transpose_tile<TILE + 1>'));
  await page.mouse.move(0, 0);
  await page.locator(`.code-linked.pointed[data-line="${line}"]`).first().waitFor();
  await faultless('linked PTX');
  await retype('__syncthreads();', '\n    __syncthreads();');
  await linked(inner + 1).filter({ hasText: 'bar.sync' }).first().waitFor();
  await page.locator('.editor-number[class*="linked-"]', { hasText: new RegExp(`^${inner + 1}$`) }).waitFor();
  await retype('__syncthreads();', 'unknown();');
  await status('Rejected: 1 error').waitFor();
  await soon(async () => assert.equal(await page.locator('.editor-number[class*="linked-"]').count(), 0, 'colours of an older text'));
});

test('the entry of a preset goes with its kernel, another entry stays', { skip }, async () => {
  await openAfresh('/kernels');
  await status(/^Compiled for sm_90/).waitFor();
  const entry = page.getByRole('textbox', { name: 'Entry' });
  assert.notEqual(await entry.inputValue(), '');
  await editor().fill('__global__ void saxpy(float a, const float *x, float *y) { y[threadIdx.x] += a * x[threadIdx.x]; }\n');
  assert.equal(await entry.inputValue(), '');
  await page.getByRole('row', { name: /saxpy/ }).waitFor();
  await entry.fill('daxpy');
  await status(/not daxpy; its kernels are: saxpy/).waitFor();
  await editor().press('End');
  await page.keyboard.type(' ');
  assert.equal(await entry.inputValue(), 'daxpy');
});

test('the differences begin with the preset that was loaded', async () => {
  await openAfresh('/kernels');
  await preset('Copy').click();
  await tab('Differences').click();
  const from = page.getByLabel('From', { exact: true });
  await soon(async () => assert.equal(await from.evaluate((select) => select.selectedOptions[0].textContent), 'The preset “Copy”'));
  await page.getByText('The texts are equal.').waitFor();
  await editor().press('Control+End');
  await page.getByLabel('Threads per block').fill('96');
  await editor().focus();
  await page.keyboard.type('// mine');
  await soon(async () => assert.deepEqual(await page.locator('.diff td.added code').allTextContents(), ['// mine']));
  await reload();
  assert.deepEqual([(await editor().inputValue()).endsWith('// mine'), await page.getByLabel('Threads per block').inputValue()], [true, '96']);
  await soon(async () => assert.equal(await from.evaluate((select) => select.selectedOptions[0].textContent), 'The preset “Copy”'));
});

test('what the compiler says is on the first screen, and what is on one line has one height', { skip }, async () => {
  const viewport = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 900 });
  await openAfresh('/kernels');
  await status(/^Compiled for sm_90/).waitFor();
  const [report, presets, link] = await browser.boxes('.compiler-report', '.view-head .segments', page.getByRole('button', { name: 'Copy link to this text' }));
  assert.ok(report.y + report.height <= 900, JSON.stringify(report));
  assert.ok(Math.abs(presets.y + presets.height / 2 - link.y - link.height / 2) <= 1, JSON.stringify([presets, link]));
  await page.setViewportSize(viewport);
});

test('while a run is measured the text waits to be compiled, and is compiled afterwards', { skip }, async () => {
  const { id } = (await lab.post('/api/v1/runs', { experiment: 'transfer', parameters: endless })).json;
  await lab.reach(id, 'running');
  await openAfresh(padded);
  await status(/^Waiting to compile: /).waitFor();
  await lab.post(`/api/v1/runs/${id}/cancel`, {});
  await lab.reach(id, 'cancelled');
  await status(/^Compiled for sm_90/).waitFor();
  browser.ignore(/status of 503/);
  await faultless('after waiting');
});

test('keys: Ctrl+S compiles, Tab indents, Escape and Tab leave the editor', { skip }, async () => {
  await openAfresh('/kernels');
  await preset('Copy').click();
  await soon(async () => assert.match(await editor().inputValue(), /void copy/));
  await editor().focus();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Tab');
  assert.match(await editor().inputValue(), /^ {4}\/\//);
  await page.keyboard.press('Shift+Tab');
  assert.match(await editor().inputValue(), /^\/\//);
  await page.keyboard.press('Control+s');
  await status(/^Compiled for sm_90/).waitFor();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('__device__ void f() {');
  await page.keyboard.press('Enter');
  await page.keyboard.type('g();');
  assert.match(await editor().inputValue(), /f\(\) \{\n {4}g\(\);$/);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  assert.ok(await page.getByRole('button', { name: 'Find and replace' }).evaluate((button) => document.activeElement === button), 'what can be used after the text');
  await faultless('a kernel from nothing');
});

test('arguments have the fields of their kind', async () => {
  await openAfresh('/kernels');
  await page.getByLabel('Threads per block').fill('64');
  await preset('Vector addition').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
  const rows = page.locator('.arguments > li');
  await soon(async () => assert.equal(await rows.count(), 4));
  await page.getByRole('button', { name: 'Add an argument' }).click();
  const last = rows.last();
  assert.ok(await last.getByLabel('Name').evaluate((input) => document.activeElement === input));
  assert.equal(await last.getByLabel('Elements').count(), 1);
  assert.equal(await last.getByLabel('Expected element i').count(), 0, 'of an input');
  await last.getByLabel('Direction').selectOption('out');
  await last.getByLabel('Expected element i').fill('2 * i');
  const check = page.getByLabel('Check in C');
  await page.getByText('A check in C, or how the reference differs').click();
  await check.fill('void check(int n) {}');
  await check.press('Tab');
  await faultless('an output');
  await reload();
  await soon(async () => assert.equal(await last.getByLabel('Expected element i').inputValue(), '2 * i'));
  assert.equal(await check.inputValue(), 'void check(int n) {}');
  await last.getByLabel('Kind').selectOption('scalar');
  assert.deepEqual([await last.getByLabel('Elements').count(), await last.getByLabel('Value').count()], [0, 1]);
  await last.getByRole('button', { name: /^Remove/ }).click();
  assert.equal(await rows.count(), 4);
  await faultless('arguments');
});

test('a pasted kernel brings its arguments, launch and variables, which are changed in fields of their own', async () => {
  await openAfresh('/kernels');
  await editor().fill(`struct box { int width; float gain; };
__constant__ float taps[5];
__global__ void smooth(const float *in, float *out, box b, float4 shift, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = taps[0] * in[i] * b.gain + shift.x + b.width + n;
}
`);
  const rows = page.locator('.arguments > li');
  const shown = () => rows.evaluateAll((all) => all.map((row) => [...row.querySelectorAll(':scope > label :is(input[type=text], select), .structure select')].map(({ value }) => value).join(' ')));
  const values = { name: ['Entry', ''], block: ['Threads per block', '256'], grid: ['Blocks', ''] };
  await soon(async () => assert.deepEqual(await shown(), ['in buffer fp32 n in random', 'out buffer fp32 n out ', 'b struct  i32 fp32', 'shift struct float4', 'n scalar i32 1048576', 'taps variable fp32  5 in random']));
  for (const [label, value] of Object.values(values)) assert.equal(await page.getByLabel(label, { exact: true }).inputValue(), value, label);
  await rows.nth(2).getByLabel('Value').last().fill('0.5');
  await rows.nth(3).getByLabel('w', { exact: true }).fill('n / 2');
  await rows.nth(5).getByLabel('Values').fill('1, 2, 3, 4, 5');
  assert.equal(await rows.nth(5).getByLabel('Elements').count(), 0, 'of listed values');
  assert.ok(await rows.nth(5).getByLabel('Values').evaluate((input) => document.activeElement === input));
  await rows.nth(1).getByLabel('Or its elements, in a file').setInputFiles({ name: 'out.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 0, 128, 63]) });
  await rows.nth(1).getByRole('button', { name: 'Forget the saved output (4 B)' }).waitFor();
  await rows.nth(1).getByLabel('Tolerance').fill('0.5');
  await faultless('structures and variables');
  await page.setViewportSize({ width: 320, height: 900 });
  await faultless('structures and variables, 320 px');
  await page.setViewportSize({ width: 1440, height: 900 });
  await reload();
  await soon(async () => assert.equal(await rows.nth(3).getByLabel('w', { exact: true }).inputValue(), 'n / 2'));
  await retype('int n)', 'unsigned m)');
  const note = page.getByText('The arguments of smooth in the source: in, out, b, shift, m, taps.');
  await note.waitFor();
  await page.getByRole('button', { name: 'Take them from the source' }).click();
  await soon(async () => assert.deepEqual((await shown()).toSpliced(1, 3), ['in buffer fp32 m in random', 'm scalar u32 1048576', 'taps variable fp32 1, 2, 3, 4, 5 in']));
  assert.equal(await rows.nth(3).getByLabel('w', { exact: true }).inputValue(), 'n / 2', 'what was said is kept');
  assert.ok(await note.isHidden());
  await faultless('arguments from the source');
});

test('every preset compiles', { skip }, async () => {
  await openAfresh('/kernels');
  for (const [name, kernel] of [['Vector addition', 'add'], ['Copy', 'copy'], ['Reduction', 'reduce_simple'], ['Print coordinates', 'coordinates']]) {
    await preset(name).click();
    await page.getByRole('row', { name: new RegExp(`^${kernel} `) }).waitFor();
    assert.equal(await preset(name).getAttribute('aria-pressed'), 'true');
  }
});

const steps = ['naive', 'tiled', 'padded'];

/** The lines of a run that has measured the edited step `tiled` beside the others; `base` is the kernel that it was
 * compared with. */
function linesBesideSteps(at, n, base) {
  const point = (side, step, value) => {
    const rounds = Array.from({ length: 8 }, (_, round) => [value, value + round / 100]);
    const counted = step === 'tiled' && { counters: [{ name: 'sectors_per_store', value: side === 'base' ? 32 : 4, unit: '1', metric: 'of the device' }] };
    return { side, axes: { bytes: 1 << 20, step, load: 'sustained' }, rounds, samples: rounds.flat(), ...counted };
  };
  const request = { experiment: 'transpose', devices: [{ id: gpu.id, name: gpu.name, node: 'n1' }], parameters: { step: steps } };
  return linesOf({ at, n, ...request, compare_with: { ...request, kernel: base }, kernel: { edits: 'transpose/tiled', source: original }, environment: { devices: [gpu] } },
    steps.flatMap((step, index) => [point('base', step, 100 * (index + 1)), point('head', step, 100 * (index + 1) + (step === 'tiled' ? 150 : 1))]));
}

test('an edited step that was measured beside the others is one more bar, after its original', async () => {
  const at = new Date(Date.UTC(2026, 1, 1));
  const run = (n, base) => linesBesideSteps(at, n, base);
  assert.equal((await importInto(lab, [...run(1, null), ...run(2, { edits: 'transpose/tiled', source: '// another' })])).json.imported, 2);
  const bars = async (n) => {
    await page.goto(`${lab.address}/runs/${idAt(at, n)}`);
    const list = page.locator('.step-bar-list > li');
    await list.first().waitFor();
    return list.evaluateAll((all) => all.map((one) => [one.querySelector('.bar-label').firstChild.textContent, one.querySelector('.bar-value').textContent.replace('\u00a0', ' ')]));
  };
  assert.deepEqual(await bars(1), [['Naive', '101.0 GB/s'], ['Tiles in shared memory', '200.0 GB/s'], ['Tiles in shared memory, edited', '350.0 GB/s'], ['Padded tiles', '301.0 GB/s']]);
  for (const [bar, position] of [[1, 2], [2, 3]]) {
    await page.locator('.step-bar-list > li').nth(bar).locator('.bar-value button').click();
    await soon(async () => assert.match(new URL(page.url()).search, new RegExp(`samples=${position}$`)));
  }
  await faultless('an edited step beside the others');
  assert.deepEqual((await bars(2)).map(([name]) => name), ['Naive', 'Tiles in shared memory', 'Padded tiles'], 'compared with another text');
});

test('an edited step is run beside the others in one request', async () => {
  const posted = [];
  const { json: devices } = await lab.get('/api/v1/devices');
  await page.route('**/api/v1/devices', (route) => route.fulfill({ json: { ...devices, devices: [...devices.devices, { ...devices.devices[0], ...gpu, node: devices.devices[0].node }] } }));
  await page.route('**/api/v1/runs?dry_run=true', (route) => (posted.push(route.request().postDataJSON()), route.fulfill({ json: { points: 7, seconds: 3, device_bytes: 0, host_bytes: 0 } })));
  const compiler = { version: '13.0', architectures: ['sm_90'], protection: [], sass: false };
  await page.route('**/api/v1/compile', (route) => route.fulfill({ json: { status: 'rejected', messages: [], log: '', seconds: 0, compiler } })); // the lab has no such device
  await openAfresh(padded);
  await page.getByLabel('Compare with').selectOption({ label: 'The original and the other steps' });
  await page.getByRole('button', { name: 'Run beside the other steps' }).waitFor();
  const { parameters } = (await lab.get('/api/v1/experiments/transpose')).json;
  await soon(() => assert.deepEqual(posted.at(-1)?.parameters, { step: parameters.properties.step.default }));
  const { devices: chosen, compare_with: base, kernel } = posted.at(-1);
  assert.deepEqual([chosen, base, kernel.edits], [[gpu.id], { kernel: null }, 'transpose/padded']);
  const counters = page.getByLabel('Hardware counters');
  assert.deepEqual(await counters.locator('option').allTextContents(), ['On', 'Off']);
  await counters.selectOption({ label: 'Off' });
  await soon(() => assert.deepEqual(posted.at(-1)?.parameters, { step: parameters.properties.step.default, counters: false }));
  await faultless('beside the other steps');
  await page.goto('about:blank'); // which ends its requests
  for (const path of ['devices', 'runs?dry_run=true', 'compile']) await page.unroute(`**/api/v1/${path}`);
});

test('attempts are a history with differences, from which one can be restored', async () => {
  const day = (n) => new Date(Date.UTC(2026, 0, n, 12));
  const kernel = (n) => ({ edits: 'transpose/padded', source: original.replace('apart', `attempt ${n}`) });
  const headline = (value) => [{ title: 'Transpose', metric: 'bandwidth', unit: 'GB/s', value, axes: {}, lowest: false }];
  for (const [n, value] of [[1, 2000], [2, 4000]]) {
    const lines = linesOf({ at: day(n), experiment: 'transpose', kernel: kernel(n), headline: headline(value), note: `attempt ${n}` }, []);
    assert.equal((await importInto(lab, lines)).json.imported, 1);
  }
  await openAfresh(padded);
  const rows = page.getByRole('region', { name: 'Attempts' }).getByRole('listitem');
  await rows.nth(1).waitFor();
  assert.deepEqual(await rows.locator('.attempt-text .aside').allTextContents(), [' +1 −1', ' +1 −1']);
  assert.match(await rows.first().textContent(), /attempt 2/);
  const shares = () => rows.locator('.attempt-fill').evaluateAll((bars) => bars.map((bar) => bar.getBoundingClientRect().width / bar.parentElement.getBoundingClientRect().width));
  await soon(async () => assert.deepEqual((await shares()).map((share) => share.toFixed(2)), ['1.00', '0.50']));
  await rows.nth(1).getByRole('button', { name: /^Differences/ }).click();
  await page.getByLabel('to', { exact: true }).selectOption({ index: 1 });
  await page.getByLabel('From').selectOption({ index: 2 });
  const changed = page.locator('.diff td.added code, .diff td.removed code');
  await soon(async () => assert.deepEqual((await changed.allTextContents()).map((line) => /attempt \d/.exec(line)?.[0]), ['attempt 1', 'attempt 2']));
  await faultless('attempts');
  await rows.first().getByRole('button', { name: /^Restore/ }).click();
  await soon(async () => assert.equal(await editor().inputValue(), kernel(2).source));
  await page.goto(`${lab.address}/runs/${idAt(day(1))}`);
  await page.getByRole('link', { name: 'Edit and run' }).click();
  await heading('Edit: Padded tiles').waitFor();
  await soon(async () => assert.equal(await editor().inputValue(), kernel(1).source));
});

test('two texts are beside each other in source and machine code, with the times of the run that measured both', { skip }, async () => {
  assert.equal((await importInto(lab, linesBesideSteps(new Date(Date.UTC(2025, 1, 1)), 1, null))).json.imported, 1);
  await openAfresh('/kernels?edits=transpose%2Ftiled');
  await status(/^Compiled for sm_90/).waitFor();
  await page.getByRole('region', { name: 'Attempts' }).getByRole('button', { name: /^Differences/ }).last().click();
  const comparison = page.locator('.measured-pair').getByRole('region', { name: 'Comparison' });
  await comparison.getByRole('row', { name: /^tiled .*1\.750×/ }).waitFor();
  await comparison.getByText('Hardware counters that differ (1)').click();
  await comparison.getByRole('row', { name: 'Sectors per store 32.00 4.000 0.1250×' }).waitFor();
  await page.getByRole('button', { name: 'Full width' }).click();
  const [left, right] = [page.locator('.diff td.removed code').first(), page.locator('.diff td.added code').first()];
  const boxes = await Promise.all([left, right].map((one) => one.boundingBox()));
  assert.ok(boxes[0].x + boxes[0].width <= boxes[1].x && boxes[0].y === boxes[1].y, JSON.stringify(boxes));
  await faultless('texts beside each other');
  await page.getByLabel('to', { exact: true }).selectOption({ label: 'The editor' });
  await editor().press('Control+End');
  await page.keyboard.insertText('extern "C" __global__ void second() {}\n');
  await page.getByText('no run has measured these two texts').waitFor();
  await page.getByRole('group', { name: 'What is compared' }).getByRole('button', { name: 'SASS' }).click();
  await page.getByText('SASS of both texts, without addresses').waitFor();
  assert.deepEqual(await page.locator('.diff td.removed code, .diff td.added code').allTextContents(), ['    second: no', '    second: yes']);
  await page.getByRole('button', { name: 'Back to the original' }).click();
  await page.getByText('The SASS is equal.').waitFor();
  await page.getByRole('group', { name: 'What is compared' }).getByRole('button', { name: 'PTX' }).click();
  await page.getByText('The PTX is equal.').waitFor();
  await editor().press('Control+End');
  await page.keyboard.insertText('unknown');
  await page.getByText('“The editor” is not compiled: the compiler rejects it.').waitFor();
  await faultless('machine code beside each other');
});

test('the editor fits every screen, in both colours', async () => {
  for (const width of [360, 768, 1920, 2560]) {
    await page.setViewportSize({ width, height: 900 });
    await open(padded);
    await faultless(`${width} px`);
  }
});

test('a viewer can read a kernel, and is told that it cannot be run', async () => {
  const added = await execute('gpulab', ['token', 'add', 'reader', '--role', 'viewer', '--db', lab.database], { folder: lab.folder });
  await page.goto(`${lab.address}${padded}`);
  await page.getByLabel('Token').fill(added.stdout.trim());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('You can read kernels, but not run them').waitFor();
  assert.match(await editor().inputValue(), /transpose_padded/);
  assert.ok(await page.getByRole('button', { name: 'Run and compare with the original' }).isDisabled());
  browser.ignore(/status of 40[13]/);
  await faultless('a viewer');
});
