/** The chances at all positions of a tree, which a worker computes one after the other. */

import { useEffect, useReducer, useRef } from "preact/hooks";
import { notation } from "../../core/notation";
import type { Answer, Question } from "./draft.worker";
import type { Course } from "./use_course";

/** The known chances of the last board, by position. */
let known = { name: "", chances: new Map<string, number[]>() };

/** Returns the seats' chances at a position, if players choose their best moves from there. Undefined until they are known. */
export function useFigures(
  { board, players, placed, worth }: Omit<Question, "number">,
  course: Course | undefined,
  positions: number[][],
): (moves: number[]) => number[] | undefined {
  const name = `${players} ${notation(board)}`;
  if (known.name !== name) known = { name, chances: new Map() };
  const { chances } = known;
  if (course?.rest) chances.set(placed.join(), course.rest.chances);
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const worker = useRef<Worker | undefined>(undefined);
  // After the moves of this position. The last positions take the least time.
  const isReady = course?.measured && course.moves !== undefined;
  const next = isReady ? positions.findLast((moves) => !chances.has(moves.join())) : undefined;
  useEffect(() => {
    if (!next) return;
    worker.current ??= new Worker(new URL("draft.worker.js", document.baseURI), { type: "module" });
    worker.current.onmessage = ({ data }: MessageEvent<Answer>) => {
      chances.set(data.placed.join(), data.rest?.chances ?? []);
      redraw(undefined as never);
    };
    const question = { number: 0, board, players, placed: next, worth, restOnly: true };
    worker.current.postMessage(question satisfies Question);
  }, [name, next?.join()]);
  useEffect(
    () => () => {
      worker.current?.terminate();
      worker.current = undefined;
    },
    [name],
  );
  return (moves) => chances.get(moves.join());
}
