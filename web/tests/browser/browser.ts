import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject } from 'vitest';

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** A page of the built site that remembers what went wrong in it. */
export interface Opened {
  readonly page: Page;
  /** Console errors, failed scripts and requests to other hosts; every flow ends by expecting none. */
  readonly wrongs: readonly string[];
}

export const site = (path = ''): string => inject('site') + path;

/** `more` gives further flags of Chromium when it starts. */
export function useBrowser(more: () => readonly string[] | Promise<readonly string[]> = () => []): (path?: string, options?: BrowserContextOptions) => Promise<Opened> {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: [...flags, ...(await more())] });
  });
  afterAll(() => browser.close());
  return async (path = '', options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(90_000); // a busy machine is slow, not wrong
    const page = await context.newPage();
    const wrongs: string[] = [];
    const origin = new URL(site()).origin;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') wrongs.push(`console: ${message.text()}`);
    });
    page.on('pageerror', (error) => wrongs.push(`script: ${error.message}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(origin) && !url.startsWith('data:') && !url.startsWith('blob:')) wrongs.push(`request to another host: ${url}`);
    });
    await page.goto(site(path));
    return { page, wrongs };
  };
}

/** Waits until the table shows an answer. */
export async function answered(page: Page): Promise<void> {
  await page.locator('tr[data-key]').first().waitFor();
}

export async function sentence(page: Page): Promise<string> {
  return (await page.locator('.sentence').innerText()).replaceAll('\u2060', '').replaceAll(/\s+/g, ' ');
}

export async function noWrongs({ page, wrongs }: Opened): Promise<void> {
  await page.context().close();
  expect(wrongs).toEqual([]);
}
