/** Long work in the background: one task at a time, which can be stopped. */

export interface Job {
  /** Starts a task, and stops the one before. An error after a stop is ignored. */
  run: (task: (signal: AbortSignal) => Promise<void>) => Promise<void>;
  stop: () => void;
}

export function createJob(onBusy: (busy: boolean) => void, onError: (reason: unknown) => void): Job {
  let running: AbortController | undefined;
  const stop = () => {
    running?.abort();
    running = undefined;
    onBusy(false);
  };
  return {
    stop,
    run: async (task) => {
      stop();
      const control = new AbortController();
      running = control;
      onBusy(true);
      try {
        await task(control.signal);
      } catch (reason) {
        if (!control.signal.aborted) onError(reason);
      } finally {
        if (running === control) stop();
      }
    },
  };
}
