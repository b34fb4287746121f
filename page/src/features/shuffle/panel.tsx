/** The buttons that shuffle one kind of pieces, and the choice of what a tap on a tile does. */

import { inWords } from "../../board/props";
import { say } from "../../core/language";
import type { Board } from "../../core/notation";
import { Button } from "../../widgets/button";
import type { Part, Swapping } from "./parts";

const NAMES: Record<Part, string> = {
  markers: "group.numbers",
  terrain: "group.terrain",
  harbors: "group.harbors",
};

export const ShuffleButtons = ({ parts, onShuffle }: { parts: Part[]; onShuffle: (part: Part) => void }) => (
  <fieldset>
    <legend>{say("shuffle")}</legend>
    <div class="row">
      {parts.map((part) => (
        <Button key={part} text={NAMES[part]} onClick={() => onShuffle(part)} />
      ))}
    </div>
  </fieldset>
);

interface SwapProps {
  board: Board;
  swapping: Swapping | undefined;
  /** The tile that was tapped first. */
  picked: number | undefined;
  onSwapping: (swapping: Swapping | undefined) => void;
}

export function SwapChoice({ board, swapping, picked, onSwapping }: SwapProps) {
  return (
    <>
      <fieldset class="choice">
        <legend>{say("swap")}</legend>
        {([undefined, "tiles", "markers"] as const).map((each) => (
          <label key={each} class={swapping === each ? "on" : ""}>
            <input type="radio" name="swap" checked={swapping === each} onChange={() => onSwapping(each)} />
            {say(`swap.${each ?? "none"}`)}
          </label>
        ))}
      </fieldset>
      <p class="small">
        {!swapping
          ? say("lay.how")
          : picked === undefined
            ? say(`swap.${swapping}.how`)
            : pickedInWords(board, picked)}
      </p>
    </>
  );
}

export const pickedInWords = (board: Board, t: number): string =>
  say("swap.picked", { n: t + 1, tile: inWords(board, t) });
