/**
 * Settling in snake order when everybody does what is best for its own odds to win: the library's search with bounds
 * (catan_cp/placement/plain.py), exact in whole numbers, ties broken alike. Shared vectors hold it to the library.
 *
 * A position is the mask of the vertices that are still free, in 32-bit words.
 */

import type { Worth } from "./data";
import type { Board } from "./notation";
import { isMeasured, oddsOf, type Value, winChances } from "./scores";

type Mask = Int32Array;

export interface Move {
  /** From 1. */
  player: number;
  vertex: number;
  /** To win with it. */
  chance: number;
}

/** How a draft goes on when everybody does what is best for its own odds. */
export interface Rest {
  /** Each player's first and second settlement. */
  pairs: [number, number][];
  chances: number[];
}

interface Outcome {
  moves: [number, number][];
  free: Mask;
}

/** Who places when, from 0. */
export const snake = (players: number): number[] => {
  const order = Array.from({ length: players }, (_, i) => i);
  return [...order, ...[...order].reverse()];
};

/** The vertices on which one may settle: those that touch land, where the layout lets begin. */
export function openVertices({ layout, terrain }: Board): number[] {
  const begin = layout.settle.length ? layout.settle : layout.tiles.map((_, t) => t);
  const land = new Set(begin.filter((t) => terrain[t] !== "sea"));
  return layout.vertices.map((_, v) => v).filter((v) => layout.vertexTiles[v].some((t) => land.has(t)));
}

const has = (mask: Mask, v: number): boolean => ((mask[v >> 5] >>> (v & 31)) & 1) === 1;
const without = (mask: Mask, taken: Mask): Mask => mask.map((word, i) => word & ~taken[i]);

function count(mask: Mask): number {
  let bits = 0;
  for (let word of mask) for (; word; word &= word - 1) bits++;
  return bits;
}

export class Game {
  readonly n: number;
  private readonly near: Mask[];
  private readonly open: Mask;
  /** Vertices in the order in which they are tried first. */
  readonly candidates: number[];
  private readonly rank: number[];
  private readonly partners: number[][];
  private readonly scores: Int32Array[];
  private memo = new Map<number, Outcome | null>();
  private readonly value: Value;

  constructor(
    readonly board: Board,
    readonly players: number,
    readonly worth: Worth,
  ) {
    this.value = oddsOf(board, worth);
    const { layout } = board;
    this.n = layout.vertexTiles.length;
    const all = Array.from({ length: this.n }, (_, v) => v);
    const open = openVertices(board);
    this.near = all.map((v) => this.mask([v, ...layout.vertexNeighbors[v]]));
    this.open = this.mask(open);
    const singles = all.map((v) => this.value([v]));
    this.candidates = [...open].sort((a, b) => singles[b] - singles[a] || a - b);
    this.rank = [];
    this.candidates.forEach((v, i) => {
      this.rank[v] = i;
    });
    this.scores = all.map(() => new Int32Array(this.n).fill(-1));
    for (const a of open) {
      for (const b of open) {
        if (a < b && !has(this.near[a], b)) this.scores[a][b] = this.scores[b][a] = this.value([a, b]);
      }
    }
    this.partners = all.map((a) =>
      all
        .filter((b) => this.scores[a][b] >= 0)
        .sort((x, y) => this.scores[a][y] - this.scores[a][x] || x - y),
    );
  }

  private mask(vertices: number[]): Mask {
    const mask = new Int32Array(Math.ceil(this.n / 32));
    for (const v of vertices) mask[v >> 5] |= 1 << (v & 31);
    return mask;
  }

  private freeAfter(placed: number[]): Mask {
    return placed.reduce((free, v) => without(free, this.near[v]), this.open);
  }

  /** The vertices that may be settled next. */
  free(placed: number[]): number[] {
    const free = this.freeAfter(placed);
    return this.candidates.filter((v) => has(free, v)).sort((a, b) => a - b);
  }

  /** Whether so many more settlements fit: each takes at most four vertices away, so a count mostly answers. */
  private hasRoom(free: Mask, settlements: number): boolean {
    if (settlements <= 0) return true;
    if (count(free) > 4 * (settlements - 1)) return true;
    const left = free.slice();
    for (let v = 0; v < this.n; v++) {
      if (!has(left, v)) continue;
      if (this.hasRoom(without(left, this.near[v]), settlements - 1)) return true;
      left[v >> 5] &= ~(1 << (v & 31));
    }
    return false;
  }

  private bestSecond(player: number, first: number, free: Mask): number | undefined {
    return this.partners[first].find(
      (v) => has(free, v) && this.hasRoom(without(free, this.near[v]), player),
    );
  }

  private key(player: number, occupied: number[]): number {
    const sorted = [...occupied].sort((a, b) => a - b);
    return sorted.reduce((key, v) => key * (this.n + 1) + v + 1, player);
  }

  /** How play goes on from the first settlement of `player` on; null where somebody finds no room. */
  private visit(player: number, occupied: number[], free: Mask): Outcome | null {
    if (player === this.players) return { moves: [], free };
    const key = this.key(player, occupied);
    const known = this.memo.get(key);
    if (known !== undefined) return known;
    let best: Outcome | null = null;
    let mark = -1;
    let markRank = 0;
    for (const { bound, v } of this.bounds(free)) {
      if (bound < mark || (bound === mark && this.rank[v] >= markRank)) break;
      const found = this.follow(player, occupied, free, v);
      if (!found) continue;
      const value = this.scores[v][found.moves[0][1]];
      if (value > mark || (value === mark && this.rank[v] < markRank)) {
        mark = value;
        markRank = this.rank[v];
        best = found;
      }
    }
    this.memo.set(key, best);
    return best;
  }

  private follow(player: number, occupied: number[], free: Mask, v: number): Outcome | null {
    const later = this.visit(player + 1, [...occupied, v], without(free, this.near[v]));
    if (!later) return null;
    const second = this.bestSecond(player, v, later.free);
    if (second === undefined) return null;
    return { moves: [[v, second], ...later.moves], free: without(later.free, this.near[second]) };
  }

  /** Free candidates with the best that each can lead to, best first, then in the order of trying. */
  private bounds(free: Mask): { bound: number; v: number }[] {
    const found: { bound: number; v: number }[] = [];
    for (const v of this.candidates) {
      if (!has(free, v)) continue;
      const second = this.partners[v].find((u) => has(free, u));
      if (second !== undefined) found.push({ bound: this.scores[v][second], v });
    }
    return found.sort((a, b) => b.bound - a.bound || this.rank[a.v] - this.rank[b.v]);
  }

  /** Plays to the end; undefined where not all find room. */
  play(placed: number[]): [number, number][] | undefined {
    const { players } = this;
    const pairs: [number, number][] = [];
    let free = this.freeAfter(placed);
    if (placed.length < players) {
      const outcome = this.visit(placed.length, placed, free);
      if (!outcome) return undefined;
      outcome.moves.forEach((pair, i) => {
        pairs[placed.length + i] = pair;
      });
      free = outcome.free;
    }
    for (let player = Math.min(players, placed.length) - 1; player >= 0; player--) {
      const turn = 2 * players - 1 - player;
      const second = turn < placed.length ? placed[turn] : this.bestSecond(player, placed[player], free);
      if (second === undefined) return undefined;
      pairs[player] = [placed[player], second];
      if (turn >= placed.length) free = without(free, this.near[second]);
    }
    return pairs;
  }

  /** Each player's chance to win from here (`win_chances` in the library); undefined where not all find room. */
  rest(placed: number[]): Rest | undefined {
    const pairs = this.play(placed);
    return pairs && { pairs, chances: winChances(this.board, pairs, this.value, this.worth) };
  }

  /**
   * Where the next player may settle, each with the chance to win if all go on as in `rest`: the highest chance first,
   * or the best for the player's own odds where no games have measured chances (`best_moves` in the library); equal ones
   * in the order in which the game tries them.
   */
  moves(placed: number[]): Move[] {
    const player = snake(this.players)[placed.length];
    if (player === undefined) return [];
    const place = (v: number): number => (placed.length < this.players ? this.rank[v] : v);
    const measured = isMeasured(this.board, this.worth, this.players);
    const found = this.free(placed).flatMap((vertex) => {
      const rest = this.rest([...placed, vertex]);
      if (!rest) return [];
      const chance = rest.chances[player];
      // Chances that differ by rounding errors are equal.
      const rank = measured ? Math.round(1e9 * chance) : this.value(rest.pairs[player]);
      return [{ player: player + 1, vertex, chance, rank }];
    });
    found.sort((a, b) => b.rank - a.rank || place(a.vertex) - place(b.vertex));
    return found.map(({ rank, ...move }) => move);
  }
}
