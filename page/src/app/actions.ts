/** What the page does when somebody asks for it: each function changes the store, and starts work in the background. */

import { placeInWords, vertexInWords } from "../board/props";
import { LongAddress, readAddress } from "../core/address";
import { itemOf, OwnText, outOfRange, ownOf, shown as shownIn, told, withOwn } from "../core/constraint";
import {
  type Chosen,
  EVEN_RULES,
  type LayoutEntry,
  type Pair,
  type RulesData,
  readLayout,
} from "../core/data";
import { snake } from "../core/draft";
import { drawn, emptied, harborsWith, isComplete, laid, nextTile, patternOf } from "../core/entry";
import { say } from "../core/language";
import { MOST_ADDRESS } from "../core/limits";
import { BadNotation, notation, open, short, type Board as Value } from "../core/notation";
import { type Asked, possible, rulesOn, withHarbors } from "../core/rules";
import { changedHarbors } from "../features/repair/plan";
import { changedInWords, repair } from "../features/repair/repair";
import type { Dealer } from "../solver/dealer";
import { clash, KEPT } from "../solver/dealing";
import { createJob } from "./job";
import type { Problem } from "./stage";
import { type Dealt, rulingOf, type Store, type Work } from "./store";

export type Actions = ReturnType<typeof createActions>;

export function createActions(store: Store, dealer: Dealer, rules: RulesData, layouts: LayoutEntry[]) {
  const problem = (found: Problem | undefined): void => store.set({ problem: found });
  const failed = (reason: unknown): void => problem({ text: `${say("failed")} ${reason}` });
  const job = createJob((busy) => {
    store.set({ busy, progress: undefined, ...(busy && { problem: undefined }) });
  }, failed);
  const hear = (heard: string): void => store.set({ heard });
  /** Shows what goes on. Only the first words of a task are announced. */
  const tell = (progress: string): void =>
    store.set({ progress, ...(store.state.progress === undefined && { heard: progress }) });

  /** Shows a board as a step, or within the step that changed the rules for it. */
  const show = (dealt: Dealt, more: Partial<Work> = {}, heard = say("dealt")): void => {
    const { work } = store.state;
    const draft = { players: Math.min(work.draft.players, dealt.board.layout.players), placed: [] };
    const step = { entry: undefined, touched: undefined, repaired: undefined, dealt, draft, ...more };
    if (work.pending || !work.dealt) store.amend({ ...step, pending: false });
    else store.change(step);
    store.set({ heard, ringed: undefined, ...(more.repaired && { shown: undefined }) });
    dealer.prepare(dealt);
  };

  /** Where MiniZinc rejects the user's constraint, the error is shown at its place. */
  const refusedBy = (
    { layout, chosen }: Asked,
    { message, line }: { message: string; line?: number },
  ): void => {
    if (line === undefined) {
      failed(message);
      return;
    }
    const own = ownOf(chosen);
    const found = new OwnText(own, layout, rules.constraints).place(line);
    const { sample } = shownIn(own[found.own].text, found.at);
    store.set({ fault: { ...found, key: "", word: "", message } });
    const words = outOfRange(message) ?? message;
    problem({ text: say("own.refused", { text: told(own[found.own]) }), sample, words });
  };

  const deal = (next: Asked): Promise<void> =>
    job.run(async (signal) => {
      const { work } = store.state;
      store.set({ fault: undefined });
      if (work.pending || !work.asked) store.amend({ asked: next, pending: true });
      else if (work.asked !== next) store.change({ asked: next, pending: true });
      const answer = await dealer.deal(next, signal);
      if (signal.aborted) return;
      const before = work.dealt && notation(work.dealt.board);
      if ("board" in answer) {
        show({ ...next, board: answer.board });
        if (notation(answer.board) === before) problem({ text: say("dealt.same") });
      } else if (answer.problem.kind === "timeout") problem({ text: say("timeout") });
      else if (answer.problem.kind === "failed") refusedBy(next, answer.problem);
      else {
        tell(say("clash.search"));
        const world = dealer.world(next.layout);
        const none = { took: answer.took, proven: answer.problem.proven };
        const { items, proven } = await clash(world, next.chosen, next.kept, none, signal);
        problem({ text: say(proven ? "clash" : "clash.unproven"), clash: items });
      }
    });

  const changeLayout = async (name: string): Promise<void> => {
    try {
      const layout = await readLayout(name);
      store.set({ choosing: false });
      const { asked } = store.state.work;
      const chosen = asked
        ? rulesOn(
            layout,
            asked.even ? withHarbors(rules.presets[EVEN_RULES], asked.layout, rules) : asked.chosen,
            asked.layout,
            rules,
          )
        : withHarbors(rules.presets[layout.start], layout, rules);
      await deal({ layout, chosen, kept: open(layout) });
    } catch (reason) {
      failed(reason);
    }
  };

  const step = (to: "undo" | "redo"): void => {
    if (!store.state[to === "undo" ? "past" : "future"].length) return;
    job.stop();
    store[to]();
    store.set({ problem: undefined, fault: undefined, ringed: undefined, heard: say(`${to}.done`) });
  };
  const undo = (): void => step("undo");

  const openAddress = async (address: string): Promise<void> => {
    try {
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

  /** From a problem to the board that is shown, and the rules that it was dealt by. */
  const toBoardBefore = (): void => {
    const { asked, dealt, pending } = store.state.work;
    job.stop();
    if (!dealt || !asked) void openAddress("");
    else if (pending) undo();
    else problem(undefined);
  };

  const leaveEntry = (): void => {
    const step = { entry: undefined, touched: undefined };
    if (store.state.work.entry) store.change(step);
    else store.amend(step);
  };

  const touch = (touched: number | Pair): void => store.amend({ touched });

  /** Clears the board but for harbors and fishing grounds, to enter another one. */
  const empty = ({ layout, harbors, grounds }: Value): void =>
    store.change({
      entry: { ...emptied(layout), harbors, grounds },
      touched: nextTile(emptied(layout), -1, layout),
    });

  const keepTile = (t: number): void => {
    const { asked, dealt } = store.state.work;
    if (!asked || !dealt) return;
    const [terrain, marker] = nextKept(dealt.board, asked, t);
    const next = {
      ...asked,
      even: false,
      kept: {
        terrain: asked.kept.terrain.with(t, terrain ? dealt.board.terrain[t] : undefined),
        markers: asked.kept.markers.with(t, marker ? dealt.board.markers[t] : undefined),
      },
    };
    store.change({ asked: next });
    dealer.prepare(next);
    const both = terrain && marker;
    hear(say(`keep.${both ? "both" : terrain ? "terrain" : marker ? "marker" : "neither"}`));
  };

  const forget = (): void => {
    const { asked } = store.state.work;
    if (!asked) return;
    const next = { ...asked, kept: open(asked.layout) };
    store.change({ asked: next });
    dealer.prepare(next);
  };

  /** Shows a board that is entered. */
  const enter = (board: Value, touched: Work["touched"], heard: string): void => {
    const { work } = store.state;
    const { layout } = board;
    const by = { layout, chosen: rulingOf(work) ?? {}, kept: open(layout) };
    job.stop();
    problem(undefined);
    show({ ...by, board }, { asked: by, touched }, heard);
  };

  /** Lays a harbor at a place, or takes it off. */
  const layHarbor = (dealt: Dealt, place: Pair, trade: string): void => {
    const { entry } = store.state.work;
    const before = entry ? drawn(entry, dealt.board) : dealt.board;
    const board = { ...before, harbors: harborsWith(before.harbors, place, trade, before.layout) };
    const others = changedHarbors(before, board).filter(({ vertices }) => vertices.join() !== place.join());
    const changed = [place, ...others.map(({ vertices }) => vertices)];
    if (!entry) enter(board, place, "");
    else store.change({ entry: { ...entry, harbors: board.harbors } });
    hear(changed.map((each) => placeInWords(board, each)).join(". "));
  };

  /** Lays a piece where it was touched, or takes it off; with the last one, the board is shown. */
  const layPiece = (piece: string | number): void => {
    const { asked, dealt, entry, touched } = store.state.work;
    if (!dealt || !asked || touched === undefined) return;
    if (typeof touched === "object") {
      layHarbor(dealt, touched, String(piece));
      return;
    }
    const { layout } = dealt.board;
    const before = entry ?? patternOf(dealt.board);
    const next = laid(before, touched, piece, layout);
    if (isComplete(next, layout)) {
      enter(drawn(next, dealt.board), undefined, say("lay.done"));
      return;
    }
    const more = [...next.terrain, ...next.markers].filter((each) => each !== undefined).length;
    const fewer = [...before.terrain, ...before.markers].filter((each) => each !== undefined).length;
    // The numbers begin where the board does, once the last tile lies.
    const turned = before.terrain.includes(undefined) && !next.terrain.includes(undefined);
    const to = more >= fewer ? nextTile(next, turned ? -1 : touched, layout) : touched;
    store.change({ entry: next, touched: to });
  };

  /** Deals what is missing of a board that is entered. */
  const layRest = (): void => {
    const { work } = store.state;
    if (!work.dealt || !work.asked) return;
    const { board } = work.dealt;
    void deal({
      layout: board.layout,
      chosen: rulingOf(work) ?? work.asked.chosen,
      kept: work.entry ?? patternOf(board),
    });
  };

  /** Shows the board with the fewest tiles changed that keeps the rules, and what changed. */
  const mend = (before: Value, chosen: Chosen): Promise<void> =>
    job.run(async (signal) => {
      tell(say("repair.search"));
      const proving = (n: number): void => tell(say("repair.check", { n }));
      const found = await repair(dealer.world(before.layout), before, chosen, proving, signal);
      if (signal.aborted) return;
      if ("board" in found) {
        const { layout } = found.board;
        const next = { layout, chosen, kept: open(layout) };
        const heard = changedInWords(found);
        show({ ...next, board: found.board }, { asked: next, repaired: found }, heard);
      } else if (found.kind === "failed") failed(found.message);
      else problem({ text: say(found.kind === "timeout" ? "repair.timeout" : "repair.none") });
    });

  const place = (placed: number[]): void => {
    const { dealt, draft } = store.state.work;
    store.change({ draft: { ...draft, placed } });
    const player = snake(draft.players)[placed.length - 1] + 1;
    const isNew = dealt && placed.length > draft.placed.length;
    if (isNew) hear(say("settle.placed", { player, place: vertexInWords(dealt.board, placed.at(-1)!) }));
  };
  const players = (n: number): void => store.change({ draft: { players: n, placed: [] } });

  /** Deals without one part of a clash. */
  const dealWithout = (item: string): void => {
    const { asked } = store.state.work;
    if (asked) void deal(without(item, asked, rules));
  };

  return {
    deal: (next: Asked): void => void deal(next),
    stop: job.stop,
    changeLayout: (name: string): void => void changeLayout(name),
    repair: (before: Value, chosen: Chosen): void => void mend(before, chosen),
    ...{
      undo,
      redo: (): void => step("redo"),
      toBoardBefore,
      leaveEntry,
      touch,
      empty,
      keepTile,
      forget,
      layPiece,
      layRest,
    },
    ...{ place, players, dealWithout, openAddress },
  };
}

/** What is asked for, less one part of a clash. */
function without(item: string, asked: Asked, rules: RulesData): Asked {
  if (item === KEPT) return { ...asked, kept: open(asked.layout) };
  const own = ownOf(asked.chosen).filter((_, i) => itemOf(i) !== item);
  if (own.length < ownOf(asked.chosen).length)
    return { ...asked, even: false, chosen: withOwn(asked.chosen, own) };
  const chosen = Object.fromEntries(Object.entries(asked.chosen).filter(([field]) => field !== item));
  return { ...asked, even: false, chosen: possible(chosen, asked.layout, rules) };
}

/** A touch keeps tile and number, the next the tile alone, the next the number alone, then neither. */
function nextKept(board: Value, { kept }: Asked, t: number): [boolean, boolean] {
  const [terrain, marker] = [kept.terrain[t] !== undefined, kept.markers[t] !== undefined];
  const numbered = board.markers[t] > 0;
  if (!terrain && !marker) return [true, numbered];
  if (terrain && marker) return [true, false];
  return [false, terrain && numbered];
}
