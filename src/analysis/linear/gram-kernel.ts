/** `gram.wat`, assembled: `npx jest test/analysis/gram` says when it is not, and what it should be. */
export const ASSEMBLED =
  'AGFzbQEAAAABEAJgBn9/f39/fwBgA397ewACEAEEcm93cwZtZW1vcnkCAAEDAwIAAQcMAQhhZGRCbG9jawAACvYCArICAgV/C3sg' +
  'ACACaiEGIAYgAmohByAHIAJqIQggASACaiEJIAAgA2ohCgNAIAH9AAQAIQwgCf0ABAAhDSAA/QAEACELIA4gCyAM/fIB/fABIQ4g' +
  'DyALIA398gH98AEhDyAG/QAEACELIBAgCyAM/fIB/fABIRAgESALIA398gH98AEhESAH/QAEACELIBIgCyAM/fIB/fABIRIgEyAL' +
  'IA398gH98AEhEyAI/QAEACELIBQgCyAM/fIB/fABIRQgFSALIA398gH98AEhFSAAQRBqIQAgBkEQaiEGIAdBEGohByAIQRBqIQgg' +
  'AUEQaiEBIAlBEGohCSAAIApJDQALIAQgDiAPEAEgBCAFaiEEIAQgECAREAEgBCAFaiEEIAQgEiATEAEgBCAFaiEEIAQgFCAVEAEL' +
  'QAAgACAA/QAEACABIAL9DQABAgMEBQYHEBESExQVFhcgASAC/Q0ICQoLDA0ODxgZGhscHR4f/fAB/fAB/QsEAAs=';

/** The part of WebAssembly that is used, which the types of Node.js leave out. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (compiled: object, imports: object) => { readonly exports: unknown };
};
const PAGE = 65_536;

interface Kernel {
  /** Memory for rows and sums, all zeros. */
  readonly memory: ArrayBuffer;
  /** Adds products to sums; `gram.wat` says of what. Addresses and lengths in bytes. */
  addBlock(x: number, y: number, row: number, taken: number, sum: number, next: number): void;
}

let compiled: object | undefined;

export function kernelWith(bytes: number): Kernel {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
  compiled ??= new WebAssembly.Module(Buffer.from(ASSEMBLED, 'base64'));
  const { exports } = new WebAssembly.Instance(compiled, { rows: { memory } });
  return { memory: memory.buffer, addBlock: (exports as Kernel).addBlock };
}
