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
  /** Whether to answer without moves. */
  restOnly?: boolean;
}

export type Answer = Course & Pick<Question, "number" | "placed">;

let game: DraftGame | undefined;
let known = "";

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  const { number, board, players, placed, worth, restOnly } = data;
  const name = `${players} ${notation(board)}`;
  if (!game || known !== name) {
    game = new DraftGame(board, players, worth);
    known = name;
  }
  const course = restOnly ? { rest: game.rest(placed), moves: [] } : game.course(placed);
  postMessage({ number, placed, ...course } satisfies Answer);
});
