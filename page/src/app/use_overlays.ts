/** The open parts of the page. Back, Escape and taps close the topmost. */

import type { Actions } from "./actions";
import type { Store } from "./store";
import { useBack } from "./use_back";
import { useKeys } from "./use_keys";

/** Returns whether a place of the board is touched to enter a piece. */
export function useOverlays(store: Store, actions: Actions, address: () => string): boolean {
  const { tab, dialog, menu, choosing, problem, work, picked } = store.state;
  const touching = tab === "judge" && (work.entry !== undefined || work.touched !== undefined);
  const picking = tab === "judge" && picked !== undefined;
  const opened = [dialog, menu, choosing && tab === "deal", problem, touching, picking];
  const closeTop = () => {
    if (dialog) store.set({ dialog: undefined });
    else if (menu) store.set({ menu: false });
    else if (choosing && tab === "deal") store.set({ choosing: false });
    else if (problem) actions.toBoardBefore();
    else if (touching) actions.leaveEntry();
    else store.set({ picked: undefined });
  };
  useBack(opened.filter(Boolean).length, closeTop, address);
  const inside = menu ? ".menu" : choosing ? ".layouts" : ".side, .actions, .problem, [data-group]";
  useKeys({
    undo: actions.undo,
    redo: actions.redo,
    close: menu || (choosing && tab === "deal") || ((touching || picking) && !problem) ? closeTop : undefined,
    inside,
  });
  return touching;
}
