import { describe, expect, it } from 'vitest';
import { makeIndex } from '../../src/engine/catalog-index.js';
import { gpuChoices, modelChoices } from '../../src/components/choices.js';
import { search } from '../../src/components/picker.js';
import catalog from '../fixtures/catalog.json';

const index = makeIndex(catalog);
const first = (list: ReturnType<typeof gpuChoices>, text: string) => search(list, text)[0]?.id;

describe('search', () => {
  it.each([
    ['4090', 'nvidia-rtx-4090'],
    ['a6000', 'nvidia-rtx-a6000'],
    ['a100 80', 'nvidia-a100-sxm-80gb'],
    ['80gb a100', 'nvidia-a100-sxm-80gb'],
    ['mi300', 'amd-mi300x'],
    ['geforse 3090', 'nvidia-rtx-3090'],
  ])('finds the GPU of "%s"', (text, id) => expect(first(gpuChoices(index), text)).toBe(id));

  it.each([
    ['llama 8b', 'llama-3.1-8b'],
    ['mixtral', 'mixtral-8x7b'],
    ['mixtrl', 'mixtral-8x7b'],
    ['qwen3', 'qwen3-8b'],
  ])('finds the model of "%s"', (text, id) => expect(first(modelChoices(index, 'chat'), text)).toBe(id));

  it('offers everything for an empty text and nothing for rubbish', () => {
    expect(search(gpuChoices(index), '  ').length).toBe(catalog.gpus.length);
    expect(search(gpuChoices(index), 'zzzzqqq')).toEqual([]);
  });

  it('offers only models of the workload', () => {
    expect(modelChoices(index, 'image-generation').map((choice) => choice.id)).toEqual(['sdxl-1.0']);
    expect(modelChoices(index, 'vision-training').map((choice) => choice.id)).toEqual(['resnet-50']);
  });
});
