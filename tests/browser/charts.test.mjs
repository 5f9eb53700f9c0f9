// Charts of imported runs: units, scales, zoom, hidden lines and colours in the address, values at the pointer and with
// the keyboard, cautions, groups of bars, pictures.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab, soon } from '../harness/lab.mjs';

const START = new Date('2026-01-01T12:00:00Z');
const SIZES = [4096, 65536, 1048576, 16777216];
const WAYS = ['h2d', 'd2h'].flatMap((direction) => ['pageable', 'pinned'].map((memory) => ({ direction, memory })));
const CONDITIONS = { sm_clock_mhz: 1000, throttle: ['power'], temperature_c: 80, power_w: 700 };

/** Bandwidth of each way at each size, the last throttled; the share of the peak at the same points. */
const transfer = WAYS.flatMap((way, one) =>
  SIZES.flatMap((bytes, at) => {
    const axes = { ...way, bytes }, value = 400 * (one + 1) * (at + 1);
    const conditions = one === 3 && at === 3 ? CONDITIONS : null;
    return [
      { axes, samples: [value, value * 1.01], conditions },
      { axes, metric: 'share_of_peak', unit: '1', samples: [value / 1e4, value / 1e4] },
    ];
  }));
/** Rates of two kernels over one number of addresses, in more points than one list of bars holds. */
const atomics = ['global', 'shared'].flatMap((variant, one) =>
  ['uniform', 'skewed'].flatMap((distribution) =>
    [1, 2, 4, 8, 16, 32, 64].map((addresses, at) => ({
      metric: 'rate', unit: 'Gop/s', axes: { variant, distribution, addresses, type: 'int32' }, samples: [1 + one * 10 + at],
    }))));
/** Errors that fall twice as fast as the slope of theory. */
const errors = [4096, 65536, 1048576].map((n) => ({
  metric: 'standard_error', unit: '1', axes: { problem: 'pi', type: 'fp32', n, step: 'one-pass' }, samples: [4096 / n],
}));

let lab, browser, page;
const ids = {};
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  for (const [n, experiment, measurements] of [[1, 'transfer', transfer], [2, 'atomics', atomics], [3, 'monte-carlo', errors]]) {
    const lines = linesOf({ at: START, n, experiment }, measurements);
    const answer = await importInto(lab, lines);
    assert.ok(answer.status < 300, answer.text);
    ids[experiment] = lines[0].id;
  }
});
after(async () => {
  await browser.close();
  await lab.close();
});

async function noProblems(what) {
  await browser.faultless();
  const { width, height } = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 800 });
  await browser.fits(`${what} at 360 px`);
  await page.setViewportSize({ width, height });
}

const open = async (experiment, query = '') => {
  await page.goto(`${lab.address}/runs/${ids[experiment]}?tab=chart${query}`);
  await page.locator('.line-chart .line, .bars .bar').first().waitFor();
};
const choice = (name) => new URL(page.url()).searchParams.get(name);
const readout = () => page.locator('.result-panel .readout').textContent().then((text) => text.replaceAll('\u00a0', ' '));
const axisText = () => page.locator('.xy-grid text').allTextContents();
const colours = () => page.locator('.line-chart .line').evaluateAll((all) => all.map((one) => one.style.stroke));

test('an axis has one prefix, and shares are in percent', async () => {
  await open('transfer');
  assert.ok((await axisText()).includes('Bandwidth (TB/s)'), String(await axisText()));
  await page.getByRole('button', { name: 'Share of peak' }).click();
  await soon(async () => assert.ok((await axisText()).some((text) => text.endsWith('(%)')), String(await axisText())));
  assert.equal(choice('view'), 'share');
});

test('the scale of an axis is switched and is in the address', async () => {
  await open('transfer');
  const scale = page.getByRole('group', { name: 'Scale of the y axis' });
  assert.equal(await scale.getByRole('button', { name: 'Log' }).getAttribute('aria-pressed'), 'true');
  await scale.getByRole('button', { name: 'Linear' }).click();
  await soon(async () => assert.ok((await axisText()).includes('0')));
  assert.equal(choice('y'), 'linear');
  await page.reload();
  await page.locator('.line-chart .line').first().waitFor();
  assert.ok((await axisText()).includes('0'), 'the address restores the scale');
  await noProblems('lines');
});

test('a line has the slope of theory where both scales are logarithmic', async () => {
  await open('monte-carlo', '&view=standard-error');
  assert.equal(await page.locator('.line-ideal text').textContent(), 'slope −0.5');
  const ends = async (selector) => (await page.locator(selector).getAttribute('d')).match(/[\d.]+/g).map(Number);
  const [, top, , bottom] = await ends('.line-ideal path');
  const measured = await ends('path.line');
  assert.ok(Math.abs(measured.at(-1) - measured[1] - 2 * (bottom - top)) < 1, `${measured}, ${top} to ${bottom}`);
  assert.match(await page.locator('.legend-explanation').textContent(), /standard error proportional to samples to the power −0\.5/);
  await open('monte-carlo', '&view=standard-error&y=linear');
  assert.equal(await page.locator('.line-ideal').count(), 0);
  await noProblems('the slope of theory');
});

test('a drag zooms, and a button shows everything again', async () => {
  await open('transfer');
  await page.locator('.line-chart').scrollIntoViewIfNeeded();
  const [box] = await browser.boxes('.line-chart');
  await page.mouse.move(box.x + box.width * 0.5, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 210);
  await page.mouse.move(box.x + box.width * 0.9, box.y + 210);
  await page.mouse.up();
  await soon(() => assert.match(choice('zoom') ?? '', /^\d+\.\.\d+$/));
  const reset = page.locator('.result-panel').getByRole('button', { name: 'Show all' });
  await reset.waitFor();
  assert.ok(!(await axisText()).includes('4 KiB'));
  await reset.click();
  await soon(() => assert.equal(choice('zoom'), null));
  await soon(async () => assert.ok((await axisText()).some((text) => /^[48]\sKiB$/.test(text)), String(await axisText())));
});

test('a hidden line is in the address, and its colour stays reserved', async () => {
  await open('transfer');
  const before = await colours();
  await page.getByRole('button', { name: 'pinned · device → host' }).click();
  await soon(async () => assert.equal((await colours()).length, WAYS.length - 1));
  assert.equal(choice('hidden'), 'd2h.pinned');
  assert.ok((await colours()).every((colour) => before.includes(colour)));
  await page.reload();
  await page.locator('.line-chart .line').first().waitFor();
  assert.equal((await colours()).length, WAYS.length - 1);
});

test('a series has the same colour in every view, and another axis can have the colours', async () => {
  await open('transfer');
  const first = await colours();
  await page.getByRole('button', { name: 'Share of peak' }).click();
  await soon(async () => assert.equal(choice('view'), 'share'));
  assert.deepEqual(await colours(), first);
  const pick = page.getByRole('combobox', { name: 'Colour' });
  const other = (await pick.inputValue()) === 'memory' ? 'direction' : 'memory';
  await pick.selectOption(other);
  await soon(async () => assert.notDeepEqual(await colours(), first));
  assert.equal(choice('colour'), other);
});

test('the arrow keys read values, and a throttled one says so', async () => {
  await open('transfer');
  await page.locator('.line-chart').focus();
  await page.keyboard.press('End');
  await soon(async () => assert.match(await readout(), /16 MiB · .*6\.4\d+ TB\/s.*throttled/));
  await page.keyboard.press('ArrowLeft');
  await soon(async () => assert.match(await readout(), /1 MiB · .*4\.8\d+ TB\/s/));
  await page.keyboard.press('ArrowDown');
  await soon(async () => assert.match(await readout(), /3\.6\d+ TB\/s/));
  assert.equal(await page.locator('.line-chart .mark-caution').count(), 1);
  await page.getByText('Amber triangles mark values').waitFor();
});

test('the pointer reads the nearest point at the same place', async () => {
  await open('transfer');
  await page.locator('.line-chart').scrollIntoViewIfNeeded();
  const [place, plot] = await browser.boxes('.result-panel .readout', '.line-chart .line-plot');
  await page.mouse.move(plot.x + 5, plot.y + plot.height - 5);
  await soon(async () => assert.match(await readout(), /^4 KiB · .*4\d\d\.\d GB\/s/));
  const [now, still] = await browser.boxes('.result-panel .readout', '.line-chart .line-plot');
  assert.deepEqual([now.x, now.y], [place.x, place.y]);
  assert.equal(still.y - now.y, plot.y - place.y);
  for (const width of [940, 640, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const plotBelow = async () => {
      const [line, lines] = await browser.boxes('.result-panel .readout', '.line-chart .line-plot');
      return { below: Math.round(lines.y - line.y), at: lines };
    };
    await page.mouse.move(1, 1);
    await soon(async () => assert.match(await readout(), /^Point at/));
    const { below } = await plotBelow();
    await soon(async () => { // the chart is drawn anew for the width
      await page.evaluate(() => document.querySelector('.line-chart').scrollIntoView({ block: 'center' }));
      const { at } = await plotBelow();
      await page.mouse.move(at.x + at.width - 5, at.y + 5);
      assert.match(await readout(), /^16 MiB · .*throttled/);
    });
    assert.equal((await plotBelow()).below, below, `at ${width} px`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('many bars are in groups, which the address keeps open', async () => {
  await open('atomics', '&view=histogram');
  const groups = page.locator('details.bar-group');
  assert.equal(await groups.count(), 2);
  await page.getByText('best of 14').first().waitFor();
  await groups.nth(1).locator('summary').click();
  await soon(() => assert.equal(choice('open'), 'shared'));
  await page.reload();
  await groups.first().waitFor();
  assert.deepEqual(await groups.evaluateAll((all) => all.map((one) => one.open)), [false, true]);
  await noProblems('bars');
});

test('a chart is saved as SVG and PNG with its title, run and device', async () => {
  await open('transfer');
  const saved = async (format) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: format, exact: true }).click()]);
    assert.equal(file.suggestedFilename(), `transfer-bandwidth-${ids.transfer}.${format.toLowerCase()}`);
    return readFileSync(await file.path());
  };
  const svg = (await saved('SVG')).toString().replaceAll('\u00a0', ' ');
  for (const text of ['Bandwidth over size', `run ${ids.transfer}`, '2026-01-01', 'Bandwidth (TB/s)', '16 MiB', 'pinned · device → host'])
    assert.ok(svg.includes(text), text);
  assert.doesNotMatch(/<title>(.*?)<\/title>/s.exec(svg)[1], /\.\./);
  assert.ok(svg.split('<path').length > 4 * WAYS.length);
  const png = await saved('PNG');
  assert.deepEqual([...png.subarray(1, 4)], [...Buffer.from('PNG')]);
  assert.ok(png.readUInt32BE(16) > 1000, 'its width in px');
  await noProblems('pictures');
});

test('the picture and the data of a chart are copied, and the code of a frame that shows it', async () => {
  await open('transfer');
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.locator('.export-buttons summary', { hasText: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copy the picture' }).click();
  await page.getByRole('button', { name: 'Picture copied' }).waitFor();
  const types = await page.evaluate(async () => (await navigator.clipboard.read()).flatMap((item) => item.types));
  assert.deepEqual(types, ['image/png']);
  await page.getByRole('button', { name: 'Copy the data' }).click();
  await page.getByRole('button', { name: 'Data copied' }).waitFor();
  const [head, ...lines] = (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\n');
  assert.match(head, /\bbytes\tmetric\tunit\tmedian\t/);
  assert.ok(lines.length > WAYS.length);
  const embed = page.getByRole('button', { name: 'Copy code to embed' });
  await page.getByText('This lab lets no other site show it').waitFor();
  assert.equal(await embed.isDisabled(), true);
  await page.route((url) => url.pathname.startsWith('/runs/'), (route) => (route.request().method() === 'HEAD' ? route.fulfill({ headers: { 'content-security-policy': 'frame-ancestors https://wiki.example' } }) : route.continue()));
  await open('transfer', '&only-memory=pinned');
  await page.locator('.export-buttons summary', { hasText: 'Copy' }).click();
  await embed.click();
  await page.getByRole('button', { name: 'Code copied' }).waitFor();
  const frame = await page.evaluate(async () => {
    const { content } = Object.assign(document.createElement('template'), { innerHTML: await navigator.clipboard.readText() });
    return [content.childElementCount, content.firstElementChild.src, content.firstElementChild.title];
  });
  await page.unrouteAll();
  assert.deepEqual([frame[0], frame[1]], [1, `${lab.address}/runs/${ids.transfer}/embed?only-memory=pinned&view=bandwidth`]);
  assert.match(frame[2], /Bandwidth over size/);
  await noProblems('the menu');
  await page.keyboard.press('Escape');
  await page.goto(frame[1]);
  await page.locator('.line-chart .line').first().waitFor();
  assert.deepEqual(await page.getByRole('heading').allTextContents(), ['Host-device transfer', 'Bandwidth over size']);
  await page.getByText(/Lines connect medians/).waitFor();
  const shown = async (...names) => (await Promise.all(names.map((name) => page.locator(name).isVisible()))).filter(Boolean).length;
  assert.equal(await shown('.site-header', '.site-footer', '.result-tools', '.actions', '[role=tablist]'), 0);
  assert.equal(new URL(await page.getByRole('link', { name: 'The whole run in gpulab' }).evaluate((link) => link.href)).pathname, `/runs/${ids.transfer}`);
  await noProblems('a chart alone');
});
