import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { answered, noWrongs, sentence, site, useBrowser } from './browser.js';

const open = useBrowser();
const quiet: BrowserContextOptions = { serviceWorkers: 'block' }; // what it fetches would pass the routes by

/** A page that is on its way: `prepare` stands between it and what it asks for. Its console errors are the fault itself. */
async function openWith(prepare: (page: Page) => Promise<unknown>, path = ''): Promise<Page> {
  const { page } = await open('icon.svg', quiet);
  await prepare(page);
  await page.goto(site(path));
  return page;
}

const asset = (name: string) => new RegExp(`/assets/${name}-[^/]*$`);
const alert = (page: Page) => page.getByRole('alert');

/** The kind sentence is there, the question is kept, and once the fault is over trying again answers. */
async function saysAndRecovers(page: Page, words: RegExp): Promise<void> {
  await expect.poll(() => alert(page).innerText()).toMatch(words);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await answered(page);
  expect(await sentence(page)).toContain('Qwen2.5 7B');
  await page.context().close();
}
const question = '?v=1&m=qwen2.5-7b';

it('says that WebAssembly is blocked, and where to read on', async () => {
  const page = await openWith(async (page) => {
    await page.route(site(question), async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(" 'wasm-unsafe-eval'", '') });
    });
    await page.route(asset('worker'), async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'content-security-policy': "script-src 'self'" } });
    });
  }, question);
  await expect.poll(() => alert(page).innerText()).toMatch(/does not let WebAssembly run/);
  expect(await alert(page).getByRole('link', { name: 'GPUs' }).getAttribute('href')).toBe('gpus/');
  await saysAndRecovers(page, /WebAssembly/);
});

it.each<[string, string, RegExp, (route: Route) => Promise<void>]>([
  ['the module is not there', 'whichgpu', /does not let WebAssembly run, or its file did not arrive/, (route) => route.fulfill({ status: 404, body: '' })],
  ['the catalog is not there', 'catalog', /data did not arrive/, (route) => route.fulfill({ status: 404, body: '' })],
  ['the network drops', 'catalog', /data did not arrive/, (route) => route.abort()],
  ['the catalog is half-written', 'catalog', /damaged or cut short/, async (route) => {
    const response = await route.fetch();
    const body = await response.text();
    await route.fulfill({ response, body: body.slice(0, body.length / 2) });
  }],
  ['a login page answers for the catalog', 'catalog', /damaged or cut short/, (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<!doctype html><p>Please sign in' })],
  ['the catalog is of another version', 'catalog', /different versions/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replaceAll('"id":', '"key":') });
  }],
])('is kind when %s', async (_name, file, words, answer) => {
  const page = await openWith((page) => page.route(file === 'whichgpu' ? /\/assets\/whichgpu-[^/]*\.wasm$/ : asset(file), answer), question);
  await saysAndRecovers(page, words);
});

it('waits on a slow network, and says what it waits for', async () => {
  const page = await openWith((page) => page.route(asset('catalog'), async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 14_000)); // longer than a worker that has started may be silent
    await route.continue();
  }), question);
  await expect.poll(() => page.locator('main').innerText()).toContain('Loading the data');
  await answered(page);
  expect(await alert(page).count()).toBe(0);
  await page.context().close();
});

it('notices a worker that was ended, and goes on from the address', async () => {
  const page = await openWith(async () => undefined, question);
  await answered(page);
  await page.workers()[0]?.evaluate(() => close());
  await page.getByLabel('Context', { exact: true }).fill('4096');
  await page.keyboard.press('Enter');
  await saysAndRecovers(page, /calculation stopped/);
}, 60_000);

it('tells a tab of an older version that a part is no longer there, and keeps its answer', async () => {
  const page = await openWith(async () => undefined, question);
  await answered(page);
  await page.route(asset('plots'), (route) => route.fulfill({ status: 404, body: '' })); // what a new deployment leaves of an old one
  await page.getByRole('button', { name: 'Show the plots' }).click();
  await expect.poll(() => alert(page).innerText()).toMatch(/newer version/);
  await answered(page);
  await saysAndRecovers(page, /address/);
});

it('keeps two tabs of different versions apart, each with its own files', async () => {
  const opened = await open();
  const { page } = opened;
  await answered(page);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  // Another tab brings the next version's worker, with another name of its cache.
  const other = await page.context().newPage();
  await other.goto(site());
  await answered(other);
  await other.evaluate(() => navigator.serviceWorker.register('./sw.js?next').then(() => undefined));
  await expect.poll(() => other.evaluate(() => caches.keys().then((names) => names.length))).toBe(2);
  for (const tab of [page, other]) {
    await tab.getByLabel('Context', { exact: true }).fill('4096');
    await tab.keyboard.press('Enter');
    await expect.poll(() => sentence(tab)).toContain('at 4K context');
  }
  await noWrongs(opened);
});

it('works with storage denied, and with storage full', async () => {
  for (const denied of [true, false]) {
    const { page } = await open('icon.svg', quiet);
    const wrongs: string[] = [];
    page.on('pageerror', (error) => wrongs.push(error.message));
    await page.addInitScript((all) => {
      const refuse = (): never => { throw new DOMException('no', all ? 'SecurityError' : 'QuotaExceededError'); };
      if (all) Object.defineProperty(window, 'localStorage', { get: refuse });
      else Storage.prototype.setItem = refuse;
    }, denied);
    await page.goto(site());
    await answered(page);
    await page.locator('details.settings summary').click();
    await page.getByLabel('Theme').selectOption('dark');
    await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    await page.context().close();
    expect(wrongs).toEqual([]);
  }
});

it('answers the same whatever the clock says', async () => {
  const answers: string[] = [];
  for (const year of [1990, 2026, 2090]) {
    const { page } = await open('icon.svg', quiet);
    await page.clock.setFixedTime(new Date(`${year}-01-01T00:00:00Z`));
    await page.goto(site());
    await answered(page);
    answers.push(await page.locator('main').innerText());
    await page.context().close();
  }
  expect(answers[1]).toBe(answers[0]);
  expect(answers[2]).toBe(answers[0]);
});

it('is as it was left when a tab is restored after a month', async () => {
  const opened = await open();
  const { page } = opened;
  await answered(page);
  await page.getByLabel('Context', { exact: true }).fill('4096');
  await page.keyboard.press('Enter');
  await expect.poll(() => sentence(page)).toContain('at 4K context');
  await page.locator('tr[data-key] .row-open').first().click();
  await page.locator('[id^=detail-]').first().waitFor();
  const address = page.url();
  const before = await sentence(page);
  // The browser keeps the address and the storage, and loses the page; the network is away when it comes back.
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.reload();
  await answered(page);
  const later = await page.context().newPage();
  await page.close();
  await later.clock.setFixedTime(new Date(Date.now() + 31 * 24 * 3600 * 1000));
  await later.context().setOffline(true);
  await later.goto(address);
  await answered(later);
  expect(await sentence(later)).toBe(before);
  await later.locator('[id^=detail-]').first().waitFor();
  expect(await later.locator('footer').innerText()).toMatch(/20\d\d-\d\d-\d\d/); // whose data these are
  await noWrongs(opened);
});
