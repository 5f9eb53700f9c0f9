// Takes the screenshot for the README: a finished transfer.
//
//   GPULAB_BUILD=build/release node tests/browser/screenshot.mjs deploy/screenshot.png
import { Browser } from '../harness/browser.mjs';
import { Lab } from '../harness/lab.mjs';

const lab = await Lab.start();
const browser = await Browser.start({ viewport: { width: 1240, height: 900 }, scale: 1.5 });
try {
  const run = await lab.complete({}, { tags: ['nightly'], note: 'What this machine can do' });
  await browser.page.goto(`${lab.address}/runs/${run.id}`);
  await browser.page.getByRole('img', { name: /Bandwidth over size/ }).waitFor();
  await browser.page.waitForTimeout(500);
  await browser.page.screenshot({ path: process.argv[2] ?? 'screenshot.png' });
} finally {
  await browser.close();
  await lab.close();
}
