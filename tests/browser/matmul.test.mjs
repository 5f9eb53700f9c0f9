// Matrix multiply (GEMM) on the page: a bar for each step with its explanation and code, the roofline, lines over the
// size, and the code on the experiment's page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab, soon, until, withLab } from '../harness/lab.mjs';

const parameters = {
  step: ['naive', 'tiled-8', 'tiled-16', 'blocked', 'openblas'], type: ['fp32', 'fp64'], min_size: 24, max_size: 96, factor: 2,
  min_samples: 3, max_samples: 10, min_time_s: 0, time_budget_s: 600, sample_s: 0, settle_s: 0,
};

let lab, browser, page, run, sources;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  ({ sources } = (await lab.get('/api/v1/experiments/matmul')).json);
  const answer = await lab.post('/api/v1/runs', { experiment: 'matmul', parameters });
  assert.equal(answer.status, 202, answer.text);
  run = await lab.reach(answer.json.id, 'succeeded');
});
after(async () => {
  await browser.close();
  await lab.close();
});

const go = (path) => page.goto(lab.address + path);
async function view(name) {
  const button = page.getByRole('group', { name: 'View', exact: true }).getByRole('button', { name, exact: true });
  await button.click();
  await button.and(page.locator('[aria-pressed=true]')).waitFor(); // which is drawn with the chart
}
const measured = (metric, size) =>
  run.measurements.filter((one) => one.metric === metric && !one.skipped && (!size || one.axes.m === size));
const source = (step) => sources.find((one) => one.step === step && one.backend === 'host');
const text = async (step) => (await lab.get(`/api/v1/experiments/matmul/sources/${step}?backend=host`)).text;
const sourceName = ({ title, files }) => `Source of ${title}: ${files.join(', ')}`;
const size = () => page.getByRole('combobox', { name: /^Size/ });

/** The texts of the bars: [{group, title, throughput in GFLOP/s, share}]. */
const bars = async () =>
  (await page.locator('.bar-group').evaluateAll((groups) =>
    groups.flatMap((group) =>
      [...group.querySelectorAll('.step-bar')].map((bar) => ({
        group: group.querySelector('.bar-head').textContent,
        title: bar.querySelector('.bar-label').firstChild.textContent,
        value: bar.querySelector('.bar-value').textContent,
        share: bar.querySelector('.step-bar-share').textContent,
      })),
    ),
  )).map((bar) => ({ ...bar, throughput: gigaflops(bar.value) }));

/** "832.8 MFLOP/s" -> 0.8328. */
function gigaflops(text) {
  const [, number, prefix] = /^([\d.,]+)\s([MGT])FLOP\/s/.exec(text);
  return Number(number.replaceAll(',', '')) * { M: 1e-3, G: 1, T: 1e3 }[prefix];
}

const near = (value, expected) => Math.abs(value / expected - 1) < 0.01;

test('there is a bar for each step of each type, in order, for the largest size', async () => {
  await go(`/runs/${run.id}`);
  await page.getByRole('group', { name: 'Throughput by step' }).waitFor();
  const expected = measured('throughput', 96);
  await soon(async () => assert.equal((await bars()).length, expected.length));
  const shown = await bars();
  assert.match(await size().locator('option:checked').textContent(), /^96 × 96 × 96$/);
  for (const type of parameters.type) {
    const steps = parameters.step.filter((step) => expected.some(({ axes }) => axes.type === type && axes.step === step));
    const group = shown.filter((bar) => bar.group === type);
    assert.deepEqual(group.map(({ title }) => title), steps.map((step) => source(step).title));
    steps.forEach((step, at) => {
      const of = (list) => list.find(({ axes }) => axes.type === type && axes.step === step)?.median;
      assert.ok(near(group[at].throughput, of(expected)), `${step}: ${group[at].throughput} for ${of(expected)}`);
      const share = of(measured('share_of_reference', 96));
      if (step === 'openblas') assert.equal(group[at].share, 'reference');
      else if (share === undefined) assert.equal(group[at].share, '');
      else assert.ok(Math.abs(parseFloat(group[at].share) / 100 / share - 1) < 0.06 && /^[\d.]+\s% of OpenBLAS$/.test(group[at].share), group[at].share);
    });
  }
  await browser.faultless();
});

test('the chart says that shares of the reference are measured, and can differ from the bars', async () => {
  const sentence = page.getByText('A share of the reference is of samples taken alternately');
  await sentence.waitFor();
  await view('Throughput over size');
  assert.equal(await sentence.count(), 0);
  await view('Throughput by step');
});

test('the bars of all groups begin and end at the same places, and their values fit', async () => {
  const rows = await page.locator('.step-bar').evaluateAll((all) => all.map((row) => {
    const { left, right } = row.querySelector('.bar-track').getBoundingClientRect();
    const values = row.querySelector('.step-bar-values');
    return { bar: `${left} to ${right}`, fits: values.scrollWidth <= values.clientWidth };
  }));
  assert.ok(rows.length > 1);
  assert.equal(new Set(rows.map(({ bar }) => bar)).size, 1);
  assert.ok(rows.every(({ fits }) => fits));
});

test('the picture of the bars has each bar, no gap where the explanation is, and no line that it cuts off', async () => {
  const [before_] = await browser.boxes('.chart-area');
  const fills = await page.locator('.bar-fill').evaluateAll((all) => all.map((fill) => getComputedStyle(fill).backgroundColor));
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'SVG', exact: true }).click()]);
  const svg = readFileSync(await file.path(), 'utf8');
  for (const fill of new Set(fills)) assert.equal(svg.split(`fill="${fill}"`).length, fills.filter((one) => one === fill).length + 1, fill);
  const { width, height, ends } = await page.evaluate((text) => {
    const picture = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
    document.body.append(picture);
    const boxes = [...picture.querySelectorAll('text')].map((line) => line.getBBox());
    picture.remove();
    const [width, height] = ['width', 'height'].map((name) => Number(picture.getAttribute(name)));
    return { width, height, ends: boxes.map((box) => box.x + box.width) };
  }, svg);
  assert.ok(Math.max(...ends) <= width, `${Math.max(...ends)} of ${width} px`);
  const { bottom } = await page.locator('.step-bar-groups').evaluate((groups) => groups.getBoundingClientRect());
  const least = bottom - before_.y;
  assert.ok(height < least + 300, `${height} px for bars of ${least} px`);
  assert.deepEqual(await browser.boxes('.chart-area'), [before_], 'the page is as before');
});

test('the keyboard selects another size', async () => {
  const before_ = await bars();
  await size().focus();
  await page.keyboard.press('Home');
  await until(async () => (await bars()).some(({ throughput }, at) => throughput !== before_[at].throughput), 'the bars change');
  const naive = measured('throughput', 24).find(({ axes }) => axes.type === 'fp32' && axes.step === 'naive');
  assert.ok(near((await bars())[0].throughput, naive.median));
});

test('selecting a bar shows the explanation and code of its step and a link to the next', async () => {
  const detail = page.locator('.step-detail');
  const first = page.locator('.step-bar').first();
  const { step } = run.headline.find(({ metric }) => metric === 'throughput').axes;
  assert.notEqual(step, 'naive');
  assert.equal(await detail.getByRole('heading').textContent(), source(step).title, 'at first the step of the headline');
  await page.getByRole('button', { name: source('tiled-8').title }).first().click();
  await detail.getByRole('heading', { name: source('tiled-8').title }).waitFor();
  assert.ok((await detail.locator('.prose').textContent()).includes(source('tiled-8').explanation.split('\n')[0]));
  const code = detail.getByRole('region', { name: sourceName(source('tiled-8')) });
  assert.equal(await code.textContent(), await text('tiled-8'));
  assert.equal(await first.locator('.step-choice').getAttribute('aria-pressed'), 'false');
  await detail.getByRole('button', { name: /^Next step/ }).focus();
  await page.keyboard.press('Enter');
  await detail.getByRole('heading', { name: source('tiled-16').title }).waitFor();
  assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Next step/);
  assert.equal(await page.locator('.step-choice[aria-pressed=true]').count(), 2, 'of both types');
  await browser.faultless();
});

test('the roofline has a point for each step, readable by keyboard and as a table', async () => {
  await view('Roofline');
  const chart = page.getByRole('group', { name: /^Roofline: / });
  await chart.waitFor();
  const expected = measured('throughput', 24);
  await soon(async () => assert.equal(await chart.getByRole('img').count(), expected.length));
  const fastest = expected.reduce((a, b) => (b.median > a.median ? b : a));
  await chart.getByRole('img').first().focus();
  await page.keyboard.press('End');
  const words = await page.evaluate(() => document.activeElement.getAttribute('aria-label'));
  const throughput = Number(/([\d.,]+)\sGFLOP\/s/.exec(words)[1].replaceAll(',', ''));
  assert.ok(near(throughput, fastest.median) && words.includes(fastest.axes.type) && words.includes('FLOP/B'), words);
  assert.ok((await page.locator('.readout').textContent()).includes('of the measured roof'));
  await page.getByText('Values of this chart as a table').click();
  const roofs = page.getByRole('table', { name: 'Roofs' }).locator('tbody tr');
  await roofs.first().waitFor();
  assert.equal(await roofs.count(), 1 + parameters.type.length);
  const [ceiling] = measured('compute_ceiling').filter(({ axes }) => axes.type === 'fp32');
  const shown = await roofs.filter({ hasText: 'fp32' }).locator('td').first().textContent();
  assert.ok(near(Number(shown.replaceAll(',', '').replace(/\s.*/, '')), ceiling.median), shown);
  assert.equal(await chart.locator('.measured').count(), 1 + parameters.type.length);
  await browser.faultless();
});

test('lines over the size are not split: n and k follow m', async () => {
  await view('Throughput over size');
  await page.getByRole('application', { name: /Throughput over size/ }).waitFor();
  const lines = new Set(measured('throughput').map(({ axes }) => `${axes.type} ${axes.step}`));
  const type = page.getByLabel('Type', { exact: true });
  assert.equal(await type.evaluate((select) => select.selectedOptions[0].textContent), 'fp32');
  await type.selectOption('all');
  await soon(async () => assert.equal(await page.locator('.legend-item').count(), lines.size));
  await page.getByText('Varies with m: n and k.').waitFor();
  await browser.faultless();
});

test('a run over shapes has tables of shapes by step, and all shapes in the roofline', async () => {
  const shapes = { ...parameters, type: 'fp32', m: [1, 16], min_size: 24, max_size: 48, n: 0, k: 0 };
  const answer = await lab.post('/api/v1/runs', { experiment: 'matmul', parameters: shapes });
  assert.equal(answer.status, 202, answer.text);
  const thin = await lab.reach(answer.json.id, 'succeeded');
  const all = thin.measurements.filter(({ metric, skipped }) => metric === 'throughput' && !skipped);
  await go(`/runs/${thin.id}?view=shapes-throughput`);
  const rows = page.locator('.matrix-table tbody tr');
  await soon(async () => assert.equal(await rows.count(), 4));
  assert.deepEqual((await rows.locator('th').allTextContents()).map((text) => text.replace(/\s/g, ' ')), ['1 × 24 × 24', '1 × 48 × 48', '16 × 24 × 24', '16 × 48 × 48']);
  assert.equal(await page.locator('.matrix-table .heat').count(), all.length);
  const [first] = all.filter(({ axes }) => axes.m === 16 && axes.n === 48 && axes.step === 'naive');
  assert.match(await rows.nth(3).locator('td').first().getAttribute('title'), new RegExp(`${first.n.toLocaleString('en')} samples`));
  const views = page.getByRole('group', { name: 'View', exact: true });
  assert.equal(await views.getByRole('button', { name: 'Throughput over size' }).count(), 0);
  await view('Roofline');
  const chart = page.getByRole('group', { name: /^Roofline: / });
  await soon(async () => assert.equal(await chart.getByRole('img').count(), all.length));
  await chart.locator('.roofline-labels text', { hasText: /^16\s×\s48\s×\s48$/ }).waitFor();
  await size().selectOption({ label: '16 × 48 × 48' });
  await soon(async () => assert.equal(await chart.getByRole('img').count(), all.length / 4));
  await page.setViewportSize({ width: 360, height: 740 });
  for (const name of await views.getByRole('button').allTextContents()) {
    await view(name);
    await browser.fits(name);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await browser.faultless();
});

test('a run over squares has no table of shapes', async () => {
  await go(`/runs/${run.id}`);
  await page.locator('.step-bar').first().waitFor();
  const views = page.getByRole('group', { name: 'View', exact: true }).getByRole('button');
  assert.ok((await views.allTextContents()).every((name) => !name.includes('shape')), await views.allTextContents());
});

test('the page of a run lists the steps of its runtime, that of the experiment those of both', async () => {
  await page.getByRole('tab', { name: 'Method' }).click();
  const panel = page.getByRole('region', { name: 'Steps and source code' });
  const titles = (backend) => sources.filter((one) => one.backend === backend).map(({ title }) => title);
  const listed = (backend) =>
    soon(async () => assert.deepEqual(await panel.locator('.source-title').allTextContents(), titles(backend)));
  await listed('host');
  await go('/experiments/matmul');
  const runtimes = panel.getByRole('group', { name: 'Runtime' });
  await runtimes.getByRole('button', { name: 'CUDA' }).click();
  await listed('cuda');
  await runtimes.getByRole('button', { name: 'CPU' }).click();
  await listed('host');
  await panel.getByText(source('blocked').title, { exact: true }).click();
  const code = panel.getByRole('region', { name: sourceName(source('blocked')) });
  await code.waitFor();
  assert.equal(await code.textContent(), await text('blocked'));
  assert.ok((await code.locator('span').count()) > 10, 'in colours');
  await panel.getByRole('button', { name: 'Copy' }).waitFor();
  await browser.faultless();
});

test('lines that differ from the step before are marked', async () => {
  await go('/experiments/matmul');
  const panel = page.getByRole('region', { name: 'Steps and source code' });
  await panel.getByRole('group', { name: 'Runtime' }).getByRole('button', { name: 'CUDA' }).click();
  const open = async (step) => {
    const { title, files } = sources.find((one) => one.step === step && one.backend === 'cuda');
    const entry = panel.locator('details', { has: page.getByText(title, { exact: true }) });
    await entry.locator('summary').click();
    await entry.getByRole('region', { name: sourceName({ title, files }) }).waitFor();
    return entry;
  };
  const coalesced = await open('coalesced');
  await coalesced.getByText('Marked lines differ from “Naive”.').waitFor();
  const marked = await coalesced.locator('mark').allTextContents();
  assert.ok(marked.some((line) => line.includes('blockIdx.x * BLOCK + threadIdx.x')), marked.join(''));
  assert.ok(!marked.some((line) => line.includes('a[row * k + i] * b[i * n + column]')), marked.join(''));
  const larger = await open('tiled-16');
  await larger.getByText('The same code as “Shared-memory tiling, 8 x 8”.').waitFor();
  assert.equal(await larger.locator('mark').count(), 0);
  assert.equal(await (await open('naive')).locator('.code-note').isVisible(), false);
  await browser.faultless();
});

test('the charts of a running run show its measurements so far', async () => {
  const answer = await lab.post('/api/v1/runs', {
    experiment: 'matmul',
    parameters: { ...parameters, step: ['naive', 'tiled-8'], max_size: 1024, factor: 1.01, max_noise: 0, time_budget_s: 600 },
  });
  await go(`/runs/${answer.json.id}`);
  await page.locator('.step-bar').first().waitFor();
  await page.locator('.step-bar', { hasText: source('tiled-8').title }).first().click();
  await page.locator('.step-detail').getByRole('heading', { name: source('tiled-8').title }).waitFor();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.locator('.run-title .status', { hasText: 'cancelled' }).waitFor();
  assert.deepEqual(browser.problems.splice(0), []);
});

// How many operations come before the first step depends on the time that they take: later ones are tried until one is
// wrong.
test('a step with a wrong result is marked in every view', async () => {
  let seen = false;
  for (const operation of [60, 120, 240, 480]) {
    if (!seen) await withLab({ env: { GPULAB_HOST_FAULT: `wrong-result@${operation}` } }, async (other) => { seen = await showsWrongStep(other); });
  }
  assert.ok(seen, 'no operation of a step was wrong');
});

/** Runs the experiment and checks the page of a run with wrong results; false when there are none. */
async function showsWrongStep(other) {
  const answer = await other.post('/api/v1/runs', {
    experiment: 'matmul',
    parameters: { ...parameters, type: 'fp32', min_size: 48, max_size: 48, min_samples: 20, max_samples: 20, max_noise: 0, min_time_s: 0, time_budget_s: 60 },
  });
  const failed = await other.reach(answer.json.id);
  const wrong = failed.measurements.filter(({ metric, verified }) => metric === 'throughput' && verified === false);
  if (!wrong.length) return false;
  await page.goto(`${other.address}/runs/${failed.id}`);
  await page.locator('.step-bar').first().waitFor();
  assert.match(await page.locator('.run-notices li').first().textContent(), /^\S.*: up to \d+ wrong elements?$/);
  const marked = (await bars()).filter(({ share }) => /^✗ \d+ wrong$/.test(share));
  assert.deepEqual(marked.map(({ title }) => title).sort(), wrong.map(({ axes }) => source(axes.step).title).sort());
  assert.equal(await page.locator('.step-bar.wrong').count(), wrong.length);
  await view('Roofline');
  await page.locator('.mark-wrong').first().waitFor();
  assert.equal(await page.locator('.mark-wrong').count(), wrong.length);
  assert.equal(await page.getByRole('img', { name: /wrong result/ }).count(), wrong.length);
  await browser.faultless();
  await page.goto('about:blank'); // a page whose lab ends logs an error
  return true;
}

test('no view needs horizontal scrolling on a narrow screen', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  await go('/experiments/matmul');
  await page.getByRole('region', { name: 'Steps and source code' }).locator('summary').nth(1).click();
  await page.locator('.code-text').last().waitFor();
  await browser.fits('the experiment');
  await go(`/runs/${run.id}`);
  for (const name of ['Throughput by step', 'Throughput over size', 'Roofline']) {
    await view(name);
    await browser.fits(name);
  }
  await browser.faultless();
});
