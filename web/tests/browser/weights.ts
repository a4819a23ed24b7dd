/** Headers of files of weights, written as the formats' descriptions have it. */
class Bytes {
  private readonly parts: Buffer[] = [];
  u8(v: number): this {
    return this.add(Buffer.from([v]));
  }
  u32(v: number): this {
    const b = Buffer.alloc(4);
    b.writeUInt32LE(v);
    return this.add(b);
  }
  u64(v: number): this {
    const b = Buffer.alloc(8);
    b.writeBigUInt64LE(BigInt(v));
    return this.add(b);
  }
  text(v: string): this {
    const b = Buffer.from(v);
    return this.u64(b.length).add(b);
  }
  add(b: Buffer): this {
    this.parts.push(b);
    return this;
  }
  take(): Buffer {
    return Buffer.concat(this.parts);
  }
}

export interface Written {
  readonly head: Buffer;
  readonly size: number;
}

const q4k = { id: 12, weights: 256, bytes: 144 };
const f32 = { id: 0, weights: 1, bytes: 4 };

/** The header of Llama 3 8B in Q4_K, with a vocabulary that makes it larger than what is read first. */
export function llamaGguf(layers: readonly number[] = Array.from({ length: 32 }, (_, i) => i), split?: { no: number; count: number }): Written {
  const pairs = new Bytes();
  let keys = 0;
  const key = (name: string, type: number): Bytes => {
    keys += 1;
    return pairs.text(name).u32(type);
  };
  key('general.architecture', 8).text('llama');
  key('general.name', 8).text('Dropped Llama');
  for (const [name, value] of [['general.file_type', 15], ['llama.block_count', 32], ['llama.context_length', 8192], ['llama.attention.head_count', 32], ['llama.attention.head_count_kv', 8]] as const) key(name, 4).u32(value);
  if (split) for (const [name, value] of [['split.no', split.no], ['split.count', split.count]] as const) key(name, 4).u32(value);
  key('tokenizer.ggml.tokens', 9).u32(8).u64(128256);
  for (let i = 0; i < 128256; ++i) pairs.text(`token ${i}`);
  const infos = new Bytes();
  let tensors = 0;
  let at = 0;
  const tensor = (name: string, dims: readonly number[], type: typeof q4k): void => {
    tensors += 1;
    infos.text(name).u32(dims.length);
    for (const d of dims) infos.u64(d);
    infos.u32(type.id).u64(at);
    at += (dims.reduce((a, b) => a * b, 1) / type.weights) * type.bytes;
    at = Math.ceil(at / 32) * 32;
  };
  if (!split || split.no === 0) {
    tensor('token_embd.weight', [4096, 128256], q4k);
    tensor('output.weight', [4096, 128256], q4k);
    tensor('output_norm.weight', [4096], f32);
  }
  for (const i of layers) {
    for (const norm of ['attn_norm', 'ffn_norm']) tensor(`blk.${i}.${norm}.weight`, [4096], f32);
    for (const [name, rows] of [['attn_q', 4096], ['attn_k', 1024], ['attn_v', 1024], ['attn_output', 4096], ['ffn_gate', 14336], ['ffn_up', 14336]] as const) tensor(`blk.${i}.${name}.weight`, [4096, rows], q4k);
    tensor(`blk.${i}.ffn_down.weight`, [14336, 4096], q4k);
  }
  const body = new Bytes().add(Buffer.from('GGUF')).u32(3).u64(tensors).u64(keys).add(pairs.take()).add(infos.take()).take();
  const head = Buffer.concat([body, Buffer.alloc((32 - (body.length % 32)) % 32)]);
  return { head, size: head.length + at };
}

/** One shard of safetensors with the tensors given, in BF16. */
export function safetensors(tensors: ReadonlyMap<string, readonly number[]>): Written {
  let at = 0;
  const document: Record<string, unknown> = {};
  for (const [name, shape] of tensors) {
    const bytes = 2 * shape.reduce((a, b) => a * b, 1);
    document[name] = { dtype: 'BF16', shape, data_offsets: [at, at + bytes] };
    at += bytes;
  }
  const text = Buffer.from(JSON.stringify(document));
  const head = new Bytes().u64(text.length).add(text).take();
  return { head, size: head.length + at };
}
