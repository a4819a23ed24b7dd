import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { answered, useBrowser } from './browser.js';

const open = useBrowser();
const config = await readFile(new URL('../../../tests/core/import/configs/qwen3-30b-a3b.json', import.meta.url), 'utf8');

it('brings a model from the Hub when asked, and says why when it cannot', async () => {
  const { page, wrongs } = await open();
  let asked = 0;
  await page.route('https://huggingface.co/**', async (route) => {
    asked += 1;
    const url = route.request().url();
    const headers = { 'access-control-allow-origin': '*' };
    if (url.includes('/gated/')) await route.fulfill({ status: 401, headers, body: '' });
    else if (url.includes('/missing/')) await route.fulfill({ status: 404, headers, body: '' });
    else if (url.includes('/cut/')) await route.fulfill({ status: 200, headers, body: config.slice(0, 100) });
    else if (url.includes('/offline/')) await route.abort();
    else await route.fulfill({ status: 200, headers, contentType: 'application/json', body: config });
  });
  await answered(page);
  await page.getByText('Bring your own model').click();
  const name = page.locator('#bring-repo');
  const fetchIt = async (text: string) => {
    await name.fill(text);
    await page.getByRole('button', { name: 'Fetch', exact: true }).click();
  };
  const problem = page.locator('.bring .problem');
  for (const [text, message] of [
    ['gated/model', /asks for a login/],
    ['missing/model', /is not on the Hub/],
    ['cut/model', /is not JSON/],
    ['offline/model', /could not be reached/],
    ['not a name', /is no name on the Hub/],
  ] as const) {
    await fetchIt(text);
    await expect.poll(() => problem.innerText()).toMatch(message);
  }
  expect(asked).toBe(4);
  await fetchIt('https://huggingface.co/some/Own-Model/tree/main');
  await expect.poll(() => page.locator('.bring [role=status]').innerText()).toContain('30.5B weights, 3.35B of them active');
  await expect.poll(() => page.locator('.sentence').innerText()).toContain('Own-Model');
  expect(await page.locator('tr[data-key][data-verdict="fits"]').count()).toBeGreaterThan(20);
  // The link holds the model, so that a teammate sees the same.
  await page.reload();
  await answered(page);
  await expect.poll(() => page.locator('.sentence').innerText()).toContain('Own-Model');
  // Chromium reports what the Hub refused; nothing else went wrong.
  expect(wrongs.filter((text) => !/huggingface\.co|Failed to load resource|net::ERR_FAILED/.test(text))).toEqual([]);
});

it('takes a pasted configuration and names what is wrong with rubbish', async () => {
  const { page } = await open();
  await answered(page);
  await page.getByText('Bring your own model').click();
  const paste = page.locator('#bring-text');
  await paste.fill('{"hidden_size": 64}');
  await paste.blur();
  await expect.poll(() => page.locator('.bring .problem').innerText()).toContain('num_hidden_layers');
  await paste.fill(config);
  await paste.blur();
  await expect.poll(() => page.locator('.sentence').innerText()).toContain('Pasted model');
});
