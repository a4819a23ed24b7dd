import { describe, expect, it } from 'vitest';
import { answered, noWrongs, sentence, useBrowser } from './browser.js';

const open = useBrowser();

describe('the calculator', () => {
  it('opens with the default question answered: every GPU a row, cost and speed in the sentence', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    expect(await sentence(page)).toMatch(/^Llama 3\.1 8B in Q4_K_M, chatting at 8K context →\s?:? fits \d+ of \d+ GPUs\. Cheapest to rent: .+ at \$[\d.]+\/h, ~?[\d.,]+ tok\/s/);
    const rows = await page.locator('tr[data-key]').count();
    expect(rows).toBeGreaterThan(200);
    const row = page.locator('tr[data-key="nvidia-rtx-4090"]');
    expect(await row.innerText()).toMatch(/fits[\s\S]+of[\s\S]+GiB[\s\S]+tok\/s[\s\S]+\$/);
    await noWrongs(opened);
  });

  it('picks a model by typing: the answer, the sentence and the address change', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    await page.locator('.sentence .word').first().click();
    await page.getByRole('combobox', { name: 'Pick a model' }).fill('mixtral 8x7b');
    await page.keyboard.press('Enter');
    await expect.poll(() => sentence(page)).toMatch(/^Mixtral/);
    await expect.poll(() => page.url()).toMatch(/\?v=1&.*m=mixtral-8x7b/);
    await noWrongs(opened);
  });

  it('picks a precision and a provider', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    await page.getByRole('button', { name: 'Precision' }).click();
    await page.getByRole('combobox', { name: 'Pick a precision' }).fill('Q8_0');
    await page.keyboard.press('Enter');
    await expect.poll(() => sentence(page)).toContain('in Q8_0');
    await page.getByLabel('Provider', { exact: true }).selectOption('runpod-secure');
    await expect.poll(() => page.url()).toContain('pr=runpod-secure');
    const providers = (await page.locator('td.c-usd_per_hour .under').allInnerTexts()).map((text) => text.split(/ · |,/)[0]);
    expect(providers.length).toBeGreaterThan(5);
    expect(new Set(providers).size).toBe(1);
    await noWrongs(opened);
  });

  it('sorts by a column, both ways, and says so', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    const header = page.locator('thead th.c-usd_per_hour');
    await header.getByRole('button').click();
    expect(await header.getAttribute('aria-sort')).toBe('ascending');
    const cheap = await page.locator('td.c-usd_per_hour .number').evaluateAll((cells) => cells.slice(0, 30).map((cell) => Number(cell.textContent?.replace(/[^\d.]/g, ''))));
    expect(cheap).toEqual([...cheap].sort((a, b) => a - b));
    await header.getByRole('button').click();
    expect(await header.getAttribute('aria-sort')).toBe('descending');
    expect(page.url()).toContain('sort=-usd_per_hour');
    await noWrongs(opened);
  });

  it('filters by text and by what fits, and finds its way back', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    const all = await page.locator('tr[data-key]').count();
    await page.getByLabel('Filter the table').fill('a100 80');
    const names = await page.locator('tr[data-key] .row-open').allInnerTexts();
    expect(names.length).toBeGreaterThan(0);
    expect(names.every((name) => name.includes('A100'))).toBe(true);
    await page.getByLabel('Filter the table').fill('no such card');
    await page.getByRole('button', { name: 'Clear the filters' }).click();
    expect(await page.locator('tr[data-key]').count()).toBe(all);
    await page.getByLabel('Only what fits').check();
    expect(await page.locator('tr[data-key][data-verdict="does_not_fit"]').count()).toBe(0);
    await noWrongs(opened);
  });

  it('opens a formula: terms that add up, cost lines, evidence', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    await page.getByRole('button', { name: 'GeForce RTX 4090', exact: true }).first().click();
    const detail = page.locator('#detail-nvidia-rtx-4090');
    await detail.locator('h4', { hasText: 'Memory' }).waitFor();
    const terms = await detail.locator('section', { has: page.locator('h4', { hasText: 'Memory' }) }).locator('tbody .num').allInnerTexts();
    const sum = terms.reduce((total, text) => total + Number.parseFloat(text.replace(',', '')), 0);
    const shown = Number.parseFloat(await detail.locator('.memory-line .number').innerText());
    expect(terms.length).toBeGreaterThanOrEqual(3);
    expect(Math.abs(sum - shown)).toBeLessThan(0.06 * terms.length); // each is rounded to a tenth
    for (const title of ['Speed', 'Cost', 'Evidence']) await detail.locator('h4', { hasText: title }).waitFor();
    expect(page.url()).toContain('open=nvidia-rtx-4090');
    await noWrongs(opened);
  });

  it('shows the nearest measurements and what the format costs in quality, loaded when asked for', async () => {
    const opened = await open();
    const { page } = opened;
    const later: string[] = [];
    page.on('request', (request) => {
      if (/generated\/(evidence|quality)\//.test(request.url())) later.push(request.url());
    });
    await answered(page);
    expect(later).toEqual([]);
    await page.getByRole('button', { name: 'GeForce RTX 4090', exact: true }).first().click();
    const detail = page.locator('#detail-nvidia-rtx-4090');
    const evidence = detail.locator('section', { has: page.locator('h4', { hasText: 'Evidence' }) }).locator('tbody tr');
    await expect.poll(() => evidence.count()).toBeGreaterThanOrEqual(4);
    const ratios = await evidence.locator('td:nth-child(3)').allInnerTexts();
    expect(ratios.every((text) => Number(text) > 0.2 && Number(text) < 5)).toBe(true);
    const quality = detail.locator('.quality');
    await expect.poll(() => quality.locator('p').first().innerText()).toMatch(/^Its weights take 4\.\d\sGiB instead of 1\d\.\d\sGiB in 16 bits: \d+\.\d\sGiB less\.$/);
    expect(await quality.locator('tbody tr').count()).toBeGreaterThanOrEqual(3);
    expect(await quality.locator('tbody th').first().innerText()).toContain('Llama-3.1-8B');
    expect(later.some((url) => url.endsWith('evidence/llama-3.1-8b.csv'))).toBe(true);
    await noWrongs(opened);
  });

  it('comes back from the address after a reload', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    await page.getByLabel('Context', { exact: true }).fill('32768');
    await page.keyboard.press('Enter');
    await expect.poll(() => sentence(page)).toContain('at 32K context');
    await page.locator('thead th.c-usd_per_hour button').click();
    const before = await page.locator('tr[data-key]').evaluateAll((rows) => rows.map((row) => row.textContent));
    await page.reload();
    await answered(page);
    expect(await sentence(page)).toContain('at 32K context');
    expect(await page.locator('tr[data-key]').evaluateAll((rows) => rows.map((row) => row.textContent))).toEqual(before);
    await noWrongs(opened);
  });

  it('goes back one change at a time, and forward again', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    const context = page.getByLabel('Context', { exact: true });
    await context.fill('4096');
    await context.press('Enter');
    await expect.poll(() => sentence(page)).toContain('at 4K');
    await context.fill('16384');
    await context.press('Enter');
    await expect.poll(() => sentence(page)).toContain('at 16K');
    await page.evaluate(() => history.back());
    await expect.poll(() => sentence(page)).toContain('at 4K');
    await page.evaluate(() => history.back());
    await expect.poll(() => sentence(page)).toContain('at 8K');
    await page.evaluate(() => history.forward());
    await expect.poll(() => sentence(page)).toContain('at 4K');
    await noWrongs(opened);
  });

  it('names the field of an impossible question and keeps the last answer', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    await page.getByLabel('Context', { exact: true }).fill('-5');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('context_tokens');
    expect(await page.getByLabel('Context', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(await page.locator('tr[data-key]').count()).toBeGreaterThan(200);
    await noWrongs(opened);
  });

  it('says what is wrong with a link that holds rubbish, and offers the default', async () => {
    const opened = await open('?v=1&m=llama-3.1-8b&zz=%00');
    const { page } = opened;
    await answered(page);
    expect(await page.getByRole('alert').innerText()).toContain('could not be read');
    await page.getByRole('button', { name: 'Start from the default question' }).click();
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await noWrongs(opened);
  });

  it('works with the keyboard alone: search, pick, walk the rows, open, compare', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    await page.keyboard.press('/');
    await page.keyboard.type('a6000');
    await page.keyboard.press('Enter');
    await expect.poll(() => sentence(page)).toContain('On RTX A6000');
    await page.locator('.row-open').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.detail-row h4').first().waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.detail-row').count()).toBe(0);
    for (const at of [0, 1]) {
      await page.locator('td.tick input').nth(at).focus();
      await page.keyboard.press('Space');
    }
    await page.keyboard.press('c');
    await page.locator('wg-compare tbody tr').first().waitFor();
    expect(await page.locator('wg-compare thead th').count()).toBe(3);
    await page.keyboard.press('?');
    expect(await page.locator('#keys').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await noWrongs(opened);
  });

  it('asks the other way round: what runs on this GPU', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    await page.getByRole('button', { name: 'I have this GPU' }).click();
    await expect.poll(() => sentence(page)).toMatch(/RTX 4090 runs \d+ of \d+ models/);
    expect(await page.locator('tr[data-key]').count()).toBeGreaterThan(100);
    await page.locator('.row-open').first().click();
    await page.locator('.detail-row h4').first().waitFor();
    await noWrongs(opened);
  });

  it.each(['serving', 'rag', 'finetune', 'pretrain', 'vision-inference', 'vision-training', 'image-generation', 'hpc'])('answers the workload %s', async (workload) => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    const names: Readonly<Record<string, string>> = { serving: 'Serve', rag: 'RAG', finetune: 'Fine-tune', pretrain: 'Pretrain', 'vision-inference': 'Vision', 'vision-training': 'Vision training', 'image-generation': 'Images', hpc: 'HPC' };
    await page.locator('.workloads').getByRole('button', { name: names[workload] ?? '', exact: true }).click();
    await expect.poll(() => page.url()).toContain(`w=${workload}`);
    await expect.poll(() => page.locator(`table.w-${workload} td.with-bar .number`).count()).toBeGreaterThan(3);
    expect(await page.getByRole('alert').count()).toBe(0);
    await noWrongs(opened);
  });

  it('speaks Spanish and remembers it', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    await page.locator('.settings summary').click();
    await page.getByLabel('Language').selectOption('es');
    await expect.poll(() => sentence(page)).toMatch(/cabe en \d+ de \d+ GPU/);
    expect(await page.locator('html').getAttribute('lang')).toBe('es');
    await page.reload();
    await answered(page);
    expect(await sentence(page)).toMatch(/cabe en/);
    await noWrongs(opened);
  });

  it('shifts nothing while it loads', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    await page.waitForTimeout(300);
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let total = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[]) total += entry.value;
          }).observe({ type: 'layout-shift', buffered: true });
          setTimeout(() => resolve(total), 100);
        }),
    );
    expect(shift).toBeLessThan(0.001);
    await noWrongs(opened);
  });
});
