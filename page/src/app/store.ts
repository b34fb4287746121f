/**
 * All that the page shows, as one value. `work` is what undo and redo restore; the rest is the view. A new field needs its
 * type and its value in `START`. Components read `store.state`, and change it with `set` (view) and `change` (work).
 */

import type { Draft } from "../core/address";
import type { Fault } from "../core/constraint";
import type { Pair } from "../core/data";
import { current } from "../core/language";
import { type Board, open, type Pattern } from "../core/notation";
import type { Asked } from "../core/rules";
import type { Shown } from "../features/check/panel";
import type { Repaired } from "../features/repair/repair";
import type { Dialog } from "../widgets/sheet";
import type { Problem, Tab } from "./stage";

/** A board, and what was asked for when it was dealt. */
export interface Dealt extends Asked {
  board: Board;
}

/** What undo restores. */
export interface Work {
  /** What the next board is dealt by. */
  asked?: Asked;
  dealt?: Dealt;
  draft: Draft;
  /** A board that is entered by hand, until it is complete. */
  entry?: Pattern;
  /** The tile, or the vertices of a harbor, that was touched to enter a piece. */
  touched?: number | Pair;
  /** What *Repair* changed, if the board is its result. */
  repaired?: Repaired;
  /** Whether `asked` was changed to deal a board that has not arrived. */
  pending: boolean;
}

export interface View {
  busy: boolean;
  /** What goes on, in words, if it takes long. */
  progress?: string;
  problem?: Problem;
  /** What MiniZinc rejects of the user's constraints. */
  fault?: Fault & { own: number };
  tab: Tab;
  /** The heat map of *Check*; undefined for marks if there are any, otherwise for chances. */
  shown?: Shown;
  /** Whether the expected line of play is shown. */
  foresee: boolean;
  /** What is printed: one page, or sheets in true size. */
  sheets: "page" | "true";
  /** The text for screen readers. */
  heard: string;
  /** The one rule whose places are ringed; otherwise all are. */
  ringed?: string;
  /** Whether the solver is loaded at the moment. */
  loading: boolean;
  menu: boolean;
  /** Whether the layouts are open to choose from. */
  choosing: boolean;
  language: string;
  /** The dialog that is open over the page. */
  dialog?: Dialog;
}

export interface State extends View {
  work: Work;
  past: Work[];
  future: Work[];
}

export interface Store {
  readonly state: State;
  /** Has a function called after each change. */
  onChange: (changed: () => void) => void;
  set: (view: Partial<View>) => void;
  /** Changes the work by a step that undo takes back. */
  change: (work: Partial<Work>) => void;
  /** Changes the work within the last step. */
  amend: (work: Partial<Work>) => void;
  undo: () => void;
  redo: () => void;
}

/** The maximum number of steps that undo takes back. */
const STEPS = 200;

const START: Omit<State, "language"> = {
  work: { draft: { players: 4, placed: [] }, pending: false },
  past: [],
  future: [],
  busy: false,
  loading: false,
  tab: "deal",
  foresee: false,
  sheets: "page",
  heard: "",
  menu: false,
  choosing: false,
};

export function createStore(): Store {
  let changed = (): void => undefined;
  let state: State = { ...START, language: current };
  const put = (next: Partial<State>): void => {
    // A screen reader says the same text again only if something in it changed.
    const again = next.heard !== undefined && next.heard === state.heard;
    state = { ...state, ...next, ...(again && { heard: `${next.heard}\u00a0` }) };
    changed();
  };
  return {
    get state() {
      return state;
    },
    onChange: (listener) => {
      changed = listener;
    },
    set: put,
    change: (step) => {
      const { work, past } = state;
      put({
        work: { ...work, pending: false, ...step },
        past: [...past.slice(1 - STEPS), work],
        future: [],
      });
    },
    amend: (step) => put({ work: { ...state.work, ...step } }),
    undo: () => {
      const { work, past, future } = state;
      const before = past.at(-1);
      if (before)
        put({
          work: before,
          past: past.slice(0, -1),
          future: [...future, work],
          tab: tabOf(work, before) ?? state.tab,
        });
    },
    redo: () => {
      const { work, past, future } = state;
      const after = future.at(-1);
      if (after)
        put({
          work: after,
          past: [...past, work],
          future: future.slice(0, -1),
          tab: tabOf(work, after) ?? state.tab,
        });
    },
  };
}

/** The tab that shows what differs; undefined if each does. */
function tabOf(from: Work, to: Work): Tab | undefined {
  if (from.entry !== to.entry) return "judge";
  if (from.dealt !== to.dealt) return undefined;
  if (from.draft !== to.draft) return "settle";
  return from.asked === to.asked ? undefined : "deal";
}

/** What is kept of the board that is shown; nothing if another layout is asked for. */
export const keptOn = ({ board }: Dealt, asked: Asked): Pattern =>
  asked.layout === board.layout ? asked.kept : open(board.layout);

/** The rules for the board that is shown. */
export const rulingOf = ({ asked, dealt }: Work): Asked["chosen"] | undefined =>
  asked && dealt && asked.layout === dealt.board.layout ? asked.chosen : dealt?.chosen;
