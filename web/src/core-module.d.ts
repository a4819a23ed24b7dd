declare module '*/generated/core/whichgpu.js' {
  const createModule: (options: { locateFile?: (name: string) => string; wasmBinary?: ArrayBuffer }) => Promise<unknown>;
  export default createModule;
}
declare module '*/generated/core/whichgpu-import.js' {
  const createModule: (options: { locateFile?: (name: string) => string; wasmBinary?: ArrayBuffer }) => Promise<unknown>;
  export default createModule;
}
declare module '*/generated/core/whichgpu-full.js' {
  const createModule: (options: { locateFile?: (name: string) => string; wasmBinary?: ArrayBuffer }) => Promise<unknown>;
  export default createModule;
}
