/** The parts that all actions share: the store, the task in the background, and the messages. */

import type { LayoutEntry, RulesData } from "../core/data";
import { say } from "../core/language";
import type { Dealer } from "../solver/dealer";
import { createJob } from "./job";
import type { Problem } from "./stage";
import type { Dealt, Store, Work } from "./store";

export type Context = ReturnType<typeof createContext>;

export function createContext(store: Store, dealer: Dealer, rules: RulesData, layouts: LayoutEntry[]) {
  const problem = (found: Problem | undefined) => store.set({ problem: found });

  const failed = (reason: unknown) => problem({ text: `${say("failed")} ${reason}` });

  const job = createJob((busy) => {
    store.set({ busy, progress: undefined, ...(busy && { problem: undefined }) });
  }, failed);

  const hear = (heard: string) => store.set({ heard });

  /** Shows the progress of a task. Only its first words are announced. */
  const tell = (progress: string) =>
    store.set({ progress, ...(store.state.progress === undefined && { heard: progress }) });

  /** Shows a board as a step, or within the step that changed the rules for it. */
  const show = (dealt: Dealt, more: Partial<Work> = {}, heard = say("dealt")) => {
    const { work } = store.state;
    const draft = { players: Math.min(work.draft.players, dealt.board.layout.players), placed: [] };
    const step = { entry: undefined, touched: undefined, repaired: undefined, dealt, draft, ...more };
    if (work.pending || !work.dealt) store.amend({ ...step, pending: false });
    else store.change(step);
    store.set({ heard, ringed: undefined, picked: undefined, ...(more.repaired && { shown: undefined }) });
    dealer.prepare(dealt);
  };

  return { store, dealer, rules, layouts, problem, failed, job, hear, tell, show };
}
