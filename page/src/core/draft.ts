/**
 * The line of play and the best moves of a draft. All chances on the page come from here. Three and four players maximize
 * their chances to win (`chance_line` and `move_chances` in the library). Others maximize their odds.
 */

import { ChanceGame, CLOSE } from "./chance_game";
import type { Worth } from "./data";
import { sumOf } from "./lists";
import type { Board } from "./notation";
import { freeVertices, openVertices, pairLogOdds } from "./odds";
import { OwnGame } from "./own_game";
import { isMeasured } from "./scores";

/** The maximum number of players whose game of chances is solved. */
const MOST_EXACT = 4;

export interface Move {
  /** From 1. */
  player: number;
  vertex: number;
  /** The chance to win with it. */
  chance: number;
  /** The draft that follows it. */
  rest: Rest;
}

/** The expected end of a draft. */
export interface Rest {
  /** The vertices in the order of turns. */
  order: number[];
  /** Each player's first and second settlement. */
  pairs: [number, number][];
  /** By player, the logarithm of the odds to win, and the chance. */
  logOdds: number[];
  chances: number[];
}

/** The next player's moves, the best one first, and the draft that follows it. */
export interface Course {
  /** Undefined if not all can settle. */
  rest: Rest | undefined;
  moves: Move[];
}

/** The players in the order of turns, from 0. */
export const snake = (players: number): number[] => {
  const order = Array.from({ length: players }, (_, i) => i);
  return [...order, ...[...order].reverse()];
};

/** Whether players maximize their chances, which games have measured. */
export const isExact = (board: Board, worth: Worth, players: number): boolean =>
  players <= MOST_EXACT && isMeasured(board, worth, players);

export class DraftGame {
  private readonly logOdds: Float64Array;
  /** The line of play after the vertices placed. */
  private readonly solve: (placed: number[]) => number[] | undefined;
  private readonly isExact: boolean;

  constructor(
    private readonly board: Board,
    readonly players: number,
    worth: Worth,
  ) {
    const { vertexNeighbors: neighbors } = board.layout;
    this.logOdds = pairLogOdds(board, worth);
    const open = openVertices(board);
    this.isExact = isExact(board, worth, players);
    if (this.isExact) {
      const most = this.logOdds.reduce((a, b) => Math.max(a, b));
      const odds = this.logOdds.map((value) => Math.exp(value - most));
      const game = new ChanceGame({ n: neighbors.length, odds, neighbors, open }, players);
      this.solve = (placed) => game.solve(placed)?.order;
    } else {
      const game = new OwnGame(this.logOdds, neighbors, open, players);
      this.solve = (placed) => game.solve(placed);
    }
  }

  /** The expected end of the draft. Undefined if not all can settle. */
  rest(placed: number[]): Rest | undefined {
    const order = this.solve(placed);
    if (!order) return undefined;
    const n = this.board.layout.vertices.length;
    const pairs = Array.from({ length: this.players }, (_, p): [number, number] => [
      order[p],
      order.at(-1 - p)!,
    ]);
    const logOdds = pairs.map(([first, second]) => this.logOdds[first * n + second]);
    const odds = logOdds.map(Math.exp);
    const all = sumOf(odds);
    return { order, pairs, logOdds, chances: odds.map((own) => own / all) };
  }

  /** All moves, the best one first. Of equal moves, the lowest vertex is first. */
  course(placed: number[]): Course {
    const player = snake(this.players)[placed.length];
    if (player === undefined) return { rest: this.rest(placed), moves: [] };
    const moves = freeVertices(this.board, placed).flatMap((vertex) => {
      const rest = this.rest([...placed, vertex]);
      if (!rest) return [];
      const value = (this.isExact ? rest.chances : rest.logOdds)[player];
      return [{ vertex, rest, value }];
    });
    moves.sort((a, b) => b.value - a.value || a.vertex - b.vertex);
    // Chances that differ by rounding errors are equal.
    for (let end = 1; end < moves.length; end++) {
      for (
        let i = end;
        i && moves[i].value > moves[i - 1].value - CLOSE && moves[i].vertex < moves[i - 1].vertex;
        i--
      )
        [moves[i - 1], moves[i]] = [moves[i], moves[i - 1]];
    }
    return {
      rest: moves[0]?.rest,
      moves: moves.map(({ vertex, rest }) => ({
        player: player + 1,
        vertex,
        chance: rest.chances[player],
        rest,
      })),
    };
  }
}
