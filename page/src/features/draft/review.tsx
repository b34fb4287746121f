/** The chance of each settlement's player before and after it (`catan_cp.review_opening`). Loaded when it is opened. */

import { useEffect, useState } from "preact/hooks";
import later from "../../../languages/later/en.json";
import { vertexInWords } from "../../board/props";
import type { Worth } from "../../core/data";
import { type Rest, snake } from "../../core/draft";
import { addEnglish, say, tenths } from "../../core/language";
import type { Board } from "../../core/notation";
import { Badge } from "./figures";
import { useAsk } from "./use_ask";

addEnglish(later);

interface Props {
  board: Board;
  players: number;
  placed: number[];
  worth: Worth;
}

/** The largest difference of chances that the sentences treat as none, as in the library. */
const SAME = 0.0005;

export function Review({ board, players, placed, worth }: Props) {
  const ask = useAsk(board, players, worth);
  const [rests, setRests] = useState<Rest[]>([]);
  useEffect(() => {
    let isOpen = true;
    const all = async () => {
      for (let n = 0; n <= placed.length && isOpen; n++) {
        const { rest } = await ask(placed.slice(0, n), true);
        if (rest && isOpen) setRests((before) => [...before.slice(0, n), rest]);
      }
    };
    void all().catch(() => undefined);
    return () => {
      isOpen = false;
    };
  }, [board, players, placed]);
  return (
    <ol class="review">
      {rests.slice(1, placed.length + 1).map((rest, turn) => {
        const player = snake(players)[turn];
        const [before, after] = [rests[turn], rest].map(({ chances }) => chances[player]);
        const best = rests[turn].order[turn];
        return (
          <li key={turn}>
            <Badge player={player} />{" "}
            {say("review.move", {
              place: vertexInWords(board, placed[turn]),
              before: tenths(before),
              after: tenths(after),
            })}{" "}
            {before - after <= SAME
              ? say("review.best")
              : say("review.better", { place: vertexInWords(board, best), n: tenths(before - after) })}
          </li>
        );
      })}
    </ol>
  );
}
