import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { answered, noWrongs, useBrowser } from './browser.js';

const open = useBrowser();
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** WCAG 2.2 AA by axe; rows after the thirtieth are built as those before and only take time. The script comes in by evaluation, which the page's own policy does not bind. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    const runner = (window as unknown as { axe: { run(context: object, options: object): Promise<{ violations: Violation[] }> } }).axe;
    return (await runner.run({ exclude: [['tr[data-key]:nth-of-type(n + 30)']] }, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })).violations;
  });
  return found.flatMap((violation) => violation.nodes.slice(0, 3).map((node) => `${violation.id}: ${node.target.join(' ')} ${node.failureSummary}`));
}

const views = [
  ['the table', ''],
  ['open details', '#open=nvidia-rtx-4090'],
  ['a comparison', '#compare=nvidia-rtx-4090,nvidia-rtx-a6000&view=compare'],
  ['the plots', '#plots=1'],
  ['rent or own', '#own=1'],
] as const;

describe('axe finds nothing', () => {
  for (const [name, path] of views) {
    for (const colorScheme of ['light', 'dark'] as const) {
      it(`in ${name}, ${colorScheme}`, async () => {
        const opened = await open(path, { colorScheme });
        await answered(opened.page);
        await opened.page.waitForTimeout(300);
        expect(await violations(opened.page)).toEqual([]);
        await noWrongs(opened);
      });
    }
  }

  it('on a phone, with the question open', async () => {
    const opened = await open('', { viewport: { width: 360, height: 740 }, hasTouch: true });
    await answered(opened.page);
    expect(await violations(opened.page)).toEqual([]);
    await opened.page.getByRole('button', { name: 'Change the question' }).click();
    await opened.page.waitForTimeout(300);
    expect(await violations(opened.page)).toEqual([]);
    await noWrongs(opened);
  });

  it('in the list to pick from', async () => {
    const opened = await open();
    await answered(opened.page);
    await opened.page.keyboard.press('/');
    await opened.page.locator('#picker-list [role=option]').first().waitFor();
    expect(await violations(opened.page)).toEqual([]);
    await noWrongs(opened);
  });
});

describe('narrow screens', () => {
  for (const width of [320, 360, 768, 1024]) {
    for (const path of ['', '#open=nvidia-rtx-4090', '#compare=nvidia-rtx-4090,nvidia-rtx-a6000&view=compare&plots=1', '#own=1']) {
      it(`nothing scrolls sideways at ${width} px, ${path || 'table'}`, async () => {
        const opened = await open(path, { viewport: { width, height: 740 } });
        await answered(opened.page);
        await opened.page.waitForTimeout(200);
        expect(await opened.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBeLessThanOrEqual(0);
        await noWrongs(opened);
      });
    }
  }

  it('a phone changes the question in the sheet and reads the answer in cards', async () => {
    const opened = await open('', { viewport: { width: 360, height: 740 }, hasTouch: true });
    const { page } = opened;
    await answered(page);
    await page.getByRole('button', { name: 'Change the question' }).click();
    await page.getByLabel('Context', { exact: true }).fill('2048');
    await page.getByRole('button', { name: 'Show the answer' }).click();
    await expect.poll(() => page.locator('.sentence').innerText()).toContain('2K');
    const row = page.locator('tr[data-key]').first();
    expect(await row.getAttribute('role')).toBe('row');
    expect((await row.boundingBox())?.width ?? 999).toBeLessThanOrEqual(360);
    await noWrongs(opened);
  });
});
