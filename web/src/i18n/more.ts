import { currentLanguage } from './index.js';

/** Words of the commands and of the reasons to choose a GPU, fetched with those views. */
const en = {
  loading: 'Writing the commands…',
  none: 'No program’s command line is known for this question.',
  failed: 'The commands could not be written: {reason}',
  copy: 'Copy',
  copied: 'Copied',
  copyOf: 'Copy the commands for {engine}',
  chooseWhen: 'Choose {name} when',
  nothing: 'Nothing here speaks for it.',
  chooseLead: 'Across the usual workloads, at the prices of {date}; your question is only one of them.',
  only: '{what}: the only one that runs it',
  faster: '{what}: {times} × the speed of the next',
  cheaper: '{what}: the next costs {times} × as much for the same work',
  from: '{what}, {by}: from {limit} {axis} on',
  below: '{what}, {by}: below {limit} {axis}',
  between: '{what}, {by}: from {limit} to {to} {axis}',
  workloads: {
    'chat-small': 'Chat, small model', 'chat-large': 'Chat, large model', serving: 'Serving 32 users', rag: 'RAG', finetune: 'Fine-tuning', pretrain: 'Pretraining', 'cnn-training': 'CNN training',
    'image-generation': 'Image generation', hpc: 'HPC', 'multi-gpu': 'Several GPUs', ownership: 'Owning',
  },
  axes: { prompt_tokens: 'prompt tokens', concurrency: 'requests at once', model_parameters: 'parameters', hours_per_month: 'hours a month' },
  by: { speed: 'by speed', cost: 'by cost' },
  notes: {
    'model-name': 'The catalog knows no name of this model on the Hub: put its name or folder in place of MODEL.',
    'draft-name': 'The catalog knows no name of the draft model on the Hub: put its name or folder in place of DRAFT.',
    'mixed-box': 'The cards differ; their order is that of the driver.',
    'does-not-fit': 'By the estimate this does not run here: it is not known to fit.',
    'gguf-file': 'Needs a GGUF file of this model in this format; its name here is the usual one.',
    'cache-format': 'This program has no cache format of this name, or takes it elsewhere: see its documentation.',
    'ollama-gpus': 'Ollama spreads layers over as many cards as it finds needed.',
    checkpoint: 'Needs a checkpoint of this model in this format: put its name in place of the model’s.',
    'several-nodes': 'On several nodes each program wants its own way of joining them, as its documentation says.',
    'draft-length': 'How many tokens to draft is not part of the estimate; its gain is that of the measured runs.',
    'no-offload': 'This engine has no option that keeps weights in host memory.',
    copies: 'Start one for each copy of the model, each on its own GPUs.',
    'draft-config': 'The draft model goes into the options file, under speculative_config.',
    tabby: 'config.yml of TabbyAPI, the server for this engine.',
    'data-set': 'DATASET (and TOKENIZER) stand for your own data.',
    degrees: 'The plan splits layers over several GPUs in a way that this program does not do by itself.',
    selective: 'Selective recomputation has no switch here: off is the nearest.',
    offload: 'The plan keeps optimizer states in host memory: the sharding configuration must say so too.',
    fp8: '8-bit arithmetic is switched on in the accelerate configuration (mixed_precision: fp8).',
    optimizer: 'This program has no optimizer of this name.',
    recipe: 'CONFIG is the model’s configuration, as tune ls lists it.',
    'always-sharded': 'torchtune always shards everything (as ZeRO-3 does), unlike the plan.',
  },
};

const es: typeof en = {
  loading: 'Escribiendo los comandos…',
  none: 'No se conoce la línea de comandos de ningún programa para esta pregunta.',
  failed: 'No se pudieron escribir los comandos: {reason}',
  copy: 'Copiar',
  copied: 'Copiado',
  copyOf: 'Copiar los comandos de {engine}',
  chooseWhen: 'Elige {name} cuando',
  nothing: 'Nada aquí habla en su favor.',
  chooseLead: 'En los usos habituales, a los precios del {date}; tu pregunta es solo uno de ellos.',
  only: '{what}: es la única que puede',
  faster: '{what}: {times} × la velocidad de la siguiente',
  cheaper: '{what}: la siguiente cuesta {times} × por el mismo trabajo',
  from: '{what}, {by}: desde {limit} {axis}',
  below: '{what}, {by}: por debajo de {limit} {axis}',
  between: '{what}, {by}: de {limit} a {to} {axis}',
  workloads: {
    'chat-small': 'Chat, modelo pequeño', 'chat-large': 'Chat, modelo grande', serving: 'Servir a 32 usuarios', rag: 'RAG', finetune: 'Ajuste fino', pretrain: 'Preentrenamiento', 'cnn-training': 'Entrenar CNN',
    'image-generation': 'Generar imágenes', hpc: 'HPC', 'multi-gpu': 'Varias GPU', ownership: 'En propiedad',
  },
  axes: { prompt_tokens: 'tokens de entrada', concurrency: 'peticiones a la vez', model_parameters: 'parámetros', hours_per_month: 'horas al mes' },
  by: { speed: 'por velocidad', cost: 'por coste' },
  notes: {
    'model-name': 'El catálogo no conoce el nombre de este modelo en el Hub: pon su nombre o carpeta en lugar de MODEL.',
    'draft-name': 'El catálogo no conoce el nombre del modelo borrador en el Hub: pon su nombre o carpeta en lugar de DRAFT.',
    'mixed-box': 'Las tarjetas son distintas; su orden es el del controlador.',
    'does-not-fit': 'Según la estimación esto no funciona aquí: no consta que quepa.',
    'gguf-file': 'Hace falta un fichero GGUF de este modelo en este formato; el nombre aquí es el habitual.',
    'cache-format': 'Este programa no tiene un formato de caché con ese nombre, o lo pide en otro sitio: mira su documentación.',
    'ollama-gpus': 'Ollama reparte las capas entre las tarjetas que considera necesarias.',
    checkpoint: 'Hace falta una versión de este modelo en este formato: pon su nombre en lugar del nombre del modelo.',
    'several-nodes': 'En varios nodos cada programa los une a su manera, como dice su documentación.',
    'draft-length': 'Cuántos tokens adelantar no es parte de la estimación; la ganancia es la de las ejecuciones medidas.',
    'no-offload': 'Este programa no tiene opción para dejar pesos en la memoria del equipo.',
    copies: 'Arranca uno por cada copia del modelo, cada uno en sus propias GPU.',
    'draft-config': 'El modelo borrador va en el fichero de opciones, en speculative_config.',
    tabby: 'config.yml de TabbyAPI, el servidor para este motor.',
    'data-set': 'DATASET (y TOKENIZER) representan tus propios datos.',
    degrees: 'El plan reparte capas entre varias GPU de un modo que este programa no hace por sí mismo.',
    selective: 'El recálculo selectivo no tiene opción aquí: desactivado es lo más parecido.',
    offload: 'El plan deja los estados del optimizador en la memoria del equipo: la configuración de fragmentación debe decirlo también.',
    fp8: 'La aritmética de 8 bits se activa en la configuración de accelerate (mixed_precision: fp8).',
    optimizer: 'Este programa no tiene un optimizador con ese nombre.',
    recipe: 'CONFIG es la configuración del modelo, tal como la lista tune ls.',
    'always-sharded': 'torchtune siempre lo fragmenta todo (como ZeRO-3), a diferencia del plan.',
  },
};

export const moreTexts = { en, es };
export type MoreKey = { [K in keyof typeof en]: (typeof en)[K] extends string ? K : never }[keyof typeof en];

export const moreText = (key: MoreKey, values: Readonly<Record<string, string | number>> = {}): string =>
  moreTexts[currentLanguage()][key].replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));

/** A word of one of the groups; null where the core has a newer one than the page. */
export function moreWord(group: 'workloads' | 'axes' | 'by' | 'notes', key: string): string | null {
  const words: Readonly<Record<string, string>> = moreTexts[currentLanguage()][group];
  return words[key] ?? null;
}
