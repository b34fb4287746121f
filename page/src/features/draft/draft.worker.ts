/** Searches for best moves off the page's own thread. */

import type { Worth } from "../../core/data";
import { Game, type Move, type Rest } from "../../core/draft";
import { type Board, notation } from "../../core/notation";

export interface Question {
  number: number;
  board: Board;
  players: number;
  placed: number[];
  worth: Worth;
}

export interface Answer {
  number: number;
  /** None where not all find room. */
  rest: Rest | undefined;
  /** Of the next player, the best one first. */
  moves: Move[];
}

let game: Game | undefined;
let known = "";

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  const name = `${data.players} ${notation(data.board)}`;
  if (!game || known !== name) {
    game = new Game(data.board, data.players, data.worth);
    known = name;
  }
  const { placed } = data;
  postMessage({
    number: data.number,
    rest: game.rest(placed),
    moves: game.moves(placed),
  } satisfies Answer);
});
