/** The actions of the page. Each one changes the store and may start work in the background. */

import { vertexInWords } from "../board/props";
import { DAY, type Draft, LongAddress, readAddress } from "../core/address";
import { type LayoutEntry, type RulesData, readLayout } from "../core/data";
import { snake } from "../core/draft";
import { say } from "../core/language";
import { FOREIGN, MOST_ADDRESS } from "../core/limits";
import { BadNotation, short } from "../core/notation";
import { lastAsked } from "../core/saved";
import { linesOf, MOST_LINES, withLine, withMain, withoutMove } from "../core/tree";
import type { Dealer } from "../solver/dealer";
import { entryActions, repairActions } from "./check_actions";
import { type Context, createContext } from "./context";
import { createDeal, type Deal, dealActions } from "./deal_actions";
import type { Store } from "./store";

export type Actions = ReturnType<typeof createActions>;

export function createActions(store: Store, dealer: Dealer, rules: RulesData, layouts: LayoutEntry[]) {
  const context = createContext(store, dealer, rules, layouts);
  const deal = createDeal(context);
  return {
    stop: context.job.stop,
    ...dealActions(context, deal),
    ...entryActions(context, deal),
    ...repairActions(context),
    ...draftActions(context),
    ...stepActions(context, deal),
  };
}

/** The maximum size of a file in bytes, as in the library. */
const MOST_FILE = 10_000_000;

/** An address, also of a file of another program, whose readers are loaded first. */
async function inAddress(text: string): Promise<string> {
  if (!FOREIGN.test(text)) return text;
  const { importedAddress } = await import("../features/import/address");
  return await importedAddress(text, readLayout);
}

/** Steps between boards: undo, redo, addresses, and the way out of a problem. */
function stepActions({ store, rules, layouts, job, problem, failed, show }: Context, deal: Deal) {
  const heard = (text: string) => {
    job.stop();
    store.set({ problem: undefined, fault: undefined, ringed: undefined, heard: say(text) });
  };
  /** Undoes a step. The lines of the same draft stay. */
  const undo = () => {
    const { dealt, draft } = store.state.work;
    if (!store.step("past")) return;
    const before = store.state.work;
    const isOther = before.draft !== draft && before.draft.players === draft.players;
    if (isOther && before.dealt === dealt)
      store.amend({
        draft: { ...before.draft, lines: linesOf(draft).reduce(withLine, linesOf(before.draft)) },
      });
    heard("undo.done");
  };
  const redo = () => store.step("future") && heard("redo.done");

  const openAddress = async (link: string): Promise<void> => {
    const isDay = link === DAY;
    if (isDay) store.set({ dialog: "day" });
    if (isDay && store.state.work.dealt) return;
    try {
      const address = isDay ? lastAsked() : await inAddress(link);
      const { board, draft, refused, ...next } = await readAddress(address, layouts, rules);
      if (board) {
        job.stop();
        problem(undefined);
        show({ ...next, board }, { asked: next, ...(draft && { draft }) });
      } else await deal(next);
      if (draft) store.set({ tab: "settle" });
      if (refused.length) problem({ text: say("refused"), refused });
    } catch (reason) {
      const unreadable = reason instanceof BadNotation;
      if (unreadable && !store.state.work.dealt) await openAddress(""); // there is a board all the same
      if (reason instanceof LongAddress)
        problem({ text: say("unreadable.long", { n: reason.message, most: MOST_ADDRESS }) });
      else if (unreadable) problem({ text: say("unreadable", { text: short(reason.message) }) });
      else failed(reason);
    }
  };

  /** A dropped or chosen file. */
  const openFile = async (file: File): Promise<void> => {
    if (file.size <= MOST_FILE) await openAddress(await file.text());
    else problem({ text: say("unreadable", { text: short(file.name) }) });
  };

  /** From a problem to the board that is shown, and the rules that it was dealt by. */
  const toBoardBefore = () => {
    const { asked, dealt, pending } = store.state.work;
    job.stop();
    if (!dealt || !asked) void openAddress("");
    else if (pending) void undo();
    else problem(undefined);
  };

  return { undo, redo, openAddress, openFile, toBoardBefore };
}

function draftActions({ store, hear, problem }: Context) {
  const change = (draft: Partial<Draft>) => store.change({ draft: { ...store.state.work.draft, ...draft } });

  /** Goes to a position of the draft, which may be a new one. */
  const place = (placed: number[]) => {
    const { dealt, draft } = store.state.work;
    const lines = withLine(linesOf(draft), placed);
    if (lines.length > MOST_LINES) {
      problem({ text: say("tree.full", { n: MOST_LINES }) });
      return;
    }
    change({ placed, lines });
    const player = snake(draft.players)[placed.length - 1] + 1;
    if (!placed.length) hear(say("tree.start"));
    else if (dealt) hear(say("settle.placed", { player, place: vertexInWords(dealt.board, placed.at(-1)!) }));
  };

  /** Removes the last move, with all lines through it. */
  const removeMove = () => {
    const { draft } = store.state.work;
    change({ placed: draft.placed.slice(0, -1), lines: withoutMove(linesOf(draft), draft.placed) });
  };

  const promote = () => {
    const { draft } = store.state.work;
    change({ lines: withMain(linesOf(draft), draft.placed) });
  };

  const players = (n: number) => store.change({ draft: { players: n, placed: [] } });

  return { place, players, removeMove, promote };
}
