/** Actions of the tab *Rules*: they generate boards and change the rules. */

import { constraintText, excerptAt, itemOf, OwnText, outOfRange, ownOf, withOwn } from "../core/constraint";
import { EVEN_RULES, type RulesData, readLayout } from "../core/data";
import { say } from "../core/language";
import { notation, open, type Board as Value } from "../core/notation";
import { checkedPlaces } from "../core/places";
import { type Asked, impossibleIn, only, possible, rulesOn, sameRules, withHarbors } from "../core/rules";
import { attempts, type Part, rulesFor, staying } from "../features/shuffle/parts";
import { conflictOf, KEPT, deal as search } from "../solver/dealing";
import type { Context } from "./context";
import { keptOn, rulingOf } from "./store";

/** Milliseconds until a search is announced. */
const PATIENCE = 1000;

/** Sets the task for the next board, and generates that board. */
export type Deal = (next: Asked) => Promise<void>;

export function createDeal({ store, dealer, rules, job, problem, failed, tell, show }: Context): Deal {
  /** If MiniZinc rejects the user's constraint, shows the error at its place. */
  const refusedBy = ({ layout, chosen }: Asked, { message, line }: { message: string; line?: number }) => {
    if (line === undefined) {
      failed(message);
      return;
    }
    const own = ownOf(chosen);
    const position = new OwnText(own, layout, rules.constraints).place(line);
    const { sample } = excerptAt(own[position.own].text, position.at);
    store.set({ fault: { ...position, key: "", word: "", message } });
    const words = outOfRange(message) ?? message;
    problem({ text: say("own.refused", { text: constraintText(own[position.own]) }), sample, words });
  };

  return (next) =>
    job.run(async (signal) => {
      const { work } = store.state;
      store.set({ fault: undefined });
      if (work.pending || !work.asked) store.amend({ asked: next, pending: true });
      else if (work.asked !== next) store.change({ asked: next, pending: true });
      const [none] = impossibleIn(next.chosen, next.layout, rules);
      if (none) {
        problem({ text: say("conflict"), conflict: [none] });
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
        tell(say("conflict.search"));
        const world = dealer.world(next.layout);
        const none = { took: answer.took, proven: answer.problem.proven };
        const { items, proven } = await conflictOf(world, next.chosen, next.kept, none, signal);
        problem({ text: say(proven ? "conflict" : "conflict.unproven"), conflict: items });
      }
    });
}

export function dealActions(context: Context, deal: Deal) {
  const { store, dealer, rules, failed, hear } = context;
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

  const keepTile = (t: number) => {
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

  const forget = () => {
    const { asked } = store.state.work;
    if (!asked) return;
    const next = { ...asked, kept: open(asked.layout) };
    store.change({ asked: next });
    dealer.prepare(next);
  };

  const dealWithout = (item: string) => {
    const { asked } = store.state.work;
    if (asked) void deal(without(item, asked, rules));
  };

  return {
    deal: (next: Asked) => void deal(next),
    changeLayout: (name: string) => void changeLayout(name),
    keepTile,
    forget,
    dealWithout,
    shuffle: createShuffle(context),
  };
}

/** Shuffles one kind of pieces. A board that breaks rules is shown with its check. */
function createShuffle({ store, dealer, rules, job, problem, tell, show }: Context) {
  return (part: Part) =>
    void job.run(async (signal) => {
      const { work } = store.state;
      const { asked, dealt } = work;
      if (!asked || !dealt) return;
      const { board } = dealt;
      const { layout } = board;
      const kept = keptOn(dealt, asked);
      const chosen = rulesFor(part, rulingOf(work) ?? asked.chosen, layout, rules);
      const isAsked = asked.layout === layout && sameRules(chosen, asked.chosen, rules);
      const next = isAsked ? asked : { layout, chosen, kept };
      const timer = setTimeout(() => tell(say("deal.search")), PATIENCE);
      signal.addEventListener("abort", () => clearTimeout(timer));
      for (const fields of attempts(part, board, chosen, rules)) {
        const pieces = staying(part, board, kept);
        const answer = await search(dealer.world(layout), only(fields, chosen, rules), pieces, signal);
        if (signal.aborted) return;
        if (!("board" in answer)) continue;
        show({ ...next, board: answer.board }, { asked: next });
        const places = checkedPlaces(answer.board, chosen, rules);
        if (Object.values(places).flat().length) store.set({ tab: "judge", shown: undefined });
        if (notation(answer.board) === notation(board)) problem({ text: say("dealt.same") });
        return;
      }
      problem({ text: say("shuffle.none") });
    });
}

/** The task without one part of a conflict. */
function without(item: string, asked: Asked, rules: RulesData): Asked {
  if (item === KEPT) return { ...asked, kept: open(asked.layout) };
  const own = ownOf(asked.chosen).filter((_, i) => itemOf(i) !== item);
  if (own.length < ownOf(asked.chosen).length)
    return { ...asked, even: false, chosen: withOwn(asked.chosen, own) };
  const chosen = Object.fromEntries(Object.entries(asked.chosen).filter(([field]) => field !== item));
  return { ...asked, even: false, chosen: possible(chosen, asked.layout, rules) };
}

/** Touches keep tile and number, then the tile alone, then the number alone, then neither. */
function nextKept(board: Value, { kept }: Asked, t: number): [boolean, boolean] {
  const [terrain, marker] = [kept.terrain[t] !== undefined, kept.markers[t] !== undefined];
  const numbered = board.markers[t] > 0;
  if (!terrain && !marker) return [true, numbered];
  if (terrain && marker) return [true, false];
  return [false, terrain && numbered];
}
