/**
 * How a draft goes on, and the best moves: the one answer behind every chance on the page. Three and four players
 * maximize their chances to win (`chance_game.ts`, `chance_line` and `move_chances` in the library). Others maximize their
 * odds.
 */

import { ChanceGame, CLOSE } from "./chance_game";
import type { Worth } from "./data";
import type { Board } from "./notation";
import { openVertices, pairLogOdds } from "./odds";
import { OwnGame } from "./own_game";
import { isMeasured } from "./scores";

export { openVertices } from "./odds";

/** The maximum number of players whose game of chances is solved. */
const MOST_EXACT = 4;

export interface Move {
  /** From 1. */
  player: number;
  vertex: number;
  /** To win with it. */
  chance: number;
}

/** How a draft ends if all go on as the game says. */
export interface Rest {
  /** The vertices in the order of turns. */
  order: number[];
  /** Each player's first and second settlement. */
  pairs: [number, number][];
  chances: number[];
}

/** The next player's moves, the best one first, and how the draft goes on with it. */
export interface Course {
  /** Undefined if not all find room. */
  rest: Rest | undefined;
  moves: Move[];
}

/** Who places when, from 0. */
export const snake = (players: number): number[] => {
  const order = Array.from({ length: players }, (_, i) => i);
  return [...order, ...[...order].reverse()];
};

/** Whether players maximize their chances, which games have measured. */
export const isExact = (board: Board, worth: Worth, players: number): boolean =>
  players <= MOST_EXACT && isMeasured(board, worth, players);

export class DraftGame {
  private readonly logOdds: Float64Array;
  private readonly open: number[];
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
    this.open = openVertices(board);
    this.isExact = isExact(board, worth, players);
    if (this.isExact) {
      const most = this.logOdds.reduce((a, b) => Math.max(a, b));
      const odds = this.logOdds.map((value) => Math.exp(value - most));
      const game = new ChanceGame({ n: neighbors.length, odds, neighbors, open: this.open }, players);
      this.solve = (placed) => game.solve(placed)?.order;
    } else {
      const game = new OwnGame(this.logOdds, neighbors, this.open, players);
      this.solve = (placed) => game.solve(placed);
    }
  }

  /** The vertices that may be settled next. */
  free(placed: number[]): number[] {
    const near = new Set(placed.flatMap((v) => [v, ...this.board.layout.vertexNeighbors[v]]));
    return this.open.filter((v) => !near.has(v));
  }

  /** The expected end of the draft; undefined if not all find room. */
  rest(placed: number[]): Rest | undefined {
    const order = this.solve(placed);
    if (!order) return undefined;
    const n = this.board.layout.vertices.length;
    const pairs = Array.from({ length: this.players }, (_, p): [number, number] => [
      order[p],
      order.at(-1 - p)!,
    ]);
    const odds = pairs.map(([first, second]) => Math.exp(this.logOdds[first * n + second]));
    const all = odds.reduce((sum, each) => sum + each, 0);
    return { order, pairs, chances: odds.map((each) => each / all) };
  }

  /** All moves by what they lead to, the best one first, the lowest vertex of equal ones. */
  course(placed: number[]): Course {
    const player = snake(this.players)[placed.length];
    if (player === undefined) return { rest: this.rest(placed), moves: [] };
    const n = this.board.layout.vertices.length;
    const found = this.free(placed).flatMap((vertex) => {
      const rest = this.rest([...placed, vertex]);
      if (!rest) return [];
      const [first, second] = rest.pairs[player];
      const value = this.isExact ? rest.chances[player] : this.logOdds[first * n + second];
      return [{ vertex, rest, value }];
    });
    found.sort((a, b) => b.value - a.value || a.vertex - b.vertex);
    // Chances that differ by rounding errors are equal.
    for (let end = 1; end < found.length; end++) {
      for (
        let i = end;
        i && found[i].value > found[i - 1].value - CLOSE && found[i].vertex < found[i - 1].vertex;
        i--
      )
        [found[i - 1], found[i]] = [found[i], found[i - 1]];
    }
    return {
      rest: found[0]?.rest,
      moves: found.map(({ vertex, rest }) => ({ player: player + 1, vertex, chance: rest.chances[player] })),
    };
  }
}
