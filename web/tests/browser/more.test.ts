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

  it('makes a machine of nvidia-smi, and sets a benchmark beside the estimate', async () => {
    const opened = await open('?v=1&m=llama-3.1-8b');
    const { page } = opened;
    await answered(page);
    await page.getByText('Paste what a tool printed').click();
    const text = page.getByLabel(/Output of nvidia-smi/);
    await text.fill('GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-aa)\nGPU 1: NVIDIA GeForce RTX 3090 (UUID: GPU-bb)\n');
    await text.press('Tab');
    await page.getByRole('button', { name: 'Use this machine' }).click();
    await expect.poll(() => page.url()).toMatch(/g=nvidia-rtx-3090.*n=2|n=2.*g=nvidia-rtx-3090/);
    await text.fill('| model | size | params | backend | ngl | test | t/s |\n| --- | --- | --- | --- | --- | --- | --- |\n| llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 99 | tg128 | 120.50 ± 0.2 |\n');
    await text.press('Tab');
    const row = page.locator('wg-paste tbody tr');
    await row.waitFor();
    expect(await row.innerText()).toMatch(/Writing, per user[\s\S]+nvidia-rtx-3090 · llama-3\.1-8b[\s\S]+121 tok\/s/);
    expect(Number((await row.locator('td').nth(2).innerText()).trim())).toBeGreaterThan(0.3);
    await text.fill('<img src=x onerror=alert(1)>');
    await text.press('Tab');
    await expect.poll(() => page.locator('wg-paste .problem').innerText()).toContain('No line of this');
    await noWrongs(opened);
  });
});
