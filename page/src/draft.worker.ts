/** Searches for best moves off the page's own thread. */

import { Game, type Move } from "./draft";
import { type Board, notation } from "./notation";

export interface Question {
  number: number;
  board: Board;
  players: number;
  placed: number[];
}

export interface Answer {
  number: number;
  moves: Move[];
  milliseconds: number;
}

let game: Game | undefined;
let known = "";

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  const start = performance.now();
  const name = `${data.players} ${notation(data.board)}`;
  if (!game || known !== name) {
    game = new Game(data.board, data.players);
    known = name;
  }
  const moves = game.bestMoves(data.placed, 3);
  postMessage({ number: data.number, moves, milliseconds: performance.now() - start } satisfies Answer);
});
