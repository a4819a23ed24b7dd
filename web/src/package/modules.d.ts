// Names of the package itself (`imports` of its package.json).
declare module '#core' {
  const createModule: (options: { wasmBinary?: ArrayBuffer }) => Promise<unknown>;
  export default createModule;
}
declare module '#load' {
  export function readCore(): Promise<ArrayBuffer>;
  export function readCatalog(): Promise<string>;
}
