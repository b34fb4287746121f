/** The draft's search, in a worker of its own. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Worth } from "../../core/data";
import type { Move, Rest } from "../../core/draft";
import type { Board } from "../../core/notation";
import { isMeasured } from "../../core/scores";
import type { Answer, Question } from "./draft.worker";

/** Milliseconds. */
const LIMIT = 20_000;

/** How the draft goes on, and the next player's moves, the best first: none if the time was too short. */
export interface Course {
  /** Undefined while it is searched. */
  moves?: Move[];
  rest?: Rest;
  /** Whether games have measured the chances on such a board: if not, they only rank moves. */
  measured: boolean;
}

/** The course of the draft on a board. */
export function useCourse(
  board: Board | undefined,
  players: number,
  placed: number[],
  worth: Worth,
): Course | undefined {
  const [found, setFound] = useState<{ course: Omit<Course, "measured">; of: unknown[] }>();
  const question = [board, players, placed];
  const worker = useRef<Worker | undefined>(undefined);
  const last = useRef(0);
  useEffect(() => {
    if (!board) return;
    const told = ({ rest, moves }: Omit<Course, "measured">): void =>
      setFound({ course: { rest, moves }, of: question });
    const number = ++last.current;
    const asked = performance.now();
    worker.current ??= new Worker(new URL("draft.worker.js", document.baseURI), { type: "module" });
    const timer = setTimeout(() => {
      worker.current?.terminate();
      worker.current = undefined;
      told({ rest: undefined, moves: [] });
    }, LIMIT);
    worker.current.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (data.number !== number) return; // the answer to a question that nobody asks any more
      clearTimeout(timer);
      performance.measure("best moves", { start: asked });
      told(data);
    };
    worker.current.postMessage({ number, board, players, placed, worth } satisfies Question);
    return () => clearTimeout(timer);
  }, question);
  // What was found for the moves before is nobody's course now.
  const course = found?.of.every((each, i) => each === question[i]) ? found.course : undefined;
  return useMemo(
    () => board && { ...course, measured: isMeasured(board, worth, players) },
    [board, players, worth, course],
  );
}
