/** Pieces that slide to their new places when a board of the same layout takes the place of another. */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Pair } from "../core/data";
import type { Board } from "../core/notation";
import { place } from "./geometry";

/** Milliseconds after a board during which the next one appears at once, without sliding pieces. */
const HURRY = 1000;
const TIMING = { duration: 420, easing: "cubic-bezier(0.2, 0.7, 0.2, 1)" };

/** For each tile whose piece changed, the tile from which an equal piece comes, if one left its tile. */
export function origins<Piece>(before: Piece[], after: Piece[]): (number | undefined)[] {
  const sources = new Map<Piece, number[]>();
  before.forEach((piece, t) => {
    if (piece !== after[t]) sources.set(piece, [...(sources.get(piece) ?? []), t]);
  });
  return after.map((piece, t) => (piece === before[t] ? undefined : sources.get(piece)?.shift()));
}

export function useSlides(svg: RefObject<SVGSVGElement | null>, board: Board, live: boolean): void {
  const last = useRef({ board, at: -HURRY });
  useLayoutEffect(() => {
    const { board: before, at } = last.current;
    if (!live || before === board) return;
    last.current = { board, at: performance.now() };
    const { layout } = board;
    if (before.layout.name !== layout.name) return;
    if (performance.now() - at < HURRY) {
      for (const animation of svg.current?.getAnimations({ subtree: true }) ?? []) animation.cancel();
      return;
    }
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const slide = (kind: string, from: (number | undefined)[]) => {
      for (const [t, source] of from.entries()) {
        if (source === undefined) continue;
        const [start, end]: Pair[] = [place(layout.tiles[source], layout), place(layout.tiles[t], layout)];
        const moved = `translate(${start[0] - end[0]}px, ${start[1] - end[1]}px)`;
        svg.current
          ?.querySelector(`[data-${kind}="${t}"]`)
          ?.animate([{ transform: moved }, { transform: "none" }], TIMING);
      }
    };
    slide("land", origins(before.terrain, board.terrain));
    slide("disc", origins(before.markers, board.markers));
  }, [board, live, svg]);
}
