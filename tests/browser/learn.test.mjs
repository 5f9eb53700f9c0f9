// Learn and the lessons: results, the form with its presets, plan, errors and modes, the search field of the header.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { endless, Lab, small, soon } from '../harness/lab.mjs';

const shortLaunch = { launches: [1], argument_bytes: [8], min_samples: 1, max_samples: 1, min_time_s: 0, time_budget_s: 60 };

let lab, browser, page, gpu;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  const headline = [{ title: 'Host to device', metric: 'bandwidth', unit: 'GB/s', value: 55.5, axes: { direction: 'h2d' }, lowest: false }];
  const lines = ['2026-01-02T10:00:00Z', '2026-01-03T10:00:00Z'].flatMap((at, n) =>
    linesOf({ at: new Date(at), n, tags: n ? ['tag-x7'] : [], headline: n ? headline : null }, [{ samples: [55.5] }]));
  gpu = lines[0].devices[0].id;
  assert.equal((await importInto(lab, lines)).status, 200);
});
after(async () => {
  await browser.close();
  await lab.close();
});

const go = (path) => page.goto(lab.address + path);
const addParameter = () => page.locator('.variation:not([hidden])').getByLabel('Add a parameter');
const noMessages = () => assert.deepEqual(browser.problems.splice(0), []);
async function noProblems() {
  noMessages();
  assert.deepEqual(await browser.inaccessible(), []);
}
const plan = () => page.locator('.plan');
const row = (title) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
const press = (name) => page.getByRole('button', { name, exact: true }).click();

test('a result that has not changed stays as it is when the page asks for it again, so that it can be clicked', async () => {
  for (const [path, link] of [['/', '.latest-run'], ['/experiments/transfer', 'table.runs a'], [`/devices/${gpu}`, '.latest-result a']]) {
    const fresh = await browser.chromium.newPage();
    let open;
    const opened = new Promise((resolve) => (open = resolve));
    await fresh.route('**/api/v1/events*', async (route) => {
      await opened;
      await route.continue();
    });
    await fresh.goto(lab.address + path);
    await fresh.locator(link).first().waitFor();
    await fresh.evaluate((selector) => (window.known = document.querySelector(selector)), link);
    const again = fresh.waitForResponse((response) => response.url().includes('latest=result'));
    open();
    await (await again).finished();
    await fresh.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
    assert.ok(await fresh.evaluate(() => window.known.isConnected), path);
    await fresh.close();
  }
});

test('Learn lists the experiments by subject with their result, and follows new runs', async () => {
  await go('/');
  await page.getByRole('heading', { level: 1, name: 'Learn' }).waitFor();
  const { subjects } = (await lab.get('/api/v1/experiments')).json;
  assert.deepEqual(await page.getByRole('heading', { level: 2 }).allTextContents(), subjects.map(({ title }) => title));
  const transfer = row('Host-device transfer');
  await transfer.getByText('55.5').waitFor();
  const { runs } = (await lab.get('/api/v1/runs?tag=tag-x7')).json;
  await transfer.locator(`a[href="/runs/${runs[0].id}"]`, { hasText: 'NVIDIA H200' }).waitFor();
  await row('Kernel launches').getByText('Not run yet').waitFor();
  await noProblems();
  const run = await lab.complete(shortLaunch, { experiment: 'launch' });
  await row('Kernel launches').locator(`a[href="/runs/${run.id}"]`).waitFor();
});

test('a lesson begins with its idea and, beside it, figures and chart of the latest result; what else the idea says is folded', async () => {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 900 });
  await go('/experiments/transfer');
  await page.locator('#result .chart-area .bar').first().waitFor();
  const boxes = await page.evaluate(() => ['#idea', '#result', '#result .latest-figures', '#result .chart-area'].map((one) => document.querySelector(one).getBoundingClientRect().toJSON()));
  const [idea, result, figures, picture] = boxes;
  assert.equal(idea.top, result.top);
  assert.ok(idea.right <= result.left, 'the result is beside the idea');
  assert.ok(figures.top >= 0 && picture.bottom <= 900, `the chart ends at ${picture.bottom}`);
  const more = page.locator('#idea').getByRole('heading', { name: 'What to expect' });
  assert.equal(await more.isVisible(), false);
  await page.locator('#idea summary').click();
  await more.waitFor();
  await page.setViewportSize(size);
  await noProblems();
});

test('with four figures, each with its share, the chart of a lesson and its axis are on the first screen, too', async () => {
  const figure = (title) => ({ title, metric: 'bandwidth', unit: 'GB/s', value: 2900, axes: {}, lowest: false, share: { title: 'Share of device memory', value: 0.883 } });
  const points = [4, 16, 64, 256].map((mib) => ({ axes: { kernel: 'read', bytes: mib << 20 }, samples: [2900] }));
  assert.equal((await importInto(lab, linesOf({ at: new Date('2026-01-04T10:00:00Z'), n: 9, experiment: 'stream', headline: ['Read', 'Write', 'Copy', 'Triad'].map(figure) }, points))).json.imported, 1);
  const size = page.viewportSize();
  await page.setViewportSize({ width: 1440, height: 900 });
  await go('/experiments/stream');
  const chart = page.locator('#result .xy-chart');
  await chart.locator('text', { hasText: /^Size$/ }).waitFor();
  const [box, ...figures] = await browser.boxes(chart, '#result .latest-figures > div:first-child', '#result .latest-figures > div:last-child');
  assert.equal(figures[0].y, figures[1].y, 'figures in one row');
  assert.ok(box.y + box.height <= 900, JSON.stringify(box));
  await page.setViewportSize(size);
  await noProblems();
});

test('a figure has a line of its last runs, which leads to its trend', async () => {
  const lines = [1, 2, 3].flatMap((n) => {
    const headline = [{ title: 'Fill', metric: 'bandwidth', unit: 'GB/s', value: 100 * n, axes: { kernel: 'fill', bytes: 4096 }, lowest: false }];
    return linesOf({ at: new Date(Date.UTC(2026, 0, 4, n)), n: 20 + n, experiment: 'coalescing', headline }, [{ axes: { kernel: 'fill', bytes: 4096 }, samples: [100 * n] }]);
  });
  assert.equal((await importInto(lab, lines)).json.imported, 3);
  const line = page.getByRole('link', { name: 'Fill of the last 3 runs: 100.0\u00a0GB/s to 300.0\u00a0GB/s' });
  await go('/');
  await row('Memory coalescing').scrollIntoViewIfNeeded();
  await line.waitFor();
  await noProblems();
  await go('/experiments/coalescing');
  await line.waitFor();
  await noProblems();
  await line.click();
  await page.getByRole('heading', { level: 1, name: /Trend/ }).waitFor();
});

test('a run on the CPU does not replace the result of a GPU, unless its device is asked for', async () => {
  const run = await lab.complete(small);
  const { runs: [imported] } = (await lab.get('/api/v1/runs?tag=tag-x7')).json;
  await go('/');
  await row('Host-device transfer').locator(`a[href="/runs/${imported.id}"]`).waitFor();
  await go('/experiments/transfer');
  const figures = page.locator('#result .latest-run');
  await soon(async () => assert.equal(await figures.getAttribute('href'), `/runs/${imported.id}`));
  const facts = page.locator('.expectations h3').first();
  await soon(async () => assert.equal(await facts.textContent(), 'NVIDIA H200'));
  const documented = await page.locator('.expectations dl', { hasText: 'Host to device' }).first().textContent();
  assert.match(documented, /^Host to device[\d.]+\sGB\/sNVIDIA H200 SXM · size 256\sMiB/u, documented);
  const [{ id, name }] = (await lab.get('/api/v1/devices')).json.devices;
  await go(`/?device=${id}`);
  await row('Host-device transfer').locator(`a[href="/runs/${run.id}"]`).waitFor();
  await row('Host-device transfer').getByRole('link', { name: 'Host-device transfer' }).click();
  await soon(async () => assert.equal(await figures.getAttribute('href'), `/runs/${run.id}`));
  await soon(async () => assert.equal(await facts.textContent(), name));
  noMessages();
});

test('the device in focus is chosen once; the address wins over it', async () => {
  const [{ id }] = (await lab.get('/api/v1/devices')).json.devices;
  const run = await lab.complete(small);
  const { runs: [imported] } = (await lab.get('/api/v1/runs?tag=tag-x7')).json;
  const transfer = (one) => row('Host-device transfer').locator(`a[href="/runs/${one.id}"]`);
  await go('/');
  await transfer(imported).waitFor();
  const focus = page.getByLabel('Results of');
  await focus.selectOption(id);
  await transfer(run).waitFor();
  assert.equal(new URL(page.url()).search, `?device=${id}`);
  await go('/');
  await transfer(run).waitFor();
  assert.equal(new URL(page.url()).search, `?device=${id}`, 'the address says what is shown');
  await go('/experiments/transfer');
  await page.locator(`#result a[href="/runs/${run.id}"]`).waitFor();
  await go(`/?device=${gpu}`);
  await transfer(imported).waitFor();
  assert.equal(await focus.inputValue(), gpu);
  await focus.selectOption('');
  await transfer(imported).waitFor();
  await soon(async () => assert.equal(new URL(page.url()).search, ''));
  await go('/');
  await transfer(imported).waitFor();
  await noProblems();
});

test('"Edit and run" leads to the form, which says what filled it in and what could not be', async () => {
  const { runs: [imported] } = (await lab.get('/api/v1/runs?tag=tag-x7')).json;
  await go(`/runs/${imported.id}`);
  const again = page.getByRole('button', { name: 'Run again' });
  await again.waitFor();
  assert.equal(await again.isDisabled(), true);
  assert.match(await page.locator(`#${await again.getAttribute('aria-describedby')}`).textContent(), /NVIDIA H200 is not available in this lab/);
  await page.getByRole('link', { name: 'Edit and run elsewhere' }).click();
  const [{ name }] = (await lab.get('/api/v1/devices')).json.devices;
  const text = await page.locator('.prefilled').textContent();
  assert.match(text, new RegExp(`^Filled in from run ${imported.id.slice(-6)} on NVIDIA H200, .*The lab does not have NVIDIA H200: `));
  assert.ok(text.endsWith(`${name} is chosen instead.`), text);
  await soon(async () => assert.ok(await page.locator('#run').evaluate((part) => Math.abs(part.getBoundingClientRect().top) < innerHeight / 3)));
  await noProblems();
});

test('"Run again" is not the main action of a run that is running', async () => {
  const run = await lab.submit(endless);
  await lab.reach(run.id, 'running');
  await go(`/runs/${run.id}`);
  const again = page.getByRole('button', { name: 'Run again' });
  await again.waitFor();
  assert.equal(await again.evaluate((one) => one.matches('.primary')), false);
  await lab.post(`/api/v1/runs/${run.id}/cancel`);
  await soon(async () => assert.equal(await again.evaluate((one) => one.matches('.primary')), true));
  noMessages();
});

test('the old address of the experiments shows Learn, and passes the device on', async () => {
  const [{ id }] = (await lab.get('/api/v1/devices')).json.devices;
  await go(`/experiments?device=${id}`);
  const link = page.getByRole('link', { name: 'Kernel launches', exact: true });
  assert.equal(await link.getAttribute('href'), `/experiments/launch?device=${id}`);
  assert.equal(await page.getByRole('link', { name: 'Learn', exact: true }).getAttribute('aria-current'), 'page');
});

test('a lesson has the idea, what to expect, the form, the result, the code and earlier runs', async () => {
  await go('/experiments/matmul#code');
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const name of ['The idea', 'What to expect', 'Set up a run', 'Result of this lab', 'Earlier runs'])
    await page.getByRole('region', { name, exact: true }).waitFor();
  await soon(async () => assert.ok(await page.locator('#code').evaluate((panel) => panel.getBoundingClientRect().top < innerHeight)));
  for (const link of await page.getByRole('navigation', { name: 'On this page' }).getByRole('link').all())
    assert.equal(await page.locator(await link.getAttribute('href')).count(), 1);
  await noProblems();
});

test('a lesson shows the chart of its result and its other lessons', async () => {
  await go('/experiments/transfer');
  await page.getByRole('region', { name: 'Result of this lab', exact: true }).locator('.result-panel').waitFor();
  await go('/experiments/overlap');
  const others = page.getByRole('navigation', { name: 'Overlap and launching' });
  assert.equal(await others.locator('[aria-current=page]').textContent(), 'Copy/compute overlap');
  await others.getByRole('link', { name: 'Kernel launches' }).click();
  await page.getByRole('heading', { level: 1, name: 'Kernel launches' }).waitFor();
  noMessages();
});

test('presets, changed parameters, and the plan of the lab', async () => {
  await go('/experiments/transfer');
  await plan().filter({ hasText: /^40 points, about .* on the host$/ }).waitFor();
  const changed = page.getByRole('list', { name: 'Changed parameters' });
  assert.equal(await changed.getByRole('listitem').count(), 0);
  await press('Quick');
  await changed.getByText('Largest size: 16 MiB').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Quick', exact: true }).getAttribute('aria-pressed'), 'true');
  await plan().filter({ hasNotText: /^40 points/ }).filter({ hasText: 'points' }).waitFor();
  await noProblems();
  await press('Reset Largest size to 256 MiB');
  assert.equal(await page.getByLabel('Largest size', { exact: true }).inputValue(), '256 MiB');
  await page.getByLabel('Smallest size', { exact: true }).fill('8 KiB');
  await page.getByRole('button', { name: 'Reset to 1 KiB: Smallest size' }).click();
  assert.equal(await page.getByLabel('Smallest size', { exact: true }).inputValue(), '1 KiB');
  await press('Defaults');
  await plan().filter({ hasText: /^40 points/ }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('parameters'), null);
});

test('a comparison with a preset has the time budget that the lab gives it, and the plan says so', async () => {
  await go('/experiments/stream');
  await press('Quick');
  await press('Comparison (A/B)');
  await plan().filter({ hasText: /with a time budget of \d+\ss/ }).waitFor();
  const shown = Number(/budget of (\d+)\ss/.exec(await plan().textContent())[1]);
  assert.ok(shown > (await lab.get('/api/v1/experiments/stream')).json.presets.quick.time_budget_s, `${shown} s`);
  await page.getByLabel('Seed', { exact: true }).evaluate((input) => (input.closest('details').open = true));
  await page.getByLabel('Seed', { exact: true }).fill('5');
  await page.reload();
  await plan().filter({ hasText: `with a time budget of ${shown} s` }).waitFor();
  await press('One run');
  await plan().filter({ hasText: 'points' }).filter({ hasNotText: 'budget' }).waitFor();
  noMessages();
});

test('what is chosen is in the address', async () => {
  await go('/experiments/transfer');
  await page.getByLabel('Largest size', { exact: true }).fill('64 KiB');
  await press('Sweep');
  await page.reload();
  await addParameter().waitFor();
  assert.equal(await page.getByLabel('Largest size', { exact: true }).inputValue(), '64 KiB');
  assert.equal(await page.getByRole('button', { name: 'Sweep', exact: true }).getAttribute('aria-pressed'), 'true');
  noMessages();
});

test('errors that the lab finds while the form is edited are at their fields', async () => {
  await go('/experiments/transfer');
  await page.getByLabel('Smallest size', { exact: true }).fill('1 MiB');
  await page.getByLabel('Largest size', { exact: true }).fill('4 KiB');
  await page.getByLabel('Smallest size', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.value), '4 KiB', 'the focus stays');
  await page.getByLabel('Largest size', { exact: true }).fill('1 MiB');
  await page.getByLabel('Smallest size', { exact: true }).and(page.locator(':not([aria-invalid])')).waitFor();
  browser.ignore(/422/); // Chromium logs every 4xx response
  noMessages();
});

test('a number that stands for words is shown as its words', async () => {
  await go('/experiments/overlap');
  const weight = page.getByLabel('Kernel weight', { exact: true });
  assert.equal(await weight.inputValue(), 'automatic');
  await weight.fill('8');
  await page.getByRole('button', { name: 'Reset to automatic: Kernel weight' }).click();
  assert.equal(await weight.inputValue(), 'automatic');
  noMessages();
});

test('a comparison from the form measures both sides', async () => {
  await go('/experiments/transfer');
  await press('Comparison (A/B)');
  await page.getByRole('group', { name: 'Direction', exact: true }).getByRole('checkbox', { name: 'device → host' }).uncheck();
  await page.getByLabel('Largest size', { exact: true }).fill('4 KiB');
  await page.getByLabel('Smallest size', { exact: true }).fill('4 KiB');
  await addParameter().selectOption('max_noise');
  const varied = page.getByRole('group', { name: 'Differences of the base' });
  await varied.getByLabel(/^Maximum noise/).fill('0.1');
  await page.getByText('Measurement settings').click();
  await page.getByLabel(/^Time budget/).fill('1');
  await plan().filter({ hasText: 'points' }).waitFor();
  await noProblems();
  await press('Start the comparison');
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  const id = page.url().split('/').at(-1);
  const run = await lab.reach(id, 'succeeded');
  assert.equal(run.compare_with.parameters.max_noise, 0.1);
  assert.equal(run.parameters.max_noise, 0.005);
  await go(`/experiments/transfer?from=${id}`);
  assert.equal(await varied.getByLabel(/^Maximum noise/).inputValue(), '0.1');
  noMessages();
});

test('a form that was to be filled in from a run that is gone says so', async () => {
  await go('/experiments/transfer?from=01a00000-0000-7000-8000-000000abcdef');
  await page.getByText('This lab does not have run abcdef').waitFor();
  await page.getByRole('heading', { name: 'Set up a run' }).waitFor();
  browser.ignore(/404/);
  noMessages();
});

test('the search field finds what lessons mention, and says the result', async () => {
  await go('/');
  const option = page.locator('#search-list').getByRole('option');
  const search = (text) => page.getByRole('combobox', { name: /^Search/ }).fill(text);
  await search('h2d');
  await option.filter({ hasText: 'Host-device transfer' }).filter({ hasText: /Host to device 55\.50?\sGB\/s on NVIDIA H200/ }).waitFor();
  await search('nvlink');
  await option.filter({ hasText: 'Peer-to-peer' }).first().waitFor();
  await search('throttle');
  await option.filter({ hasText: 'Machine health' }).waitFor();
  await search('telemetry');
  await option.filter({ hasText: 'Machines' }).waitFor();
  const { runs: [run] } = (await lab.get('/api/v1/runs?tag=tag-x7')).json;
  await search(run.id.slice(-6));
  await option.filter({ hasText: 'tag-x7' }).click();
  await page.waitForURL(`**/runs/${run.id}`);
  noMessages();
});

test('a search that begins before a view has come keeps its results and the focus', async () => {
  await go('/');
  let answer;
  const asked = new Promise((resolve) => (answer = resolve));
  const list = (url) => url.pathname === '/api/v1/runs' && url.searchParams.get('limit') === '50';
  await page.route(list, async (route) => {
    await asked;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  const field = page.getByRole('combobox', { name: /^Search/ });
  await field.fill('nvlink');
  const option = page.locator('#search-list').getByRole('option').first();
  await option.waitFor();
  answer();
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  assert.ok(await option.isVisible());
  assert.ok(await field.evaluate((one) => one === document.activeElement));
  await page.unroute(list);
  await page.keyboard.press('Escape');
  noMessages();
});

test('the search field finds experiments, devices and runs by the keyboard alone', async () => {
  await go('/');
  await page.keyboard.press('/');
  const field = page.getByRole('combobox', { name: 'Search experiments, devices and runs' });
  await field.and(page.locator(':focus')).waitFor();
  await page.keyboard.type('tag-x7');
  const option = page.locator('#search-list').getByRole('option');
  await option.filter({ hasText: 'NVIDIA H200' }).waitFor();
  assert.deepEqual(await page.locator('#search-list').getByRole('option').count(), 2);
  await noProblems();
  await page.keyboard.press('ArrowDown');
  assert.match(await page.locator('[role=option][aria-selected=true]').textContent(), /^All runs with “tag-x7”/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/runs\?q=tag-x7$/);
  await page.getByRole('heading', { level: 1, name: 'Runs' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('kernel laun');
  await option.filter({ hasText: 'Kernel launches' }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Kernel launches' }).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Kernel launches' }).and(page.locator(':focus')).waitFor();
  const [{ id, name }] = (await lab.get('/api/v1/devices')).json.devices;
  await page.keyboard.press('/');
  await page.keyboard.type(id.slice(0, 8));
  await option.filter({ hasText: name }).first().waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.getByRole('listbox').count(), 0);
  await page.getByLabel('Note', { exact: true }).evaluate((input) => { input.closest('details').open = true; });
  await page.getByLabel('Note', { exact: true }).focus();
  await page.keyboard.type('a/b');
  assert.equal(await page.getByLabel('Note', { exact: true }).inputValue(), 'a/b', 'the key is text in other fields');
  noMessages();
});

test('Learn and lessons need no horizontal scrolling, from 360 to 1920 px', async () => {
  for (const width of [360, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of ['/', '/experiments/transfer?mode=sweep', '/experiments/matmul?mode=compare']) {
      await go(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await browser.fits(`${path} at ${width}`);
    }
  }
  await page.keyboard.press('/');
  await page.keyboard.type('band');
  await page.locator('#search-list').getByRole('option').first().waitFor();
  await browser.fits('search');
  noMessages();
});
