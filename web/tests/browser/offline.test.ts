import { expect, it } from 'vitest';
import { answered, noWrongs, sentence, useBrowser } from './browser.js';

const open = useBrowser();

it('keeps answering without a network after the first visit, and says so', async () => {
  const opened = await open();
  const { page } = opened;
  await answered(page);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.reload();
  await answered(page);
  await page.context().setOffline(true);
  await page.reload();
  await answered(page);
  expect(await sentence(page)).toContain('Llama 3.1 8B');
  await page.locator('.offline').waitFor();
  await page.getByLabel('Context', { exact: true }).fill('4096');
  await page.keyboard.press('Enter');
  await expect.poll(() => sentence(page)).toContain('at 4K context');
  await noWrongs(opened);
});
