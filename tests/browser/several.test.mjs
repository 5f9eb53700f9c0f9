// Several devices on the page: matrices of pairs, speedup beside its ideal, timelines with a row for each device, and
// the form for experiments that need several devices.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab, soon, until, withLab } from '../harness/lab.mjs';

const two = { args: ['--host-devices', '2'] };
const brief = { min_samples: 3, max_samples: 3, min_time_s: 0, settle_s: 0, time_budget_s: 60 };
const parameters = {
  peer: { ...brief, bytes: [4096, 65536] },
  scaling: { ...brief, bytes: 65536, weight: 64, variant: ['one-thread', 'thread-per-device'] },
  'peer-transpose': { ...brief, n: 256, chunks: 2 },
};

let lab, browser, page, devices;
const runs = {};
before(async () => {
  lab = await Lab.start(two);
  browser = await Browser.start();
  page = browser.page;
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  ({ devices } = (await lab.get('/api/v1/devices')).json);
  for (const [experiment, own] of Object.entries(parameters)) {
    const answer = await lab.post('/api/v1/runs', { experiment, parameters: own });
    assert.equal(answer.status, 202, answer.text);
    runs[experiment] = await lab.reach(answer.json.id, 'succeeded');
  }
});
after(async () => {
  await browser.close();
  await lab.close();
});

const go = (path) => page.goto(lab.address + path);
const open = async (experiment) => {
  await go(`/runs/${runs[experiment].id}`);
  await page.getByRole('group', { name: 'View', exact: true }).waitFor();
};
const tab = (name) => page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();
const openValues = () => page.getByText('Values of this chart as a table').click();
const view = (name) => page.getByRole('group', { name: 'View', exact: true }).getByRole('button', { name, exact: true }).click();
const measured = (experiment, metric, axes = {}) =>
  runs[experiment].measurements.filter((one) =>
    one.metric === metric && Object.entries(axes).every(([name, value]) => one.axes[name] === value));
const near = (value, expected) => Math.abs(value / expected - 1) < 0.001;
const place = (id) => devices.findIndex((device) => device.id === id);

/** Leaves the page before its lab ends: a page whose lab ends logs an error. */
const leave = () => page.goto('about:blank');

/** The matrices on the page: [{title, heads, rows: [[cell texts]]}]. */
const matrices = () =>
  page.locator('.matrix-group .matrix').evaluateAll((all) => all.map((one) => ({
    title: one.querySelector('.matrix-title').textContent,
    heads: [...one.querySelectorAll('thead th')].map((head) => head.firstChild.textContent),
    rows: [...one.querySelectorAll('tbody tr')].map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent)),
  })));

/** The one matrix whose title contains all `words`. */
async function matrix(...words) {
  const found = (await matrices()).filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  assert.equal(found.length, 1, `${words}: ${JSON.stringify(found.map(({ title }) => title))}`);
  return found[0];
}

test('the matrices have the exact value of every pair, direction and engine', async () => {
  await open('peer');
  await page.locator('.matrix').first().waitFor();
  const engines = { copy: 'copy engine', sm: 'kernel' };
  const sides = { read: 'reads', write: 'writes' };
  const ways = [[true, 'copy'], [true, 'sm'], [false, 'copy']].flatMap(([peer_access, engine]) =>
    Object.keys(sides).map((access) => ({ peer_access, engine, access })));
  const all = await soon(async () => {
    const shown = await matrices();
    assert.equal(shown.length, ways.length);
    return shown;
  });
  for (const axes of ways) {
    const list = measured('peer', 'bandwidth', { ...axes, pattern: 'pair', bytes: 65536 });
    assert.equal(list.length, 2);
    const way = `${axes.peer_access ? '' : 'no '}peer access, ${engines[axes.engine]} · ${sides[axes.access]} in GB/s`;
    const found = all.find(({ title }) => title === way);
    assert.ok(found, `${way} among ${all.map(({ title }) => title)}`);
    assert.deepEqual(found.heads, ['#0', '#1']);
    for (const { axes: { source, target }, median } of list) {
      const shown = Number(found.rows[place(source)][place(target)].replaceAll(',', ''));
      assert.ok(near(shown, median), `${way}: ${shown} for ${median}`);
    }
    assert.deepEqual([found.rows[0][0], found.rows[1][1]], ['', ''], 'the diagonal is empty');
  }
  await page.getByText(/^kernel · reads; kernel · writes: skipped: a kernel can access/).waitFor();
  await page.getByText('Link between the devices: same memory').waitFor();
  await browser.faultless();
});

test('devices are labelled by number, with the full name as title and for screen readers', async () => {
  const head = page.locator('.matrix').first().getByRole('rowheader').first();
  assert.equal(await head.getAttribute('title'), `${devices[0].name}, ${devices[0].id}`);
  assert.ok((await head.textContent()).includes(devices[0].id), 'for screen readers too');
  await page.getByText(`Devices: ${devices[0].name} #0 and #1.`).waitFor();
});

test('selecting another size shows its matrices', async () => {
  const pick = page.getByRole('combobox', { name: 'Size' });
  const large = await matrix('no peer access', 'reads');
  await pick.selectOption({ label: '4 KiB' });
  await until(async () => (await matrix('no peer access', 'reads')).rows[0][1] !== large.rows[0][1], 'the matrix changes');
  const axes = { peer_access: false, engine: 'copy', access: 'read', pattern: 'pair', bytes: 4096, source: devices[0].id };
  const [expected] = measured('peer', 'bandwidth', axes);
  assert.ok(near(Number((await matrix('no peer access', 'reads')).rows[0][1]), expected.median));
  await pick.selectOption({ label: '64 KiB' });
});

test('"Copy table" copies the matrices as tab-separated exact values', async () => {
  await openValues();
  await page.getByRole('button', { name: 'Copy table' }).click();
  await page.getByRole('button', { name: 'Table copied' }).waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  const blocks = text.replace(/\n$/, '').split('\n\n').map((block) => block.split('\n').map((line) => line.split('\t')));
  assert.equal(blocks.length, 6);
  const block = blocks.find(([[head]]) => head.includes('no peer access') && head.includes('writes'));
  const names = devices.map(({ name }, at) => `#${at} ${name}`);
  assert.deepEqual(block[1], ['From \\ To', ...names]);
  assert.deepEqual(block.slice(2).map(([name]) => name), names);
  const way = { peer_access: false, engine: 'copy', access: 'write', pattern: 'pair', bytes: 65536 };
  const of = (source, target) => measured('peer', 'bandwidth', { ...way, source, target })[0].median;
  const [a, b] = devices.map(({ id }) => id);
  const cells = block.slice(2).map(([, ...row]) => row.map((cell) => (cell === '' ? null : Number(cell))));
  assert.deepEqual(cells, [[null, of(a, b)], [of(b, a), null]]);
});

test('latencies have a suitable unit, and pairs that copy in both directions are listed once', async () => {
  await view('Latency by pair');
  await until(async () => {
    const shown = await matrices();
    return shown.length > 0 && shown.every(({ title }) => / in (ns|µs|ms)$/.test(title));
  }, 'the unit of times');
  const { title, rows } = await matrix('no peer access', 'reads');
  const factor = { ns: 1e9, 'µs': 1e6, ms: 1e3 }[title.split(' in ')[1]];
  const [expected] = measured('peer', 'latency', { peer_access: false, engine: 'copy', access: 'read', source: devices[0].id });
  assert.ok(near(Number(rows[0][1].replaceAll(',', '')), expected.median * factor), `${rows[0][1]} for ${expected.median}`);
  await view('Bandwidth, both directions');
  await page.getByText('Each pair was measured once').waitFor();
  const once = await matrices();
  assert.ok(once.length > 0 && once.every((one) => one.rows[0][1] !== '' && one.rows[1][0] === ''));
  await browser.faultless();
});

test('bars of many devices can be filtered by device, and the table has all pairs', async () => {
  await view('Aggregate bandwidth by pattern');
  await page.locator('.bar-group summary', { hasText: 'all-to-all' }).waitFor();
  const picks = page.getByRole('group', { name: 'Series to show' });
  const from = picks.getByLabel('From', { exact: true });
  const first = place(runs.peer.headline[0].axes.source), other = 1 - first;
  assert.equal(await from.locator('option:checked').textContent(), `#${first}`, 'with too many bars, the headline’s device is preselected');
  const bars = () => page.locator('.bar-group > .bar > .bar-label').allTextContents();
  const shown = await bars();
  assert.ok(shown.length > 0 && shown.length <= 40 && shown.every((label) => !label.includes(`from #${other}`)), shown.join('; '));
  await from.selectOption({ label: `#${other}` });
  await until(async () => (await bars()).some((label) => label.includes(`from #${other}`)), 'the other device is shown');
  await browser.faultless();
  await view('Bandwidth by pair');
  const table = page.getByRole('table', { name: /Bandwidth by pair: exact values/ });
  await table.waitFor();
  const all = measured('peer', 'bandwidth', { pattern: 'pair', bytes: 65536 });
  assert.equal(await table.locator('tbody tr').count(), all.filter(({ skipped }) => !skipped).length);
});

test('speedup and efficiency are shown with their ideal, over whole numbers of devices', async () => {
  await open('scaling');
  const chart = page.getByRole('group', { name: /Speedup over devices.*Compared with the ideal: N devices are N times as fast as one/ });
  await chart.waitFor();
  await page.locator('.bar-levels', { hasText: 'ideal' }).waitFor();
  await openValues();
  const table = page.getByRole('table', { name: /Speedup over devices/ });
  await table.waitFor();
  const rows = await table.locator('tbody tr:not(.series-row)').evaluateAll((all) =>
    all.map(({ children: [count, value] }) => [count.textContent, parseFloat(value.textContent)]));
  const expected = measured('scaling', 'speedup');
  assert.equal(rows.length, expected.length);
  assert.deepEqual(new Set(rows.map(([count]) => count)), new Set(['1 device', '2 devices']));
  for (const { median } of expected) assert.ok(rows.some(([, value]) => value === Number(median.toPrecision(3))), `${median} is not there: ${rows}`);
  await browser.faultless();
  await view('Efficiency over devices');
  await page.getByRole('group', { name: /Efficiency over devices.*Compared with the ideal/ }).waitFor();
  await view('Time by number of devices');
  await page.locator('.bar-head', { hasText: '2 devices' }).waitFor();
  assert.deepEqual(await page.locator('.bar-head').allTextContents(), ['1 device', '2 devices']);
  await browser.faultless();
});

test('reference results are shown beside the run’s own speedup', async () => {
  await tab('References');
  const references = page.getByRole('region', { name: 'Reference results' });
  const row = references.locator('tbody', { hasText: 'one to three GPUs' }).getByRole('row').filter({ hasText: /^2 devices/ });
  await row.waitFor();
  const best = Math.max(...measured('scaling', 'speedup', { device_count: 2, scaling: 'strong' }).map(({ median }) => median));
  const cells = await row.locator('td').allTextContents();
  assert.match(cells[1], /^1\.97/);
  assert.ok(Math.abs(parseFloat(cells[2]) / best - 1) < 0.01, `${cells[2]} for ${best}`);
  await references.getByText('measured at another array size or kernel weight').waitFor();
});

test('the timeline has a row for each device or for each engine of each device', async () => {
  await tab('Timeline');
  const timeline = page.getByRole('region', { name: 'Timeline' });
  const names = () => timeline.locator('.timeline-variant').last().locator('.timeline-names text').allTextContents();
  await timeline.getByRole('button', { name: 'Open all' }).click();
  await soon(async () => assert.deepEqual(await names(), ['device 1', 'device 2']));
  await timeline.getByText(/Devices 1 and 2 are .* #0 and #1, in this order\./).waitFor();
  await timeline.getByRole('group', { name: 'Rows' }).getByRole('button', { name: 'By engine' }).click();
  const engines = ['H2D copy', 'compute', 'D2H copy'];
  const rows = [1, 2].flatMap((device) => engines.map((engine) => `device ${device} · ${engine}`));
  await soon(async () => assert.deepEqual(await names(), rows));
  assert.equal(await timeline.locator('.timeline-bound path').count(), 0, 'an efficiency of devices is no bound');
  await browser.faultless();
});

test('copies between devices have a kind of their own', async () => {
  await open('peer-transpose');
  await tab('Timeline');
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await timeline.getByRole('button', { name: 'Open all' }).click();
  await timeline.locator('.timeline-legend').getByText('P2P copy').waitFor();
  const figure = timeline.locator('.timeline-figure').first();
  await figure.focus();
  await page.keyboard.press('ArrowDown');
  await timeline.locator('.readout').filter({ hasText: /P2P copy · device 1 copies 1/ }).waitFor();
  await timeline.locator('path.span-copy-peer').first().waitFor();
  await browser.faultless();
});

test('the form selects all devices, and at least two', async () => {
  await go('/experiments/peer');
  const boxes = page.getByRole('group', { name: 'Run on devices' }).getByRole('checkbox');
  const chosen = (...expected) =>
    soon(async () => assert.deepEqual(await boxes.evaluateAll((all) => all.map((box) => box.checked)), expected));
  await chosen(true, true);
  await boxes.first().focus();
  await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.getByText('Run on devices: Choose at least 2 devices.').waitFor();
  await browser.faultless();
  await go(`/experiments/peer?device=${devices[1].id}`);
  await chosen(true, true); // the experiment needs a second device
  await go(`/experiments/scaling?device=${devices[1].id}`);
  await chosen(false, true);
});

test('with one device, experiments that need two are shown with the reason', () => withLab({}, async (other) => {
  const answer = await other.post('/api/v1/runs', { experiment: 'peer' });
  assert.equal(answer.status, 422);
  const { detail } = answer.json.errors.find(({ pointer }) => pointer === '/devices');
  assert.equal(detail, 'peer needs at least 2 devices, but 1 is available.');
  await page.goto(`${other.address}/experiments/peer`);
  await page.getByText('Needs at least 2 devices, but 1 is available.').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Start the run' }).isDisabled());
  await page.getByLabel('Size', { exact: true }).waitFor();
  await page.getByRole('region', { name: 'The idea' }).waitFor();
  const list = page.getByRole('navigation', { name: 'Several GPUs' });
  for (const name of ['peer', 'peer-transpose', 'collectives'])
    assert.match(await list.locator(`a[href="/experiments/${name}"]`).textContent(), /needs 2 devices$/);
  assert.doesNotMatch(await list.locator('a[href="/experiments/scaling"]').textContent(), /needs/);
  await browser.faultless();
  await page.goto(`${other.address}/experiments/scaling`);
  await page.getByRole('form').waitFor();
  assert.ok(await page.getByRole('button', { name: 'Start the run' }).isEnabled());
  await leave();
}));

test('a pair with wrong results is marked', () => withLab({ ...two, env: { GPULAB_HOST_FAULT: 'wrong-result@30' } }, async (other) => {
  const answer = await other.post('/api/v1/runs', {
    experiment: 'peer',
    parameters: {
      bytes: 65536, pattern: 'pair', peer_access: true, engine: 'copy', access: ['read', 'write'],
      min_samples: 8, max_samples: 8, max_noise: 0, time_budget_s: 10,
    },
  });
  const failed = await other.reach(answer.json.id, 'failed');
  const wrong = failed.measurements.filter(({ metric, verified }) => metric === 'bandwidth' && verified === false);
  assert.ok(wrong.length > 0, 'the fault came too late or too early');
  await page.goto(`${other.address}/runs/${failed.id}`);
  await page.locator('.matrix').first().waitFor();
  const marked = page.locator('.matrix td.wrong');
  await soon(async () => assert.equal(await marked.count(), wrong.length));
  assert.match(await marked.first().textContent(), /^✗ [\d.,]+ [\d,]+ elements wrong$/);
  await browser.faultless();
  await leave();
}));

test('no view needs horizontal scrolling on a narrow screen', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const experiment of Object.keys(parameters)) {
    await go(`/experiments/${experiment}`);
    await page.getByRole('form').waitFor();
    await browser.fits(experiment);
    await open(experiment);
    for (const name of await page.getByRole('group', { name: 'View', exact: true }).getByRole('button').allTextContents()) {
      await view(name);
      await browser.fits(`${experiment}: ${name}`);
    }
    await browser.faultless();
  }
});
