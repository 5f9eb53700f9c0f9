// gpulab show, compare, sweep and health with --format: Markdown, JUnit XML and pages of HTML, read by a browser. Texts
// from outside stay texts.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { FAILED, Place, quick, SUCCESS, USAGE } from '../harness/cli.mjs';
import { linesOf, textOf } from '../harness/exports.mjs';

const hostile = '</td><script>document.title = "hacked"</script>|`*_[x](javascript:1)&amp;"\'<!-- ]]>';
const note = `${hostile}\n# heading\u0007`;
const at = (day) => new Date(Date.UTC(2026, 0, day));
const samples = (base) => Array.from({ length: 12 }, (_, i) => base + ((i * 7) % 12) / 1000);
const skipped = { n: 0, median: null, q1: null, q3: null, min: null, max: null, mean: null, stdev: null, noise: null, verified: null, stop_reason: null };
const point = (name, value, fields = {}) => ({ axes: { direction: name, bytes: 4096 }, samples: samples(value), ...fields });

/** Seven runs, of which the last is slower at a point, faster at another, and has a wrong and a skipped point. */
const runs = Array.from({ length: 7 }, (_, i) => linesOf({ at: at(i + 1), notes: [note], note: hostile, tags: ['nightly'] }, [
  point('h2d', i === 6 ? 20 : 40 + i / 1e4), point(hostile, i === 6 ? 50 : 40 + i / 1e4),
  point('d2h', 30, i === 6 ? { verified: false, wrong: 7 } : {}),
  { axes: { direction: 'd2d', bytes: 4096 }, skipped: `no engine ${hostile}`, ...skipped },
]));

const place = new Place({ after });
let browser, page;
const gpulab = (...args) => place.gpulab([...args, '--db', place.database]);
before(async () => {
  const file = join(place.folder, 'runs.jsonl');
  writeFileSync(file, textOf(runs.flat()));
  const { code, stderr } = await gpulab('import', file);
  assert.equal(code, SUCCESS, stderr);
  browser = await Browser.start({ viewport: { width: 1000, height: 700 } });
  page = browser.page;
});
after(() => browser.close());

const [base, head] = [runs[5][0].id, runs[6][0].id];
/** The test cases of JUnit XML: {name: [outcome, message]}; fails where the text is not XML. */
async function casesOf(xml) {
  const { error, suite, cases } = await page.evaluate((text) => {
    const document = new DOMParser().parseFromString(text, 'application/xml');
    const suites = document.querySelector('testsuite');
    return {
      error: document.querySelector('parsererror')?.textContent ?? null,
      suite: suites && Object.fromEntries([...suites.attributes].map(({ name, value }) => [name, value])),
      cases: [...document.querySelectorAll('testcase')].map((each) => [each.getAttribute('name'), each.firstElementChild?.tagName ?? 'passed', each.firstElementChild?.getAttribute('message') ?? '']),
    };
  }, xml);
  assert.equal(error, null, xml);
  assert.equal(Number(suite.tests), cases.length);
  for (const [attribute, outcome] of [['failures', 'failure'], ['skipped', 'skipped']])
    assert.equal(Number(suite[attribute]), cases.filter(([, found]) => found === outcome).length, attribute);
  return { suite, cases: new Map(cases.map(([name, ...rest]) => [name, rest])) };
}
/** Cells of the tables of a Markdown text, row by row, without escapes. */
const rowsOf = (markdown) => markdown.split('\n').filter((line) => line.startsWith('|')).map((line) =>
  line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim().replace(/\\(.)/g, '$1').replaceAll('&lt;', '<').replaceAll('&amp;', '&')));

test('a run as JUnit: wrong points fail, skipped ones are skipped, and the run fails with them', async () => {
  const { code, stdout, stderr } = await gpulab('show', head, '--format', 'junit');
  assert.equal(code, FAILED, stderr);
  const { suite, cases } = await casesOf(stdout);
  assert.equal(suite.name, 'transfer');
  const named = (start) => [...cases].find(([name]) => name.startsWith(start))[1];
  assert.equal(cases.get('run')[0], 'failure');
  assert.deepEqual(named('bandwidth direction d2h'), ['failure', '7 wrong elements']);
  assert.deepEqual(named('bandwidth direction d2d'), ['skipped', `no engine ${hostile}`]);
  assert.deepEqual(named(`bandwidth direction ${hostile}`), ['passed', '']);
  const good = await gpulab('show', base, '--format', 'junit');
  assert.equal(good.code, SUCCESS);
  assert.equal((await casesOf(good.stdout)).cases.get('run')[0], 'passed');
});

test('a run as Markdown: a table with the same cells, and no text becomes markup', async () => {
  const { stdout } = await gpulab('show', head, '--format', 'markdown');
  const rows = rowsOf(stdout);
  const facts = rows.filter((cells) => cells.length === 2), results = rows.filter((cells) => cells.length !== 2);
  assert.equal(new Set(results.map((cells) => cells.length)).size, 1, stdout);
  for (const fact of [['host', 'elsewhere'], ['note', hostile], ['tags', '["nightly"]'], ['seed', '1']])
    assert.ok(facts.some((cells) => cells.join() === fact.join()), fact.join());
  assert.ok(rows.some((cells) => cells.includes(hostile)), stdout);
  assert.equal(/<script|^# heading/m.test(stdout), false, stdout);
  assert.match(stdout, /^## transfer on NVIDIA H200/);
});

test('a run as a page: it loads nothing, runs no script, and shows the texts', async () => {
  const { stdout } = await gpulab('show', head, '--format', 'html');
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  const file = join(place.folder, 'run.html');
  writeFileSync(file, stdout);
  await page.goto(`file://${file}`);
  assert.match(await page.title(), /^transfer on NVIDIA H200/);
  assert.equal(await page.locator('script').count(), 0);
  assert.equal(await page.getByRole('cell', { name: hostile, exact: true }).first().innerText(), hostile);
  assert.deepEqual(asked.filter((url) => !/^(file|data):/.test(url)), []);
  assert.ok(await page.locator('img').evaluate((image) => image.complete && image.naturalWidth > 0), 'the chart is drawn');
  assert.equal(await page.locator('h1').count(), 1);
});

test('a comparison in all forms: a slower point fails, unless --fail-on says otherwise', async () => {
  const junit = await gpulab('compare', base, head, '--format', 'junit');
  assert.equal(junit.code, FAILED);
  const { cases } = await casesOf(junit.stdout);
  const point = (name) => [...cases].find(([each]) => each.startsWith(`bandwidth direction ${name}`))?.[1];
  assert.equal(point('h2d')[0], 'failure', junit.stdout);
  assert.match(point('h2d')[1], /^slower: head \/ base is 0\.5/);
  assert.equal(point(hostile)[0], 'passed');
  assert.deepEqual([cases.get('base')[0], cases.get('head')[0]], ['passed', 'failure']);
  const none = await gpulab('compare', base, head, '--format', 'junit', '--fail-on', 'none');
  assert.equal(none.code, SUCCESS);
  assert.deepEqual([...(await casesOf(none.stdout)).cases.values()].filter(([outcome]) => outcome === 'failure'), []);
  const markdown = await gpulab('compare', base, head, '--format', 'markdown');
  assert.match(markdown.stdout, /FAILED: 1 points are slower/);
  assert.ok(rowsOf(markdown.stdout).some((cells) => cells[0] === 'h2d' && cells.includes('slower')), markdown.stdout);
  const html = await gpulab('compare', base, head, '--format', 'html');
  assert.equal(html.stdout.includes('<script'), false);
});

test('a sweep and the health of a machine as JUnit and Markdown', async () => {
  const sweep = ['sweep', 'transfer', '--runtime', 'host', ...quick, '--set', 'seed=1,2'];
  const swept = await gpulab(...sweep, '--format', 'junit');
  assert.equal(swept.code, SUCCESS, swept.stderr);
  const { cases } = await casesOf(swept.stdout);
  assert.deepEqual([...cases.values()].map(([outcome]) => outcome), ['passed', 'passed']);
  assert.deepEqual([...cases.keys()].map((name) => name.split(',')[0]), ['seed 1', 'seed 2']);
  const health = await gpulab('health', '--quick', '--runtime', 'host', '--format', 'markdown');
  assert.ok([SUCCESS, FAILED].includes(health.code), health.stderr);
  assert.deepEqual(rowsOf(health.stdout)[0], ['level', 'device', 'check', 'statement'], health.stdout);
  assert.match(health.stdout, /^## health\n/);
});

test('--format and --json exclude each other', async () => {
  for (const args of [['show', head], ['compare', base, head], ['health', '--quick'], ['sweep', 'transfer']]) {
    const { code, stderr } = await gpulab(...args, '--json', '--format', 'junit');
    assert.deepEqual([code, /--format: cannot be combined with --json/.test(stderr)], [USAGE, true], `${args[0]}: ${stderr}`);
  }
});
