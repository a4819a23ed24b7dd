import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answered, useBrowser } from './browser.js';
import { playHub, type Hub } from './hub.js';
import { llamaGguf, safetensors } from './weights.js';

const model = llamaGguf();
const first = llamaGguf(Array.from({ length: 16 }, (_, i) => i), { no: 0, count: 2 });
const second = llamaGguf(Array.from({ length: 16 }, (_, i) => i + 16), { no: 1, count: 2 });
const config = await readFile(new URL('../../../tests/core/import/configs/qwen3-30b-a3b.json', import.meta.url));
const shard = safetensors(new Map([['model.embed_tokens.weight', [151936, 2048]]]));
const index = Buffer.from(JSON.stringify({ metadata: { total_size: 61_064_245_248 }, weight_map: { 'model.embed_tokens.weight': 'model-00001-of-00016.safetensors', 'lm_head.weight': 'model-00016-of-00016.safetensors' } }));
const small = (bytes: Buffer) => ({ head: bytes, size: bytes.length });

let hub: Hub;
beforeAll(async () => {
  hub = await playHub(
    new Map([
      ['llama-Q4_K_M.gguf', model],
      ['llama-00001-of-00002.gguf', first],
      ['llama-00002-of-00002.gguf', second],
      ['model-00001-of-00016.safetensors', shard],
      ['model.safetensors.index.json', small(index)],
      ['config.json', small(config)],
      ['broken.gguf', small(model.head.subarray(0, 5000))],
    ]),
  );
});
afterAll(() => hub.close());
const open = useBrowser(() => [`--host-resolver-rules=MAP huggingface.co 127.0.0.1:${hub.port}`]);

async function openDoor(): Promise<{ page: Page; ask: (path: string) => Promise<void>; problem: () => Promise<string>; status: () => Promise<string> }> {
  const { page } = await open('', { ignoreHTTPSErrors: true });
  await answered(page);
  await page.getByText('Bring your own model').click();
  const name = page.locator('#bring-repo');
  return {
    page,
    ask: async (text) => {
      await name.fill(text);
      await page.getByRole('button', { name: 'Fetch', exact: true }).click();
    },
    problem: () => page.locator('.bring .problem').innerText({ timeout: 25_000 }),
    status: () => page.locator('.bring [role=status]').innerText({ timeout: 25_000 }),
  };
}

/** What the file's tensors take: 8,030,261,248 weights at 144 bytes for 256, but 266,240 of them (norms) at 4 bytes. */
const stored = '4.52 GB';

it('reads the header of a GGUF file on the Hub by range requests, and asks about it', async () => {
  const { page, ask, status } = await openDoor();
  hub.sent = 0;
  await ask('https://huggingface.co/good/Llama-GGUF/blob/main/llama-Q4_K_M.gguf?download=true');
  await expect.poll(status).toContain('8.03B weights');
  expect(await status()).toContain(`The tensors take ${stored} in the file`);
  expect(await status()).toContain('The vocabulary has 128,256 tokens');
  await expect.poll(() => page.locator('.sentence').innerText()).toContain('Dropped Llama');
  const ranges = hub.asked.filter(({ path }) => path.endsWith('llama-Q4_K_M.gguf')).map(({ range }) => range);
  expect(ranges.length).toBeGreaterThan(1);
  expect(ranges[0]).toBe('bytes=0-1048575');
  expect(hub.sent).toBeLessThan(2.5 * model.head.length);
});

it('fetches the other parts of a split file', async () => {
  const { ask, status } = await openDoor();
  await ask('https://huggingface.co/good/Llama-GGUF/resolve/main/llama-00001-of-00002.gguf');
  await expect.poll(status).toContain('8.03B weights');
  expect(await status()).toContain(`The tensors take ${stored} in the file`);
});

it('takes the configuration and the index beside a shard of safetensors', async () => {
  const { ask, status } = await openDoor();
  await ask('https://huggingface.co/good/Qwen/blob/main/model-00001-of-00016.safetensors');
  await expect.poll(status).toContain('30.5B weights, 3.35B of them active');
  expect(await status()).toContain('Asked about as bf16');
});

it('gets along with a host that sends whole files, and declines the rest', async () => {
  const { ask, status } = await openDoor();
  hub.sent = 0;
  await ask('https://huggingface.co/whole/Llama-GGUF/resolve/main/llama-Q4_K_M.gguf');
  await expect.poll(status).toContain('8.03B weights');
  expect(await status()).toContain('does not send parts of files');
  expect(hub.sent).toBeLessThan(200e6);
});

it.each([
  ['gated/Llama/resolve/main/llama-Q4_K_M.gguf', /asks for a login/],
  ['busy/Llama/resolve/main/llama-Q4_K_M.gguf', /asks for patience \(HTTP 429\)/],
  ['good/Llama/resolve/main/absent.gguf', /absent\.gguf is not there \(404\)/],
  ['cut/Llama/resolve/main/llama-Q4_K_M.gguf', /broke off after .*B/],
  ['slow/Llama/resolve/main/llama-Q4_K_M.gguf', /sent nothing for 10 seconds/],
  ['good/Llama/resolve/main/broken.gguf', /broken\.gguf: byte \d+: expected .* but the file ends at byte 5000/],
])('says what is wrong with %s', async (path, message) => {
  const { ask, problem } = await openDoor();
  await ask(`https://huggingface.co/${path}`);
  await expect.poll(problem).toMatch(message);
});

it('asks no other host', async () => {
  const { ask, problem } = await openDoor();
  await ask('https://example.org/llama.gguf');
  await expect.poll(problem).toContain('Download the file from example.org');
});

it('reads chosen and dropped files, of which nothing leaves the browser', async () => {
  const { page, status, problem } = await openDoor();
  const before = hub.asked.length;
  // The data behind the headers is what makes files large; a shard of 8 KB stands for them here.
  const tiny = safetensors(new Map([['base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight', [8, 256]], ['base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight', [256, 8]]]));
  const whole = Buffer.concat([tiny.head, Buffer.alloc(tiny.size - tiny.head.length)]);
  await page.locator('#bring-file').setInputFiles({ name: 'adapter_model.safetensors', mimeType: '', buffer: whole });
  await expect.poll(status).toContain('A low-rank adapter of rank 8 for q_proj: 8.19 kB');
  await page.locator('#bring-file').setInputFiles({ name: 'llama.gguf', mimeType: '', buffer: model.head });
  await expect.poll(problem).toContain('but the file ends after');
  // Dropped, with a size that its data would have: the header is all that is read of it.
  const [head, size] = [model.head.toString('base64'), model.size];
  await page.evaluate(
    ([base64, bytes]) => {
      const start = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      class Large extends File {
        override get size(): number {
          return bytes;
        }
      }
      const transfer = { files: [new Large([start], 'llama.gguf')] };
      const event = new Event('drop', { bubbles: true, cancelable: true });
      Object.defineProperty(event, 'dataTransfer', { value: transfer });
      document.querySelector('.bring')!.dispatchEvent(event);
    },
    [head, size] as const,
  );
  await expect.poll(status).toContain('8.03B weights');
  await expect.poll(() => page.locator('.sentence').innerText()).toContain('Dropped Llama');
  expect(hub.asked.length).toBe(before);
});

it('takes a pasted Ollama manifest', async () => {
  const { page, status } = await openDoor();
  const digest = `sha256:${'a'.repeat(64)}`;
  await page.locator('#bring-text').fill(JSON.stringify({ schemaVersion: 2, layers: [{ mediaType: 'application/vnd.ollama.image.model', digest, size: 4_661_211_808 }] }));
  await page.locator('#bring-text').blur();
  await expect.poll(status).toContain('An Ollama manifest: model 4.66 GB');
});
