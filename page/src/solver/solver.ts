/**
 * MiniZinc in workers of the npm package. The WebAssembly is fetched and compiled once, for all workers. A worker cannot
 * be used after a run of Chuffed, so the next one starts at once. One worker of Gecode answers many small questions.
 */

import { get, type ModelData, type Models } from "../core/data";
import type { Given } from "./solver.worker";

export type Result =
  | { kind: "solution"; numbers: number[] }
  /** No board. It is proven if Gecode says so, which has never been wrong. */
  | { kind: "none"; proven: boolean }
  | { kind: "timeout" }
  /**
   * MiniZinc's message, with the line if the custom text is the fault. An index out of range is one, since MiniZinc would
   * take the condition for false.
   */
  | { kind: "failed"; message: string; line?: number };

export interface Task {
  models: Models;
  model: "joint.mzn" | "repair.mzn";
  data: ModelData;
  /** The name of the task without its random values. */
  key: string;
  extra: string;
  own: string;
  seed: number;
  /** Milliseconds. */
  limit: number;
}

/** The folder of the npm package's files. */
declare const MINIZINC: string;

/** Thrown by a run that was stopped. */
export class Stopped extends Error {}

interface Message {
  type: string;
  output?: { default?: string };
  status?: string;
  code?: number;
  message?: string;
  value?: string;
  location?: Location;
  stack?: { location: Location }[];
}

interface Location {
  filename?: string;
  firstLine?: number;
}

const OWN = "own.mzn";

/** The line of the custom text without a value, such as an array outside of its indices. */
function undefinedIn({ type, message, stack }: Message): number | undefined {
  if (type !== "warning" || !message?.startsWith("undefined result")) return undefined;
  return stack?.findLast(({ location }) => location.filename?.endsWith(OWN))?.location.firstLine;
}

const url = (name: string): string => new URL(name, document.baseURI).href;

/** The number of bytes of the WebAssembly. */
declare const WASM_BYTES: number;

let loading: (isLoading: boolean) => void = () => undefined;
let bytes = 0;

/** Sets the listener for the start and the end of the solver's download. */
export function onLoading(changed: typeof loading): void {
  loading = changed;
}

export const loaded = (): number => bytes / WASM_BYTES;

async function count(answer: Response): Promise<void> {
  const reader = answer.body!.getReader();
  for (bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.length;
  }
}

/** Compiles during the download if the server declares WebAssembly. */
async function compiled(): Promise<WebAssembly.Module> {
  loading(true);
  const answer = await get(`${MINIZINC}/minizinc.wasm`);
  // Browsers store compiled code only of an answer without another reader, so later visits count nothing.
  if (!navigator.serviceWorker?.controller) count(answer.clone()).catch(() => undefined);
  const isWasm = answer.headers.get("content-type")?.startsWith("application/wasm");
  return isWasm
    ? await WebAssembly.compileStreaming(answer)
    : await WebAssembly.compile(await answer.arrayBuffer());
}

let parts: Promise<Given> | undefined;

function loadParts(): Promise<Given> {
  if (!parts) {
    const library = get(`${MINIZINC}/minizinc.data`).then((answer) => answer.arrayBuffer());
    parts = Promise.all([compiled(), library]).then(([module, data]) => {
      performance.mark("compiled");
      return { module, library: data, wasmURL: "minizinc.wasm", dataURL: "minizinc.data" };
    });
    parts.catch(() => {
      parts = undefined; // the next call tries again
    });
    void parts.finally(() => loading(false)).catch(() => undefined);
  }
  return parts;
}

class Solver {
  private readonly worker = new Worker(url("solver.worker.js"));
  readonly ready: Promise<void>;

  constructor() {
    const started = new Promise<void>((resolve, reject) => {
      this.worker.onmessage = ({ data }: MessageEvent<Message>) =>
        data.type === "ready" ? resolve() : reject(new Error(data.message));
      this.worker.onerror = (event) => reject(new Error(event.message || "the solver does not start"));
    });
    this.ready = Promise.all([loadParts().then((parts) => this.worker.postMessage(parts)), started]).then(
      () => {
        performance.mark("solver ready");
      },
    );
  }

  end(): void {
    this.worker.terminate();
  }

  async run(task: Task, solver: "chuffed" | "gecode", signal: AbortSignal): Promise<Result> {
    await abortable(this.ready, signal);
    const options = solver === "chuffed" ? ["-f"] : [];
    return await new Promise((resolve, reject) => {
      let result: Result | undefined;
      let last = "";
      let line: number | undefined;
      const done = (end: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        end();
      };
      const stop = () => done(() => reject(new Stopped()));
      const timer = setTimeout(() => done(() => resolve({ kind: "timeout" })), task.limit);
      signal.addEventListener("abort", stop);
      this.worker.onmessage = ({ data }: MessageEvent<Message>) => {
        const undefinedAt = undefinedIn(data);
        if (undefinedAt !== undefined) {
          const message = data.message!.replace(/^.*\n\s*/, "").replace(/^\((.*)\)$/, "$1");
          done(() => resolve({ kind: "failed", message, line: undefinedAt }));
        } else if (data.type === "solution") {
          result = { kind: "solution", numbers: JSON.parse(data.output?.default ?? "[]") as number[] };
        } else if (data.type === "status" && data.status === "UNSATISFIABLE")
          result = { kind: "none", proven: solver === "gecode" };
        else if (data.type === "error") {
          last = data.message ?? "";
          if (data.location?.filename?.endsWith(OWN)) line = data.location.firstLine;
        } else if (data.type === "stderr" && data.value?.trim()) last = data.value.trim();
        else if (data.type === "exit") {
          const message = data.message ?? (last || `status ${data.code}`);
          const failed: Result = { kind: "failed", message, line };
          done(() => resolve(result ?? failed));
        }
      };
      this.worker.postMessage({
        jsonStream: true,
        files: {
          ...task.models,
          "data.json": JSON.stringify(task.data),
          "extra.mzn": task.extra,
          [OWN]: task.own,
        },
        args: [
          "--solver",
          solver,
          ...options,
          "-r",
          String(task.seed),
          "--output-mode",
          "item",
          task.model,
          "extra.mzn",
          OWN,
          "data.json",
        ],
      });
    });
  }
}

/** Waits for a promise. After a stop it calls `stopped` and throws `Stopped`. */
export async function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  stopped: () => void = () => undefined,
): Promise<T> {
  if (signal.aborted) {
    stopped();
    throw new Stopped();
  }
  let stop!: () => void;
  const end = new Promise<never>((_, reject) => {
    stop = () => {
      stopped();
      reject(new Stopped());
    };
  });
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([promise, end]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

let spare: Solver | undefined;
let gecode: Solver | undefined;

/** Starts a solver in advance. */
export function warm(): Solver {
  if (spare) return spare;
  const solver = new Solver();
  spare = solver;
  solver.ready.catch(() => {
    if (spare === solver) spare = undefined; // the next call tries again
  });
  return solver;
}

/** A board by Chuffed alone, which proves in a second that none exists. Gecode may take minutes. */
export async function chuffed(task: Task, signal: AbortSignal): Promise<Result> {
  const solver = warm();
  spare = undefined;
  try {
    return await solver.run(task, "chuffed", signal);
  } finally {
    solver.end();
    warm();
  }
}

/** Milliseconds before the second solver starts, and for it to confirm that no board exists. */
const HEAD_START = 4_000;
const AGREEMENT = 10_000;
/** Tasks that Gecode solved first. */
const gecodeFirst = new Set<string>();
export const sleep = (milliseconds: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds, undefined));

/**
 * A board from a random start. Chuffed finds more boards than Gecode. But in WebAssembly it crashes on some models, and has
 * denied existing boards if a condition was membership in a set. If it has no board or takes long, Gecode is gecode too. The
 * next time the quicker one is first.
 */
export async function solve(task: Task, signal: AbortSignal): Promise<Result> {
  const control = new AbortController();
  const stop = () => control.abort();
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = async (asks: typeof ask): Promise<Result> => {
    const result = await asks(task, control.signal);
    if (isSure(result)) {
      if (asks === ask) gecodeFirst.add(task.key);
      else gecodeFirst.delete(task.key);
      return result;
    }
    timer ??= setTimeout(stop, AGREEMENT);
    return result;
  };
  try {
    const order = gecodeFirst.has(task.key) ? [ask, chuffed] : [chuffed, ask];
    const first = run(order[0]);
    const early = await Promise.race([first, sleep(HEAD_START)]);
    if (early && isSure(early)) return early;
    const both = [first, run(order[1])];
    const answer = both.map(async (each) => {
      const result = await each;
      if (!isSure(result)) throw new Error("the other one has to answer");
      return result;
    });
    try {
      return await Promise.any(answer);
    } catch {
      if (signal.aborted) throw new Stopped();
      const ended = await Promise.allSettled(both);
      const results = ended.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      return results.find(({ kind }) => kind === "none") ?? results[0] ?? { kind: "timeout" };
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    stop();
  }
}

/** Whether the other solver need not agree. */
const isSure = (result: Result): boolean =>
  result.kind === "solution" ||
  (result.kind === "none" && result.proven) ||
  (result.kind === "failed" && result.line !== undefined);

let queue: Promise<unknown> = Promise.resolve();

/** Whether a board exists, by Gecode: for small questions, one after the other. */
export function ask(task: Task, signal: AbortSignal): Promise<Result> {
  const answer = queue.then(async () => {
    if (signal.aborted) throw new Stopped();
    gecode ??= new Solver();
    let whole = false;
    try {
      const result = await gecode.run(task, "gecode", signal);
      whole = result.kind === "solution" || result.kind === "none";
      return result;
    } finally {
      if (!whole) {
        gecode.end();
        gecode = undefined;
      }
    }
  });
  queue = answer.catch(() => undefined);
  return answer;
}
