/** Actions of the tab *Check*: entering a board piece by piece, and repairing one. */

import { placeInWords } from "../board/props";
import type { Chosen, Pair } from "../core/data";
import { drawn, emptied, harborsWith, isComplete, nextTile, patternOf, withPiece } from "../core/entry";
import { say } from "../core/language";
import { open, type Board as Value } from "../core/notation";
import { changedHarbors } from "../features/repair/plan";
import { changedInWords, repair } from "../features/repair/repair";
import { pickedInWords } from "../features/shuffle/panel";
import { type Swapping, swapped } from "../features/shuffle/parts";
import type { Context } from "./context";
import type { Deal } from "./deal_actions";
import { type Dealt, rulingOf, type Work } from "./store";

export function entryActions({ store, job, problem, hear, show }: Context, deal: Deal) {
  const leaveEntry = () => {
    const step = { entry: undefined, touched: undefined };
    if (store.state.work.entry) store.change(step);
    else store.amend(step);
  };

  const touch = (touched: number | Pair) => store.amend({ touched });

  /** Clears the board but for harbors and fishing grounds, to enter another one. */
  const empty = ({ layout, harbors, grounds }: Value) =>
    store.change({
      entry: { ...emptied(layout), harbors, grounds },
      touched: nextTile(emptied(layout), -1, layout),
    });

  const enter = (board: Value, touched: Work["touched"], heard: string) => {
    const { work } = store.state;
    const { layout } = board;
    const by = { layout, chosen: rulingOf(work) ?? {}, kept: open(layout) };
    job.stop();
    problem(undefined);
    show({ ...by, board }, { asked: by, touched }, heard);
  };

  const swapping = (kind: Swapping | undefined) => store.set({ swapping: kind, picked: undefined });

  /** Picks a tile, or swaps it with the picked one. */
  const swap = (t: number) => {
    const { work, picked, swapping } = store.state;
    if (!work.dealt || !swapping) return;
    const { board } = work.dealt;
    if (swapping === "markers" && !board.markers[t]) hear(say("swap.markers.how"));
    else if (picked === undefined) {
      store.set({ picked: t });
      hear(pickedInWords(board, t));
    } else if (picked === t) store.set({ picked: undefined });
    else {
      const pieces =
        swapping === "markers" ? board.markers : board.terrain.map((name) => say(`terrain.${name}`));
      const words = { a: picked + 1, b: t + 1, x: pieces[picked], y: pieces[t] };
      store.set({ shown: undefined });
      enter(
        swapped(board, picked, t, swapping),
        undefined,
        say(swapping === "tiles" ? "plan.both" : "plan.markers", words),
      );
    }
  };

  const layHarbor = (dealt: Dealt, place: Pair, trade: string) => {
    const { entry } = store.state.work;
    const before = entry ? drawn(entry, dealt.board) : dealt.board;
    const board = { ...before, harbors: harborsWith(before.harbors, place, trade, before.layout) };
    const exchanged = changedHarbors(before, board).filter(
      ({ vertices }) => vertices.join() !== place.join(),
    );
    const changed = [place, ...exchanged.map(({ vertices }) => vertices)];
    if (!entry) enter(board, place, "");
    else store.change({ entry: { ...entry, harbors: board.harbors } });
    hear(changed.map((each) => placeInWords(board, each)).join(". "));
  };

  /** Places a piece on the touched place, or removes it. With the last piece the board is shown. */
  const layPiece = (piece: string | number) => {
    const { asked, dealt, entry, touched } = store.state.work;
    if (!dealt || !asked || touched === undefined) return;
    if (typeof touched === "object") {
      layHarbor(dealt, touched, String(piece));
      return;
    }
    const { layout } = dealt.board;
    const before = entry ?? patternOf(dealt.board);
    const next = withPiece(before, touched, piece, layout);
    if (isComplete(next, layout)) {
      enter(drawn(next, dealt.board), undefined, say("lay.done"));
      return;
    }
    const more = [...next.terrain, ...next.markers].filter((each) => each !== undefined).length;
    const fewer = [...before.terrain, ...before.markers].filter((each) => each !== undefined).length;
    // The numbers begin at the first tile after the last terrain is placed.
    const turned = before.terrain.includes(undefined) && !next.terrain.includes(undefined);
    const to = more >= fewer ? nextTile(next, turned ? -1 : touched, layout) : touched;
    store.change({ entry: next, touched: to });
  };

  const layRest = () => {
    const { work } = store.state;
    if (!work.dealt || !work.asked) return;
    const { board } = work.dealt;
    void deal({
      layout: board.layout,
      chosen: rulingOf(work) ?? work.asked.chosen,
      kept: work.entry ?? patternOf(board),
    });
  };

  return { leaveEntry, touch, empty, swapping, swap, layPiece, layRest };
}

export function repairActions({ dealer, job, problem, failed, tell, show }: Context) {
  /** Shows the allowed board with the fewest changed tiles, and the changes. */
  const mend = (before: Value, chosen: Chosen): Promise<void> =>
    job.run(async (signal) => {
      tell(say("repair.search"));
      const proving = (n: number) => tell(say("repair.check", { n }));
      const result = await repair(dealer.world(before.layout), before, chosen, proving, signal);
      if (signal.aborted) return;
      if ("board" in result) {
        const { layout } = result.board;
        const next = { layout, chosen, kept: open(layout) };
        const heard = changedInWords(result);
        show({ ...next, board: result.board }, { asked: next, repaired: result }, heard);
      } else if (result.kind === "failed") failed(result.message);
      else problem({ text: say(result.kind === "timeout" ? "repair.timeout" : "repair.none") });
    });

  return { repair: (before: Value, chosen: Chosen) => void mend(before, chosen) };
}
