/** Solves drafts off the page's own thread. */

import type { Worth } from "../../core/data";
import { type Course, DraftGame } from "../../core/draft";
import { type Board, notation } from "../../core/notation";

export interface Question {
  number: number;
  board: Board;
  players: number;
  placed: number[];
  worth: Worth;
}

export type Answer = Course & { number: number };

let game: DraftGame | undefined;
let known = "";

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  const { number, board, players, placed, worth } = data;
  const name = `${players} ${notation(board)}`;
  if (!game || known !== name) {
    game = new DraftGame(board, players, worth);
    known = name;
  }
  postMessage({ number, ...game.course(placed) } satisfies Answer);
});
