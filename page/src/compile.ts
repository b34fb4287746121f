/**
 * Fetches and compiles the WebAssembly before anything else of the page is there. It is no preload: browsers keep
 * compiled code for the next visit only of what a script has fetched itself.
 */

import { MOST_ADDRESS } from "./limits";

declare const MINIZINC: string;

// A long fragment slows each request and each step of the page: it is cut before anything else (see readAddress).
if (location.hash.length > MOST_ADDRESS) history.replaceState(null, "", `#long=${location.hash.length}`);

/** Compiles while it arrives, where the server says that it is WebAssembly. */
async function compile(): Promise<WebAssembly.Module> {
  const name = `${MINIZINC}/minizinc.wasm`;
  const answer = await fetch(new URL(name, document.baseURI));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const told = answer.headers.get("content-type")?.startsWith("application/wasm");
  return told
    ? await WebAssembly.compileStreaming(answer)
    : await WebAssembly.compile(await answer.arrayBuffer());
}

const first = compile();
first.catch(() => undefined); // it is told when a solver is wanted
let waiting: Promise<WebAssembly.Module> | undefined = first;

/** The first module, or, where somebody has taken that already, one compiled anew: the last time failed. */
Object.assign(globalThis, {
  compiled: (): Promise<WebAssembly.Module> => {
    const module = waiting ?? compile();
    waiting = undefined;
    return module;
  },
});
