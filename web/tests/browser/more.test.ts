import { describe, expect, it } from 'vitest';
import { answered, noWrongs, useBrowser } from './browser.js';

const open = useBrowser();

describe('what the whole core answers', () => {
  it('writes the commands of a row when asked, and copies them', async () => {
    const opened = await open('?v=1&m=llama-3.1-8b', { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = opened;
    const later: string[] = [];
    page.on('request', (request) => later.push(new URL(request.url()).pathname));
    await answered(page);
    await page.locator('tr[data-key] .row-open').first().click();
    const summary = page.getByText('Commands that run it so');
    await summary.waitFor();
    expect(later.filter((path) => /whichgpu-full|catalog-full/.test(path))).toEqual([]);
    await summary.click();
    const command = page.locator('wg-launch pre').first();
    await command.waitFor();
    expect(await command.innerText()).toMatch(/^llama-server \\\n {2}--model Llama-3\.1-8B-Q4_K_M\.gguf/);
    await page.getByRole('button', { name: 'Copy the commands for llama.cpp' }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('llama-server');
    expect(later.some((path) => path.endsWith('catalog-full.json'))).toBe(true);
    await noWrongs(opened);
  });

  it('says when to choose which of the ticked rows', async () => {
    const opened = await open('?v=1&m=llama-3.1-8b', { locale: 'es' });
    const { page } = opened;
    await answered(page);
    for (const at of [0, 1]) await page.locator('tr[data-key] input[type="checkbox"]').nth(at).check();
    await page.keyboard.press('c');
    const reasons = page.locator('wg-compare .choose');
    await reasons.waitFor();
    expect(await reasons.locator('h3').count()).toBe(2);
    expect(await reasons.innerText()).toMatch(/Elige .+ cuando/);
    expect(await reasons.locator('li').count()).toBeGreaterThan(3);
    expect(await reasons.innerText()).not.toMatch(/undefined|\{\w+\}|chat-small/);
    await noWrongs(opened);
  });
});
