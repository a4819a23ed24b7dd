import { expect, it } from 'vitest';
import { noWrongs, useBrowser } from './browser.js';

const open = useBrowser();

it.each(['gpus/nvidia-rtx-a6000/', 'models/llama-3.1-8b/', 'es/gpus/nvidia-rtx-4090/', 'gpus/', 'models/', 'methods/', 'data/', 'accuracy/', 'es/methods/'])('%s is readable without scripts and fits a phone', async (path) => {
  const opened = await open(path, { javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
  expect((await opened.page.locator('main h1').innerText()).length).toBeGreaterThan(3);
  expect(await opened.page.locator('main').innerText()).not.toMatch(/undefined|NaN|\[object/);
  const box = await opened.page.locator('main').boundingBox();
  expect(box?.width ?? 999).toBeLessThanOrEqual(360);
  await noWrongs(opened);
});

it('a page of a GPU leads into the calculator with that GPU', async () => {
  const opened = await open('gpus/nvidia-rtx-a6000/');
  await opened.page.locator('.go').click();
  await expect.poll(() => opened.page.locator('.sentence').innerText()).toContain('RTX A6000');
  await noWrongs(opened);
});

it('figures of the A6000 are traceable to their sources', async () => {
  const opened = await open('gpus/nvidia-rtx-a6000/');
  expect(await opened.page.locator('ul.sources li').count()).toBeGreaterThan(0);
  expect(await opened.page.locator('main').innerText()).toMatch(/768\s+GB\/s/);
  await noWrongs(opened);
});
