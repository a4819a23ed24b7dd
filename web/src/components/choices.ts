import type { Scenario, Workload } from '../generated/contract.js';
import type { CatalogIndex } from '../engine/protocol.js';
import { number, parameters, tokens } from '../format.js';
import { t, word } from '../i18n/index.js';
import { suits } from '../state/scenario.js';
import { lookup, weightsName } from './names.js';
import type { Choice } from './picker.js';

/** Models that people ask for first; the rest follow by date. */
const wellKnown = ['llama-3.1-8b', 'llama-3.1-70b', 'llama-3.3-70b', 'qwen3-8b', 'qwen3-32b', 'qwen3-30b-a3b', 'gpt-oss-20b', 'gpt-oss-120b', 'gemma-3-27b', 'mistral-7b', 'mixtral-8x7b', 'deepseek-v3', 'sdxl-1.0', 'flux.1-dev', 'resnet-50'];

export function modelChoices(index: CatalogIndex, workload: Workload | null): readonly Choice[] {
  const order = new Map(wellKnown.map((id, at) => [id, at]));
  return index.models
    .filter((model) => workload === null || suits(model, workload))
    .map((model) => ({ model, at: order.get(model.id) ?? wellKnown.length }))
    .sort((a, b) => a.at - b.at || (b.model.release ?? '').localeCompare(a.model.release ?? '') || a.model.name.localeCompare(b.model.name))
    .map(({ model }) => ({
      id: model.id,
      label: model.name,
      detail: [
        model.params === null ? '' : parameters(model.params) + (model.paramsActive !== null && model.paramsActive < 0.9 * model.params ? ` (${parameters(model.paramsActive)})` : ''),
        model.organization,
        model.release ?? '',
      ]
        .filter((part) => part !== '')
        .join(' · '),
      aliases: model.aliases,
    }));
}

export function gpuChoices(index: CatalogIndex): readonly Choice[] {
  return [...index.gpus]
    .sort((a, b) => (b.year ?? 0) - (a.year ?? 0) || a.name.localeCompare(b.name))
    .map((gpu) => ({
      id: gpu.id,
      label: gpu.name,
      detail: [gpu.memoryGb === null ? '' : `${number(gpu.memoryGb)} GB`, gpu.vendor, gpu.year === null ? '' : String(gpu.year)].filter((part) => part !== '').join(' · '),
      aliases: gpu.aliases,
    }));
}

const familyOrder = ['gguf', 'plain', 'fp8', 'awq', 'gptq', 'bnb', 'int8', 'nvfp4', 'mxfp4', 'exl2', 'mlx'];

export function weightsChoices(index: CatalogIndex, engine: string | null): readonly Choice[] {
  const formats = engine === null ? undefined : index.engines.find((entry) => entry.id === engine)?.formats;
  const rank = (family: string) => (familyOrder.includes(family) ? familyOrder.indexOf(family) : familyOrder.length);
  return index.quants
    .map((quant, at) => ({ quant, at, own: !formats || formats.length === 0 || formats.includes(quant.family) }))
    .sort((a, b) => Number(b.own) - Number(a.own) || rank(a.quant.family) - rank(b.quant.family) || a.at - b.at)
    .map(({ quant }) => ({
      id: quant.id,
      label: weightsName(index, quant.id),
      detail: quant.bits === null ? quant.family : `${number(quant.bits)} bit · ${quant.family}`,
      aliases: [quant.id],
    }));
}

export const contextChoices = (index: CatalogIndex, scenario: Scenario): readonly Choice[] => {
  const max = scenario.model ? lookup(index).models.get(scenario.model)?.maxContext : null;
  const steps = [1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 1048576].filter((step) => !max || step <= max);
  if (max && !steps.includes(max)) steps.push(max);
  return steps.map((step) => ({ id: String(step), label: tokens(step), detail: `${number(step)} ${t('unit.tokens')}`, aliases: [String(step)] }));
};

export const workloadChoices = (list: readonly Workload[]): readonly Choice[] => list.map((id) => ({ id, label: word('workload', id) }));

export function allChoices(index: CatalogIndex): readonly Choice[] {
  return [
    ...modelChoices(index, null).map((choice) => ({ ...choice, id: `model:${choice.id}`, group: t('picker.groupModels') })),
    ...gpuChoices(index).map((choice) => ({ ...choice, id: `gpu:${choice.id}`, group: t('picker.groupGpus') })),
  ];
}
