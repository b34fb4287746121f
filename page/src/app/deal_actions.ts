/** Actions of the tab *Rules*: dealing boards, and what they must keep. */

import { itemOf, OwnText, outOfRange, ownOf, shown as shownIn, told, withOwn } from "../core/constraint";
import { EVEN_RULES, type RulesData, readLayout } from "../core/data";
import { say } from "../core/language";
import { notation, open, type Board as Value } from "../core/notation";
import { type Asked, impossibleIn, possible, rulesOn, withHarbors } from "../core/rules";
import { clash, KEPT } from "../solver/dealing";
import type { Context } from "./context";

/** Milliseconds until a search is announced. */
const PATIENCE = 1000;

/** Sets a task for the next board, and deals it. */
export type Deal = (next: Asked) => Promise<void>;

export function createDeal({ store, dealer, rules, job, problem, failed, tell, show }: Context): Deal {
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

  return (next) =>
    job.run(async (signal) => {
      const { work } = store.state;
      store.set({ fault: undefined });
      if (work.pending || !work.asked) store.amend({ asked: next, pending: true });
      else if (work.asked !== next) store.change({ asked: next, pending: true });
      const [none] = impossibleIn(next.chosen, next.layout, rules);
      if (none) {
        problem({ text: say("clash"), clash: [none] });
        return;
      }
      const timer = setTimeout(() => tell(say("deal.search")), PATIENCE);
      const answer = await dealer.deal(next, signal).finally(() => clearTimeout(timer));
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
}

export function dealActions({ store, dealer, rules, failed, hear }: Context, deal: Deal) {
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

  /** Deals without one part of a clash. */
  const dealWithout = (item: string): void => {
    const { asked } = store.state.work;
    if (asked) void deal(without(item, asked, rules));
  };

  return {
    deal: (next: Asked): void => void deal(next),
    changeLayout: (name: string): void => void changeLayout(name),
    keepTile,
    forget,
    dealWithout,
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
