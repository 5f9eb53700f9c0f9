// Takes the screenshot for the README: the newest run of an experiment, from an export of a lab (`gpulab export`), or a
// transfer on this machine without one.
//
//   GPULAB_BUILD=build/release node tests/browser/screenshot.mjs deploy/screenshot.png [EXPORT EXPERIMENT]
import { readFileSync } from 'node:fs';
import { Browser } from '../harness/browser.mjs';
import { Lab } from '../harness/lab.mjs';

const [file = 'screenshot.png', exported, experiment = 'transfer'] = process.argv.slice(2);
const lab = await Lab.start();
const browser = await Browser.start({ viewport: { width: 1240, height: 900 }, scale: 1.5 });
try {
  if (exported) {
    const { status, text } = await lab.request('POST', '/api/v1/import', {
      headers: { 'content-type': 'application/x-ndjson' }, body: readFileSync(exported),
    });
    if (status !== 200) throw new Error(text);
  } else {
    await lab.complete({}, { tags: ['nightly'], note: 'What this machine can do' });
  }
  const { runs: [run] } = (await lab.get(`/api/v1/runs?experiment=${experiment}&limit=1`)).json;
  await browser.page.goto(`${lab.address}/runs/${run.id}`);
  await browser.page.getByRole('tabpanel').locator('svg').first().waitFor();
  await browser.page.waitForTimeout(500);
  await browser.page.screenshot({ path: file });
} finally {
  await browser.close();
  await lab.close();
}
