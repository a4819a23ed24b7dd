declare module '*/generated/core/whichgpu.js' {
  const createModule: (options: { locateFile?: (name: string) => string; wasmBinary?: ArrayBuffer }) => Promise<unknown>;
  export default createModule;
}
