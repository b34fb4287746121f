/** The search of the draft, in a worker. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Worth } from "../../core/data";
import { isExact, type Move, type Rest } from "../../core/draft";
import type { Board } from "../../core/notation";
import { isMeasured } from "../../core/scores";
import type { Answer, Question } from "./draft.worker";

/** Milliseconds. */
const LIMIT = 30_000;

/** The expected draft and the next player's moves, the best first. Without an answer in time there are no moves. */
export interface Course {
  /** Undefined while it is searched. */
  moves?: Move[];
  rest?: Rest;
  /** Whether games have measured the chances on such a board. Otherwise they only rank moves. */
  measured: boolean;
  /** Whether players maximize their chances. Otherwise they maximize their odds. */
  exact: boolean;
}

export function useCourse(
  board: Board | undefined,
  players: number,
  placed: number[],
  worth: Worth,
): Course | undefined {
  const [found, setFound] = useState<{ course: Pick<Course, "moves" | "rest">; of: unknown[] }>();
  const question = [board, players, placed];
  const worker = useRef<Worker | undefined>(undefined);
  const last = useRef(0);
  useEffect(() => {
    if (!board) return;
    const number = ++last.current;
    const started = performance.now();
    let answered = false;
    worker.current ??= new Worker(new URL("draft.worker.js", document.baseURI), { type: "module" });
    const end = () => {
      worker.current?.terminate();
      worker.current = undefined;
    };
    const timer = setTimeout(() => {
      end();
      setFound({ course: { moves: [] }, of: question });
    }, LIMIT);
    worker.current.onmessage = ({ data: { rest, moves, ...data } }: MessageEvent<Answer>) => {
      if (data.number !== number) return;
      answered = true;
      clearTimeout(timer);
      performance.measure("best moves", { start: started });
      setFound({ course: { rest, moves }, of: question });
    };
    worker.current.postMessage({ number, board, players, placed, worth } satisfies Question);
    return () => {
      clearTimeout(timer);
      if (!answered) end(); // another question does not wait for this one
    };
  }, question);
  // The answer to another question is not shown.
  const course = found?.of.every((each, i) => each === question[i]) ? found.course : undefined;
  return useMemo(
    () =>
      board && {
        ...course,
        measured: isMeasured(board, worth, players),
        exact: isExact(board, worth, players),
      },
    [board, players, worth, course],
  );
}
