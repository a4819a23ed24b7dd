import { expect, it } from 'vitest';
import { noWrongs, useBrowser } from './browser.js';

const open = useBrowser();

it.each(['gpus/nvidia-rtx-a6000/', 'models/llama-3.1-8b/', 'es/gpus/nvidia-rtx-4090/', 'gpus/', 'models/', 'methods/', 'data/', 'accuracy/', 'es/methods/', 'compare/', 'compare/rtx-a6000-vs-a100-sxm-80gb/', 'es/compare/rtx-4090-vs-a100-pcie-40gb/', 'providers/', 'es/providers/', 'claims/', 'es/claims/'])('%s is readable without scripts and fits a phone', async (path) => {
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

it('a comparison says when to choose which, with margins and prices', async () => {
  const opened = await open('compare/rtx-4090-vs-a100-sxm-80gb/', { javaScriptEnabled: false });
  const text = await opened.page.locator('main').innerText();
  expect(text).toContain('Choose GeForce RTX 4090 when');
  expect(text).toMatch(/Chat, large model: the only one that runs it/);
  expect(text).toMatch(/HPC \(DGEMM\): [\d.]+ × the speed of GeForce RTX 4090/);
  expect(await opened.page.locator('table').count()).toBe(4);
  await noWrongs(opened);
});

it('the matrix of providers filters by GPU and provider, and a cell leads to its offers', async () => {
  const opened = await open('providers/');
  const { page } = opened;
  const shown = () => page.locator('.matrix tbody tr:visible').count();
  const all = await shown();
  await page.getByLabel('GPU', { exact: true }).fill('a6000');
  await expect.poll(shown).toBeLessThan(4);
  await page.getByRole('searchbox', { name: 'Provider' }).fill('runpod');
  await expect.poll(() => page.locator('.matrix thead th:visible').count()).toBeLessThan(5);
  const link = page.locator('.matrix tbody tr:visible td:visible a').first();
  expect(await link.innerText()).toMatch(/^\$\d+\.\d\d$/);
  await link.click();
  await expect.poll(() => page.locator('details[open] li').count()).toBeGreaterThan(0);
  expect(all).toBeGreaterThan(50);
  await noWrongs(opened);
});

it('prices over time are pictures that come when they are looked at, with their words', async () => {
  const opened = await open('providers/', { javaScriptEnabled: false });
  const { page } = opened;
  const details = page.locator('details', { has: page.locator('summary', { hasText: /H100 SXM5/ }) }).first();
  const picture = details.locator('.history img');
  const loaded = () => picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0);
  await details.locator('summary').click();
  await expect.poll(loaded).toBe(true);
  expect(await picture.getAttribute('alt')).toMatch(/^\d+ published prices of one .*H100 SXM.* for an hour, of 202\d[\d-]* to 2026-\d\d-\d\d: on demand \$\d+\.\d\d to \$\d+\.\d\d\.$/);
  await noWrongs(opened);
});
