import { describe, expect, it } from 'vitest';
import { answered, noWrongs, useBrowser } from './browser.js';

const open = useBrowser();

describe('rent or own', () => {
  it('opens on demand, says where the lines cross, and follows what is typed', async () => {
    const opened = await open('?v=1&m=llama-3.1-8b&g=nvidia-rtx-4090');
    const { page } = opened;
    const later: string[] = [];
    page.on('request', (request) => later.push(new URL(request.url()).pathname));
    await answered(page);
    expect(later.filter((path) => /own-/.test(path))).toEqual([]);
    await page.getByRole('button', { name: 'Rent or own?' }).click();
    const view = page.locator('wg-own');
    await expect.poll(() => view.locator('h2').innerText()).toBe('Rent or own: GeForce RTX 4090');
    expect(page.url()).toContain('own=1');
    expect(later.some((path) => /own-.*\.js$/.test(path))).toBe(true);
    const lead = view.locator('.lead');
    await expect.poll(() => lead.innerText()).toContain('Electricity is left out');
    await view.getByLabel('Country').selectOption('ES');
    await expect.poll(() => lead.innerText()).toMatch(/an hour for electricity\. .+ at \$[\d.]+\/h: owning is cheaper from [\d.]+ hours a month/);
    const before = Number(/from ([\d.]+) hours/.exec(await lead.innerText())?.[1]);
    await view.getByLabel('Resale of a card').fill('1200');
    await view.getByLabel('Resale of a card').press('Tab');
    await expect.poll(async () => Number(/from ([\d.]+) hours/.exec(await lead.innerText())?.[1])).toBeLessThan(before);
    await expect.poll(() => page.url()).toMatch(/country=ES.*resale=1200/);
    // The drawing says in words what it shows, has a dot for every crossing, and stands as a table too.
    expect(await view.locator('svg').getAttribute('aria-label')).toMatch(/^What a month costs, by the hours of use\. .+owning is cheaper/);
    expect(await view.locator('circle').count()).toBeGreaterThanOrEqual(3);
    await view.getByText('The curve as a table').click();
    expect(await view.locator('figure tbody tr').count()).toBe(11);
    expect(await view.locator('section > .scroll tbody tr').count()).toBeGreaterThan(8);
    await view.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.locator('wg-own').count()).toBe(0);
    await noWrongs(opened);
  });

  it('says that nobody rents a card out, and that a price is not known', async () => {
    const opened = await open('?v=1&m=llama-3.2-1b&g=nvidia-gtx-1080#own=1', { locale: 'es' });
    await answered(opened.page);
    await expect.poll(() => opened.page.locator('wg-own .lead').innerText()).toMatch(/Tenerla cuesta|No se sabe/);
    await noWrongs(opened);
  });
});

describe('the folded choices', () => {
  it('take a price and a seller of one\'s own, limits, kinds of provider and the GPUs that one has', async () => {
    const opened = await open();
    const { page } = opened;
    await answered(page);
    await page.locator('details.more > summary').click();
    const rail = page.locator('.rail');
    const type = async (label: string, text: string) => {
      const field = rail.getByLabel(label, { exact: true });
      await field.fill(text);
      await field.press('Tab');
    };
    await type('My own price', '1.2');
    await rail.getByLabel('Currency of that price').selectOption('EUR');
    await type('Its seller', 'My colo');
    await expect.poll(() => page.url()).toContain('price=1.2&cur=EUR&seller=My%20colo');
    const price = page.locator('tr[data-key="nvidia-rtx-4090"] td.c-usd_per_hour');
    await expect.poll(() => price.innerText()).toMatch(/\$1\.[2-6]\d/); // euros at the dated rate
    await type('My own price', '');
    await rail.getByLabel('Marketplaces').check();
    await expect.poll(() => page.url()).toContain('kinds=marketplace');
    await expect.poll(() => price.innerText()).toMatch(/Vast|OpenRelay|RunPod Community|Salad/);
    await type('Only these GPUs (those I own)', 'RTX 3090, rtx 4090');
    await expect.poll(() => page.locator('.sentence').innerText()).toMatch(/RTX (3090|4090)/);
    await type('Memory left free', '12');
    await expect.poll(() => page.url()).toContain('headroom=12');
    // A name that is none is named by the core, and the field is marked.
    await type('Only these GPUs (those I own)', 'RTX 409');
    await expect.poll(() => rail.getByLabel('Only these GPUs (those I own)').getAttribute('aria-invalid')).toBe('true');
    await noWrongs(opened);
  });
});
