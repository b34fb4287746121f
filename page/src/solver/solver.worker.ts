/**
 * The npm package's worker, with the compiled WebAssembly and MiniZinc's library of the page. Without this, each worker
 * fetches and compiles both again, and does not report failures.
 */

export interface Given {
  module: WebAssembly.Module;
  library: ArrayBuffer;
  wasmURL: string;
  dataURL: string;
}

declare const MINIZINC: string;
declare function importScripts(name: string): void;

let given: Given | undefined;
const take = ({ data }: MessageEvent<Given>) => {
  given = data;
  removeEventListener("message", take);
};
addEventListener("message", take); // before the package's own listener, which then asks for both

globalThis.fetch = async (what) => new Response(what === given?.dataURL ? given.library : null);
WebAssembly.instantiateStreaming = async (_, imports) => {
  const { module } = given!;
  try {
    return { module, instance: await WebAssembly.instantiate(module, imports) };
  } catch (reason) {
    postMessage({ type: "failed", message: String(reason) });
    throw reason;
  }
};

importScripts(`${MINIZINC}/minizinc-worker.js`);
