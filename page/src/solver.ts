/**
 * MiniZinc in workers. The worker is the npm package's own; it is spoken to directly, for two reasons: after a run of
 * Chuffed a worker is spent, and the next one is started at once, so that it is ready when it is wanted; after runs of
 * Gecode it is not, so one worker answers many small questions.
 */

import type { ModelData, Models } from "./data";

export type Result =
  | { kind: "solution"; numbers: number[] }
  | { kind: "none" }
  | { kind: "timeout" }
  | { kind: "failed"; message: string };

export interface Task {
  models: Models;
  data: ModelData;
  /** More MiniZinc text. */
  extra: string;
  seed: number;
  /** Milliseconds. */
  limit: number;
}

/** Why a run ended without a result: somebody stopped it. */
export class Stopped extends Error {}

interface Message {
  type: string;
  output?: { default?: string };
  status?: string;
  code?: number;
  message?: string;
  value?: string;
}

/** Absolute, or the worker would wait for ever. */
const url = (name: string): string => new URL(`minizinc/${name}`, document.baseURI).href;

class Solver {
  private readonly worker = new Worker(url("minizinc-worker.js"));
  readonly ready: Promise<void>;

  constructor() {
    this.ready = new Promise((resolve, reject) => {
      this.worker.onmessage = () => resolve();
      this.worker.onerror = (event) => reject(new Error(event.message || "the solver does not start"));
    });
    this.worker.postMessage({ wasmURL: url("minizinc.wasm"), dataURL: url("minizinc.data") });
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
      const done = (end: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", stop);
        end();
      };
      const stop = (): void => done(() => reject(new Stopped()));
      const timer = setTimeout(() => done(() => resolve({ kind: "timeout" })), task.limit);
      signal.addEventListener("abort", stop);
      this.worker.onmessage = ({ data }: MessageEvent<Message>) => {
        if (data.type === "solution") {
          found = { kind: "solution", numbers: JSON.parse(data.output?.default ?? "[]") as number[] };
        } else if (data.type === "status" && data.status === "UNSATISFIABLE") found = { kind: "none" };
        else if (data.type === "error") last = data.message ?? "";
        else if (data.type === "stderr" && data.value?.trim()) last = data.value.trim();
        else if (data.type === "exit") {
          const failed: Result = { kind: "failed", message: data.message ?? (last || `status ${data.code}`) };
          done(() => resolve(found ?? failed));
        }
      };
      this.worker.postMessage({
        jsonStream: true,
        files: { ...task.models, "data.json": JSON.stringify(task.data), "extra.mzn": task.extra },
        args: [
          "--solver",
          solver,
          ...options,
          "-r",
          String(task.seed),
          "--output-mode",
          "item",
          "joint.mzn",
          "extra.mzn",
          "data.json",
        ],
      });
    });
  }
}

async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise((resolve, reject) => {
    const stop = (): void => reject(new Stopped());
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject);
  });
}

let spare: Solver | undefined;
let asked: Solver | undefined;

/** Starts a solver, so that it is ready when it is wanted. */
export const warm = (): void => {
  spare ??= new Solver();
};

/** A board from a random start, by Chuffed; where that crashes, as it does on some infeasible models, by Gecode. */
export async function solve(task: Task, signal: AbortSignal): Promise<Result> {
  warm();
  const solver = spare!;
  spare = undefined;
  try {
    const result = await solver.run(task, "chuffed", signal);
    return result.kind === "failed"
      ? await ask({ ...task, data: { ...task.data, search: 3 } }, signal)
      : result;
  } finally {
    solver.end();
    warm();
  }
}

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
        asked?.end();
        asked = undefined;
      }
    }
  });
  queue = answer.catch(() => undefined);
  return answer;
}
