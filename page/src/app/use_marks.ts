/** The marks of the tab *Check* on the board: violations, changes of a repair, or a heat map. */

import { useEffect, useMemo, useRef } from "preact/hooks";
import type { RulesData } from "../core/data";
import { say } from "../core/language";
import { checkedPlaces } from "../core/places";
import { inForce } from "../core/rules";
import { vertexPips } from "../core/scores";
import { judgedRules } from "../features/check/panel";
import type { Course } from "../features/draft/use_course";
import { planOf } from "../features/repair/plan";
import { rulingOf, type Store } from "./store";

export type Marks = ReturnType<typeof useMarks>;

export function useMarks(store: Store, rules: RulesData, course: Course | undefined, touching: boolean) {
  const { work, tab, shown, ringed } = store.state;
  const { dealt, entry, repaired } = work;
  const board = dealt?.board;
  const entering = tab === "judge" && entry !== undefined;
  const ruling = rulingOf(work);
  const places = useMemo(
    () =>
      board && ruling && tab === "judge" && !entering
        ? checkedPlaces(board, judgedRules(ruling, board.layout, rules), rules)
        : {},
    [board, ruling, tab, entering],
  );
  const force = ruling ? inForce(ruling, rules) : [];
  const rings = (ringed ? [ringed] : force).flatMap((field) => places[field] ?? []);
  const pairs = useMemo(
    () => repaired && planOf(repaired.before, repaired.board).map(({ tiles }) => tiles),
    [repaired],
  );
  const checking = tab === "judge" && !entering;
  const marked = repaired?.tiles ?? (ringed ? rings.flatMap(({ tiles }) => tiles) : []);
  const broken = force.some((field) => places[field]?.length);
  // Either a heat map or marks: numbers of tiles look like chances, and rings hide values.
  const hasMarks = checking && (rings.length > 0 || marked.length > 0);
  const map = shown ?? (hasMarks ? "none" : "chance");
  const marking = checking && map === "none";
  const values = useMemo(() => {
    if (!board || !checking || map === "none") return undefined;
    if (map === "pips" || !course?.exact) return vertexPips(board);
    const chances = board.layout.vertices.map(() => 0);
    for (const { vertex, chance } of course?.moves ?? []) chances[vertex] = 100 * chance;
    return course?.moves && chances;
  }, [board, checking, map, course]);

  // A board that is checked is announced with its verdict.
  const checked = tab === "judge" && !touching ? ruling && board : undefined;
  const nBroken = force.filter((field) => places[field]?.length).length;
  const last = useRef(board);
  useEffect(() => {
    const before = last.current !== board ? `${store.state.heard} ` : "";
    last.current = board;
    const verdict = say(nBroken ? "judge.heard.broken" : "judge.heard", { n: nBroken });
    if (checked) store.set({ heard: before + verdict });
  }, [checked, nBroken]);
  return { ruling, places, broken, map, marking, values, rings, marked, pairs };
}
