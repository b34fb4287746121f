/**
 * The draft if each player maximizes its own odds. This simpler game is solved for five and six players, and for boards
 * without measured chances. Of equal odds, a player takes the lowest vertex. A position is a mask of free vertices.
 */

type Mask = Int32Array;

interface Outcome {
  /** The first and second settlement of each player from the one to move on. */
  moves: [number, number][];
  free: Mask;
}

const has = (mask: Mask, v: number): boolean => ((mask[v >> 5] >>> (v & 31)) & 1) === 1;
const without = (mask: Mask, taken: Mask): Mask => mask.map((word, i) => word & ~taken[i]);

function count(mask: Mask): number {
  let bits = 0;
  for (let word of mask) for (; word; word &= word - 1) bits++;
  return bits;
}

export class OwnGame {
  private readonly n: number;
  private readonly near: Mask[];
  private readonly open: Mask;
  private readonly partners: number[][];
  private readonly memo = new Map<number, Outcome | null>();

  constructor(
    /** The logarithms of the odds of all pairs, at `n * first + second`. */
    private readonly logOdds: Float64Array,
    neighbors: number[][],
    private readonly vertices: number[],
    readonly players: number,
  ) {
    this.n = neighbors.length;
    this.near = neighbors.map((near, v) => this.mask([v, ...near]));
    this.open = this.mask(vertices);
    this.partners = neighbors.map((_, a) =>
      vertices
        .filter((b) => this.value(a, b) > Number.NEGATIVE_INFINITY)
        .sort((b, c) => this.value(a, c) - this.value(a, b) || b - c),
    );
  }

  private value(first: number, second: number): number {
    return this.logOdds[first * this.n + second];
  }

  private mask(vertices: number[]): Mask {
    const mask = new Int32Array(Math.ceil(this.n / 32));
    for (const v of vertices) mask[v >> 5] |= 1 << (v & 31);
    return mask;
  }

  /** Whether that number of settlements fits: each blocks at most four vertices, so a count mostly answers. */
  private hasRoom(free: Mask, settlements: number): boolean {
    if (settlements <= 0) return true;
    if (count(free) > 4 * (settlements - 1)) return true;
    const remaining = free.slice();
    for (let v = 0; v < this.n; v++) {
      if (!has(remaining, v)) continue;
      if (this.hasRoom(without(remaining, this.near[v]), settlements - 1)) return true;
      remaining[v >> 5] &= ~(1 << (v & 31));
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

  /** The line of play from the first settlement of `player` on, or null if not all can settle. */
  private visit(player: number, occupied: number[], free: Mask): Outcome | null {
    if (player === this.players) return { moves: [], free };
    const key = this.key(player, occupied);
    const known = this.memo.get(key);
    if (known !== undefined) return known;
    let best: Outcome | null = null;
    let [mark, lowest] = [Number.NEGATIVE_INFINITY, 0];
    for (const { bound, v } of this.bounds(free)) {
      if (bound < mark || (bound === mark && v >= lowest)) break;
      const result = this.follow(player, occupied, free, v);
      if (!result) continue;
      const value = this.value(v, result.moves[0][1]);
      if (value < mark || (value === mark && v >= lowest)) continue;
      mark = value;
      lowest = v;
      best = result;
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

  /** Free vertices with the best that each can lead to, best first. */
  private bounds(free: Mask): { bound: number; v: number }[] {
    const result: { bound: number; v: number }[] = [];
    for (const v of this.vertices) {
      if (!has(free, v)) continue;
      const second = this.partners[v].find((u) => has(free, u));
      if (second !== undefined) result.push({ bound: this.value(v, second), v });
    }
    return result.sort((a, b) => b.bound - a.bound || a.v - b.v);
  }

  /** The line of play in the order of turns. Undefined if not all can settle. */
  solve(placed: number[]): number[] | undefined {
    const { players } = this;
    const pairs: [number, number][] = [];
    let free = placed.reduce((remaining, v) => without(remaining, this.near[v]), this.open);
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
    return [...pairs.map(([first]) => first), ...pairs.map(([, second]) => second).reverse()];
  }
}
