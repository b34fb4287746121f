/** Single questions to the worker of drafts. */

import { useEffect, useRef } from "preact/hooks";
import type { Worth } from "../../core/data";
import type { Board } from "../../core/notation";
import type { Answer, Question } from "./draft.worker";

type Ask = (placed: number[], restOnly?: boolean) => Promise<Answer>;

/** Asks the worker of drafts one question after another. */
export function useAsk(board: Board, players: number, worth: Worth): Ask {
  const worker = useRef<Worker | undefined>(undefined);
  useEffect(() => () => worker.current?.terminate(), []);
  return (placed, restOnly) =>
    new Promise((resolve, reject) => {
      worker.current ??= new Worker(new URL("draft.worker.js", document.baseURI), { type: "module" });
      worker.current.onmessage = ({ data }: MessageEvent<Answer>) => resolve(data);
      worker.current.onerror = reject;
      worker.current.postMessage({
        number: 0,
        board,
        players,
        placed,
        worth,
        restOnly,
      } satisfies Question);
    });
}
