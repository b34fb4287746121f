/** Custom constraints: texts in force, drafts, and help to write them. */

import { type Constraint, type Fault, readOwn } from "../../core/constraint";
import type { Language, Layout } from "../../core/data";
import { keep, recall } from "../../core/memory";

export interface Draft extends Constraint {
  id: number;
  /** The constraint in force that this draft states, or replaces once it is applied. */
  ruling?: Constraint;
  fault?: Fault;
}

export const isSame = (a: Constraint, b: Constraint): boolean =>
  a.text === b.text && (a.says ?? "") === (b.says ?? "");

let lastId = 0;
export const newDraft = (text = "", says = ""): Draft => ({ id: ++lastId, text, says });

/** The drafts with those in force marked. Rules can change elsewhere: by undo, a link, or a removed conflict. */
export function synced(desk: Draft[], own: Constraint[]): Draft[] {
  const rest = [...own];
  const take = (wanted: Constraint): Constraint | undefined => {
    const at = rest.findIndex((each) => isSame(each, wanted));
    return at < 0 ? undefined : rest.splice(at, 1)[0];
  };
  const first = desk.map((draft) => ({ ...draft, ruling: draft.ruling && take(draft.ruling) }));
  const marked = first.map((draft) => ({ ...draft, ruling: draft.ruling ?? take(draft) }));
  return [...marked, ...rest.map((each) => ({ ...newDraft(each.text, each.says), ruling: each }))];
}

/** The constraints in force after a draft is applied, or set aside where `on` is false. */
export function applied(draft: Draft, own: Constraint[], on: boolean): Constraint[] {
  const next: Constraint = { text: draft.text, ...(draft.says ? { says: draft.says } : {}) };
  const at = draft.ruling ? own.findIndex((each) => isSame(each, draft.ruling!)) : -1;
  if (at < 0) return on ? [...own, next] : own;
  return on ? own.with(at, next) : own.toSpliced(at, 1);
}

const MOST = 50;

/** The drafts that the device stores, if they are readable. */
function stored(longest: number): Constraint[] | undefined {
  try {
    return readOwn(JSON.parse(recall("desk") ?? ""))
      ?.filter(({ text, says }) => text.length <= longest && (says ?? "").length <= longest)
      .slice(-MOST);
  } catch {
    return undefined;
  }
}

/** The drafts as this tab read or stored them last. */
let known: Constraint[] = [];

/** The drafts with the new ones of other tabs. A draft that two tabs changed appears twice. */
export function merged(desk: Draft[], longest: number): Draft[] {
  const others = stored(longest);
  if (!others) return desk;
  const isIn = (all: Constraint[], draft: Constraint): boolean => all.some((each) => isSame(each, draft));
  const rest = desk.filter((draft) => draft.ruling || isIn(others, draft) || !isIn(known, draft));
  const added = others.filter((each) => !isIn(known, each) && !isIn(rest, each));
  known = others;
  return [...rest, ...added.map(({ text, says }) => newDraft(text, says))];
}

export function keepDesk(desk: Draft[], longest: number): void {
  const written = desk.filter(({ text }) => text.trim()).slice(-MOST);
  keep("desk", JSON.stringify(written.map(({ text, says }) => ({ text, says: says ?? "" }))));
  known = stored(longest) ?? [];
}

/** Six examples. `example.NAME` in the language files states each. */
export const EXAMPLES: Record<string, string> = {
  rim: "forall(t in coast)(terrain[t] != GRAIN)",
  ore: "forall(t in TILE where terrain[t] = ORE)(not red[t])",
  brick: `forall(t in TILE)(
  terrain[t] = BRICK ->
    exists(n in neighbors[t])(terrain[n] = LUMBER))`,
  inland: `forall(t in coast)(
  marker[t] != 6 /\\ marker[t] != 8)`,
  equal: "equal_neighbors() <= 8",
  rich: `% An own function, then a constraint with it.
function var bool: rich(VERTEX: v) =
  sum(t in vertex_tiles[v])(pips[t]) >= 12;
constraint sum(v in INLAND)(rich(v)) <= 3;`,
};

/** Texts to insert, by group. `|` marks the cursor. `name.WORD` in the language files explains the first word. */
export function palette(layout: Layout, harbors: boolean, language: Language): Record<string, string[]> {
  const measures = ["terrain_measures", "measures"];
  return {
    logic: ["forall(t in TILE)(|)", "exists(t in TILE)(|)", "sum(t in TILE)(|)", "/\\", "\\/", "->", "not"],
    board: ["terrain[t]", "marker[t]", "pips[t]", "red[t]", ...(harbors ? ["harbor[h]"] : [])],
    places: ["TILE", "coast", "centre", "neighbors[t]", "INLAND", "vertex_tiles[v]"],
    terrains: layout.terrains.map((name) => name.toUpperCase().replaceAll("-", "_")),
    measures: Object.keys(language.names)
      .filter(
        (name) => measures.includes(language.names[name]) && /_touching$|_neighbors$|_vertex_/.test(name),
      )
      .map((name) => `${name}()`),
  };
}
