import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { site, useBrowser } from './browser.js';

const open = useBrowser();
const widget = '<which-gpu scenario="v=1&amp;m=llama-3.1-8b&amp;g=nvidia-rtx-4090"></which-gpu>';
const tag = () => `<script type="module" src="${site('which-gpu.js')}"></script>`;

/** Hosts on an origin of their own, each hostile in its own way. */
const hosts: Readonly<Record<string, () => { readonly html: string; readonly policy?: string }>> = {
  reset: () => ({
    html: `<!doctype html><html><head><style>* { all: unset !important; display: block !important; color: red !important } table, p, b { font-size: 3px !important; text-transform: uppercase !important }</style>${tag()}</head><body>${widget}<p id="own">mine</p></body></html>`,
  }),
  dark: () => ({ html: `<!doctype html><html style="color-scheme: dark; background: #000"><head>${tag()}</head><body><div style="width: 260px">${widget.replace('<which-gpu', '<which-gpu theme="dark" view="table"')}</div></body></html>` }),
  strict: () => ({ html: `<!doctype html><html><head>${tag()}</head><body>${widget}</body></html>`, policy: `default-src 'none'; script-src ${new URL(site()).origin} 'wasm-unsafe-eval'; connect-src ${new URL(site()).origin}; style-src 'none'` }),
  forbidding: () => ({ html: `<!doctype html><html><head>${tag()}</head><body>${widget}</body></html>`, policy: `default-src 'none'; script-src ${new URL(site()).origin}; connect-src ${new URL(site()).origin}; frame-src ${new URL(site()).origin}` }),
};

describe('the widget in other people’s pages', () => {
  let server: Server;
  let origin = '';
  beforeAll(async () => {
    server = createServer((request, response) => {
      const host = hosts[(request.url ?? '/').slice(1)]?.();
      if (!host) {
        response.writeHead(404).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...(host.policy ? { 'content-security-policy': host.policy } : {}) }).end(host.html);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => void server.close());

  async function host(name: string): Promise<Page> {
    const { page } = await open('icon.svg');
    await page.goto(origin + name);
    return page;
  }
  const text = (page: Page) => page.locator('which-gpu').evaluate((element) => element.shadowRoot?.textContent?.replaceAll(/\s+/g, ' ') ?? '');

  it('answers under an aggressive reset, keeps its looks and leaves the host alone', async () => {
    const page = await host('reset');
    await expect.poll(() => text(page)).toMatch(/On RTX 4090: fits/);
    expect(await page.locator('which-gpu').evaluate((element) => getComputedStyle(element.shadowRoot?.querySelector('p') as Element).textTransform)).toBe('none');
    expect(await page.evaluate(() => [document.cookie, localStorage.length, document.styleSheets.length, document.querySelector('#own')?.textContent])).toEqual(['', 0, 1, 'mine']);
    await page.context().close();
  });

  it('fits a narrow dark column', async () => {
    const page = await host('dark');
    await expect.poll(() => text(page)).toMatch(/numbers by WhichGPU, data of 20/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect((await page.locator('which-gpu').boundingBox())?.width).toBeLessThanOrEqual(260);
    await page.context().close();
  });

  it('computes under a strict policy that allows WebAssembly', async () => {
    const page = await host('strict');
    await expect.poll(() => text(page)).toMatch(/On RTX 4090: fits/);
    await page.context().close();
  });

  it('falls back to a frame where WebAssembly is forbidden', async () => {
    const page = await host('forbidding');
    await page.frameLocator('which-gpu iframe').locator('which-gpu .foot').waitFor();
    await expect.poll(() => page.frameLocator('which-gpu iframe').locator('which-gpu').evaluate((element) => element.shadowRoot?.textContent ?? '')).toContain('RTX 4090');
    await page.context().close();
  });

  it('is made by a page that shows what it will be', async () => {
    const { page, wrongs } = await open('embed/');
    await expect.poll(() => text(page)).toMatch(/On RTX 4090/);
    await page.getByLabel('View').selectOption('compare');
    await expect.poll(() => page.locator('#html').innerText()).toContain('view="compare" gpus="nvidia-rtx-4090,nvidia-rtx-a6000"');
    await expect.poll(() => text(page)).toMatch(/RTX 4090[\s\S]*RTX A6000/);
    await page.context().close();
    expect(wrongs).toEqual([]);
  });
});
