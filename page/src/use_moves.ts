/** The draft's search, in a worker of its own. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Move } from "./draft";
import type { Answer, Question } from "./draft.worker";
import type { Board } from "./notation";

/** Milliseconds. */
const LIMIT = 20_000;

/** The best moves; undefined while they are searched or nobody asks, none where the time was too short. */
export function useMoves(board: Board | undefined, players: number, placed: number[]): Move[] | undefined {
  const [moves, setMoves] = useState<Move[]>();
  const worker = useRef<Worker | undefined>(undefined);
  const last = useRef(0);
  useEffect(() => {
    setMoves(undefined);
    if (!board) return;
    const number = ++last.current;
    const asked = performance.now();
    worker.current ??= new Worker(new URL("draft.worker.js", document.baseURI), { type: "module" });
    const timer = setTimeout(() => {
      worker.current?.terminate();
      worker.current = undefined;
      setMoves([]);
    }, LIMIT);
    worker.current.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (data.number !== number) return; // the answer to a question that nobody asks any more
      clearTimeout(timer);
      performance.measure("best moves", { start: asked });
      setMoves(data.moves);
    };
    worker.current.postMessage({ number, board, players, placed } satisfies Question);
    return () => clearTimeout(timer);
  }, [board, players, placed]);
  return moves;
}
