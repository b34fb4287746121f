/**
 * MiniZinc in workers. The WebAssembly is fetched and compiled once, here, and every worker is given what came of it;
 * the worker itself is the npm package's own. After a run of Chuffed a worker is spent, so the next one is started at
 * once, to be ready when it is wanted; Gecode leaves a worker as it was, and one answers many small questions.
 */

import type { ModelData, Models } from "../core/data";
import type { Given } from "./solver.worker";

export type Result =
  | { kind: "solution"; numbers: number[] }
  /** No board; proven where Gecode says so, which has not been seen to err. */
  | { kind: "none"; proven: boolean }
  | { kind: "timeout" }
  /**
   * In words of MiniZinc, and the line of the user's own text where that is the fault. An index out of range there is one:
   * MiniZinc alone would take the condition for false, and search for a board that cannot exist.
   */
  | { kind: "failed"; message: string; line?: number };

export interface Task {
  models: Models;
  /** The name of the model to solve. */
  model: "joint.mzn" | "repair.mzn";
  data: ModelData;
  /** Tells tasks apart, but for their randomness. */
  key: string;
  /** More MiniZinc text. */
  extra: string;
  /** The user's own constraints. */
  own: string;
  seed: number;
  /** Milliseconds. */
  limit: number;
}

/** The folder of the npm package's files. */
declare const MINIZINC: string;

/** Why a run ended without a result: somebody stopped it. */
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

/** The line of the user's own text that has no value, such as an array outside of its indices. */
function undefinedIn({ type, message, stack }: Message): number | undefined {
  if (type !== "warning" || !message?.startsWith("undefined result")) return undefined;
  return stack?.findLast(({ location }) => location.filename?.endsWith(OWN))?.location.firstLine;
}

const url = (name: string): string => new URL(name, document.baseURI).href;

async function get(name: string): Promise<Response> {
  const answer = await fetch(url(name));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer;
}

/** The number of bytes of the WebAssembly. */
declare const WASM_BYTES: number;

let loading: (isLoading: boolean) => void = () => undefined;
let bytes = 0;

/** Has a function called when the solver begins to arrive, and when all of it is there. */
export function onLoading(changed: typeof loading): void {
  loading = changed;
}

/** What has arrived of the solver, from 0 to 1. */
export const loaded = (): number => bytes / WASM_BYTES;

/** Counts what arrives. */
async function count(answer: Response): Promise<void> {
  const reader = answer.body!.getReader();
  for (bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.length;
  }
}

/** Compiles while it arrives, where the server says that it is WebAssembly. */
async function compiled(): Promise<WebAssembly.Module> {
  loading(true);
  const answer = await get(`${MINIZINC}/minizinc.wasm`);
  // Browsers keep compiled code only of an answer that nobody else reads: on later visits nothing is counted.
  if (!navigator.serviceWorker?.controller) count(answer.clone()).catch(() => undefined);
  const told = answer.headers.get("content-type")?.startsWith("application/wasm");
  return told
    ? await WebAssembly.compileStreaming(answer)
    : await WebAssembly.compile(await answer.arrayBuffer());
}

let parts: Promise<Given> | undefined;

function given(): Promise<Given> {
  if (!parts) {
    const library = get(`${MINIZINC}/minizinc.data`).then((answer) => answer.arrayBuffer());
    parts = Promise.all([compiled(), library]).then(([module, data]) => {
      performance.mark("compiled");
      return { module, library: data, wasmURL: "minizinc.wasm", dataURL: "minizinc.data" };
    });
    parts.catch(() => {
      parts = undefined; // the next one to want a solver tries again
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
    this.ready = Promise.all([given().then((parts) => this.worker.postMessage(parts)), started]).then(() => {
      performance.mark("solver ready");
    });
  }

  end(): void {
    this.worker.terminate();
  }

  async run(task: Task, solver: "chuffed" | "gecode", signal: AbortSignal): Promise<Result> {
    await abortable(this.ready, signal);
    const options = solver === "chuffed" ? ["-f"] : [];
    return await new Promise((resolve, reject) => {
      let found: Result | undefined;
      let last = "";
      let line: number | undefined;
      const done = (end: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        end();
      };
      const stop = (): void => done(() => reject(new Stopped()));
      const timer = setTimeout(() => done(() => resolve({ kind: "timeout" })), task.limit);
      signal.addEventListener("abort", stop);
      this.worker.onmessage = ({ data }: MessageEvent<Message>) => {
        const undefinedAt = undefinedIn(data);
        if (undefinedAt !== undefined) {
          const message = data.message!.replace(/^.*\n\s*/, "").replace(/^\((.*)\)$/, "$1");
          done(() => resolve({ kind: "failed", message, line: undefinedAt }));
        } else if (data.type === "solution") {
          found = { kind: "solution", numbers: JSON.parse(data.output?.default ?? "[]") as number[] };
        } else if (data.type === "status" && data.status === "UNSATISFIABLE")
          found = { kind: "none", proven: solver === "gecode" };
        else if (data.type === "error") {
          last = data.message ?? "";
          if (data.location?.filename?.endsWith(OWN)) line = data.location.firstLine;
        } else if (data.type === "stderr" && data.value?.trim()) last = data.value.trim();
        else if (data.type === "exit") {
          const message = data.message ?? (last || `status ${data.code}`);
          const failed: Result = { kind: "failed", message, line };
          done(() => resolve(found ?? failed));
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

/** Waits for a promise until somebody stops: then calls `stopped`, and throws `Stopped`. */
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
let asked: Solver | undefined;

/** Starts a solver, so that it is ready when it is wanted. */
export function warm(): Solver {
  if (spare) return spare;
  const solver = new Solver();
  spare = solver;
  solver.ready.catch(() => {
    if (spare === solver) spare = undefined; // the next one to want a solver tries again
  });
  return solver;
}

/** A board by Chuffed alone, which disproves in a second what takes Gecode minutes. */
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

/** Milliseconds that one solver has for itself, and that the other has to agree where it denies a board. */
const HEAD_START = 4_000;
const AGREEMENT = 10_000;
/** Tasks of which Gecode was the quicker one. */
const gecodeFirst = new Set<string>();
const sleep = (milliseconds: number): Promise<undefined> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds, undefined));

/**
 * A board from a random start. Chuffed learns, and finds what Gecode does not; but in WebAssembly it crashes on some
 * models, and has been seen to deny boards that there are, where a condition was the membership of a set. So where it
 * has no board, or needs long, Gecode is asked too; whoever was quicker is asked first the next time.
 */
export async function solve(task: Task, signal: AbortSignal): Promise<Result> {
  const control = new AbortController();
  const stop = (): void => control.abort();
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

/** Whether nobody else has to agree. */
const isSure = (result: Result): boolean =>
  result.kind === "solution" ||
  (result.kind === "none" && result.proven) ||
  (result.kind === "failed" && result.line !== undefined);

let queue: Promise<unknown> = Promise.resolve();

/** Whether there is a board at all, by Gecode: for small questions, one after the other. */
export function ask(task: Task, signal: AbortSignal): Promise<Result> {
  const answer = queue.then(async () => {
    if (signal.aborted) throw new Stopped();
    asked ??= new Solver();
    let whole = false;
    try {
      const result = await asked.run(task, "gecode", signal);
      whole = result.kind === "solution" || result.kind === "none";
      return result;
    } finally {
      if (!whole) {
        asked.end();
        asked = undefined;
      }
    }
  });
  queue = answer.catch(() => undefined);
  return answer;
}
