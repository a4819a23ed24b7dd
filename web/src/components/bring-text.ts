import { currentLanguage } from '../i18n/index.js';

/** The words of the view for one's own models, fetched with it and not with the page. */
const en = {
  repo: 'Name on the Hugging Face Hub, or the address of a .gguf or .safetensors file there',
  fetch: 'Fetch',
  paste: 'Or paste its config.json or an Ollama manifest',
  file: 'Or choose or drop the files: .gguf, .safetensors, config.json',
  pasted: 'Pasted model',
  reading: 'Reading the header: {size} so far …',
  refused: '{path}: {message}',
  failed: 'That did not work: {reason}',
  noName: '“{text}” is no name on the Hub, which has the form organization/model, and no address of a file there.',
  otherHost: 'This page fetches from huggingface.co only. Download the file from {host} and choose it here: nothing of it leaves your computer.',
  gated: '{repo} asks for a login. Open it on the Hub, copy its config.json and paste it here; or download the file and choose it.',
  missing: '{repo} is not on the Hub, or has no config.json. For a repository of GGUF files, give the address of one of them.',
  missingFile: '{file} is not there (404). Look for its exact name on the Hub.',
  busy: 'The host asks for patience (HTTP {status}). Try again in a minute.',
  slow: 'The host sent nothing for {seconds} seconds. Try again, or download the file and choose it.',
  cut: 'The connection broke off after {size}. Try again, or download the file and choose it.',
  offline: 'The Hub could not be reached. Without a network, choose the file or paste the config.json.',
  wholeSent: 'The host does not send parts of files: the beginning was read, {size}, and the rest declined.',
  found: '{total} weights, {active} of them active for a token; {cache} KiB of cache a token in 16 bits.',
  stored: 'The tensors take {size} in the file: {types}.',
  storedAs: 'Asked about as {format}, the weights take that much.',
  vocabulary: 'The vocabulary has {count} tokens.',
  adapter: 'A low-rank adapter of rank {rank} for {targets}: {size} beside the model that it belongs to.',
  projector: 'A vision projector, {size}: choose it together with the GGUF of its language model.',
  manifest: 'An Ollama manifest: {blobs}. Choose the model’s blob too, for everything else.',
  index: 'An index of shards, {size} together: choose the config.json too.',
  parts: 'It belongs with files that are not here: {files}. Choose them together.',
  noModel: 'No model that can be asked about was found in it.',
  assumed: 'What the file does not say:',
} as const;

type Words = Readonly<Record<keyof typeof en, string>>;

const es: Words = {
  repo: 'Nombre en Hugging Face Hub, o la dirección de un fichero .gguf o .safetensors de allí',
  fetch: 'Traer',
  paste: 'O pega su config.json o un manifiesto de Ollama',
  file: 'O elige o suelta los ficheros: .gguf, .safetensors, config.json',
  pasted: 'Modelo pegado',
  reading: 'Leyendo la cabecera: {size} hasta ahora …',
  refused: '{path}: {message}',
  failed: 'No ha funcionado: {reason}',
  noName: '«{text}» no es un nombre del Hub, que tiene la forma organización/modelo, ni la dirección de un fichero de allí.',
  otherHost: 'Esta página solo trae ficheros de huggingface.co. Descarga el fichero de {host} y elígelo aquí: nada de él sale de tu ordenador.',
  gated: '{repo} pide iniciar sesión. Ábrelo en el Hub, copia su config.json y pégalo aquí; o descarga el fichero y elígelo.',
  missing: '{repo} no está en el Hub o no tiene config.json. Si el repositorio tiene ficheros GGUF, da la dirección de uno.',
  missingFile: '{file} no está allí (404). Busca su nombre exacto en el Hub.',
  busy: 'El servidor pide paciencia (HTTP {status}). Inténtalo de nuevo en un minuto.',
  slow: 'El servidor no ha enviado nada en {seconds} segundos. Inténtalo de nuevo, o descarga el fichero y elígelo.',
  cut: 'La conexión se cortó tras {size}. Inténtalo de nuevo, o descarga el fichero y elígelo.',
  offline: 'No se pudo llegar al Hub. Sin red, elige el fichero o pega el config.json.',
  wholeSent: 'El servidor no envía partes de ficheros: se leyó el principio, {size}, y se rechazó el resto.',
  found: '{total} pesos, {active} de ellos activos por token; {cache} KiB de caché por token con 16 bits.',
  stored: 'Los tensores ocupan {size} en el fichero: {types}.',
  storedAs: 'Con el formato {format}, los pesos ocupan eso.',
  vocabulary: 'El vocabulario tiene {count} tokens.',
  adapter: 'Un adaptador de rango {rank} para {targets}: {size} además del modelo al que pertenece.',
  projector: 'Un proyector de visión, {size}: elígelo junto con el GGUF de su modelo de lenguaje.',
  manifest: 'Un manifiesto de Ollama: {blobs}. Elige también el blob del modelo para saber lo demás.',
  index: 'Un índice de fragmentos, {size} en total: elige también el config.json.',
  parts: 'Va con ficheros que no están aquí: {files}. Elígelos juntos.',
  noModel: 'No contiene ningún modelo sobre el que se pueda preguntar.',
  assumed: 'Lo que el fichero no dice:',
};

export const bringWords = { en, es } as const;

/** The message with its holes filled, in the reader's language. */
export function say(key: keyof Words, values: Readonly<Record<string, string | number>> = {}): string {
  const words: Words = bringWords[currentLanguage()];
  return words[key].replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}
