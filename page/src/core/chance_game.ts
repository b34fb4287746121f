/**
 * The game of chances. In snake order, each player maximizes its own chance to win, and knows that all later players do
 * the same. A chance is a player's odds divided by the sum of all odds. Of equal chances a player takes the lowest vertex.
 * The search is that of the library (catan_cp/placement/chance_search.py), which explains the limits.
 */

/** The odds of all pairs of settlements on a board. */
export interface Odds {
  n: number;
  /** At `n * first + second`. Pairs that cannot both be settled have 0. */
  odds: Float64Array;
  neighbors: number[][];
  /** The vertices on which one may settle. */
  open: number[];
}

/** A line of play: the vertices in the order of turns, and each player's chance to win. */
export interface Line {
  order: number[];
  chances: number[];
}

/** Chances that differ by less are equal. */
export const CLOSE = 1e-12;
/** The maximum number of settlements that a settlement on a vertex rules out there and on its neighbors. */
const NEAR = 4;

/** States of a search: no completion above the bound, solved, useless to the player above. */
const DEAD = 0;
const ALIVE = 1;
const CUT = 2;

export class ChanceGame {
  private readonly n: number;
  private readonly odds: Float64Array;
  private readonly turns: number;
  /** The second settlements of each first one, by odds, then -1. */
  private readonly partners: Int32Array;
  /** Each vertex and its neighbors, padded with the vertex. */
  private readonly closed: Int32Array;
  /** 1 for two vertices with at least three roads between them. */
  private readonly apart: Uint8Array;
  /** The number of settlements that rule out a vertex. */
  private readonly blocked: Uint8Array;
  private readonly spots: Int32Array;
  private readonly spaced: Int32Array;
  private readonly low: Float64Array;
  private readonly up: Float64Array;
  private readonly sure: Float64Array;
  private readonly keys: Float64Array;
  /** The odds at the end of the line of each turn, and their sum. */
  private readonly ends: Float64Array;
  private readonly line: Int32Array;
  /** The number of positions visited. */
  nodes = 0;

  constructor(
    { n, odds, neighbors, open }: Odds,
    readonly players: number,
  ) {
    this.n = n;
    this.odds = odds;
    this.turns = 2 * players;
    this.partners = new Int32Array(n * n).fill(-1);
    this.closed = new Int32Array(NEAR * n);
    this.apart = new Uint8Array(n * n).fill(1);
    this.blocked = new Uint8Array(n).fill(1);
    for (const v of open) this.blocked[v] = 0;
    for (let a = 0; a < n; a++) {
      const row = odds.subarray(a * n, a * n + n);
      const order = neighbors.flatMap((_, b) => (row[b] > 0 ? [b] : []));
      this.partners.set(
        order.sort((b, c) => row[c] - row[b] || b - c),
        a * n,
      );
      for (let k = 0; k < NEAR; k++) this.closed[NEAR * a + k] = k ? (neighbors[a][k - 1] ?? a) : a;
      for (const b of [a, ...neighbors[a]]) for (const c of [b, ...neighbors[b]]) this.apart[a * n + c] = 0;
    }
    const rows = this.turns + 1;
    this.spots = new Int32Array(this.turns);
    this.spaced = new Int32Array(this.turns);
    this.low = new Float64Array(rows * players);
    this.up = new Float64Array(rows * players);
    this.sure = new Float64Array(rows * players);
    this.keys = new Float64Array(rows * n);
    this.ends = new Float64Array(rows * (players + 1));
    this.line = new Int32Array(rows * this.turns);
  }

  /** The line of play from these settlements on. Undefined if not all can settle. */
  solve(placed: number[]): Line | undefined {
    const { players, turns } = this;
    const t = placed.length;
    for (const [turn, vertex] of placed.entries()) {
      this.spots[turn] = vertex;
      this.block(vertex, 1);
    }
    const state = this.search(t, -1, -1, -1, -1, false);
    for (const vertex of placed) this.block(vertex, -1);
    if (state !== ALIVE) return undefined;
    const at = t * (players + 1);
    const total = this.ends[at + players];
    return {
      order: [...placed, ...this.line.subarray(t * turns + t, (t + 1) * turns)],
      chances: Array.from(this.ends.subarray(at, at + players), (odds) => odds / total),
    };
  }

  private block(vertex: number, change: number): void {
    for (let k = 0; k < NEAR; k++) {
      const near = this.closed[NEAR * vertex + k];
      if (k === 0 || near !== vertex) this.blocked[near] += change;
    }
  }

  /** The best free partner of `first` that is not `avoided` or next to it, or -1. */
  private bestPartner(first: number, avoided: number): number {
    const { n, partners, blocked, closed } = this;
    for (let k = first * n, end = k + n; k < end; k++) {
      const vertex = partners[k];
      if (vertex < 0) return -1;
      if (blocked[vertex]) continue;
      const a = NEAR * avoided;
      if (
        avoided < 0 ||
        !(
          closed[a] === vertex ||
          closed[a + 1] === vertex ||
          closed[a + 2] === vertex ||
          closed[a + 3] === vertex
        )
      )
        return vertex;
    }
    return -1;
  }

  /** The odds of `first` with its best free partner, or 0. */
  private bestOdds(first: number): number {
    const vertex = this.bestPartner(first, -1);
    return vertex < 0 ? 0 : this.odds[first * this.n + vertex];
  }

  /** Odds that `first` keeps if others place that number of settlements before the second one. */
  private sureOdds(first: number, others: number): number {
    const { n, partners, blocked, apart, spaced } = this;
    let count = 0;
    for (let k = first * n, end = k + n; k < end; k++) {
      const vertex = partners[k];
      if (vertex < 0) return 0;
      if (blocked[vertex]) continue;
      let j = 0;
      while (j < count && apart[spaced[j] * n + vertex]) j++;
      if (j < count) continue;
      if (count === others) return this.odds[first * n + vertex];
      spaced[count++] = vertex;
    }
    return 0;
  }

  /** The vertex with the largest positive key of a turn, the lowest of equals, or -1. */
  private largest(t: number): number {
    const { n, keys } = this;
    let [found, most] = [-1, 0];
    for (let u = 0, k = t * n; u < n; u++, k++) {
      if (keys[k] <= most) continue;
      found = u;
      most = keys[k];
    }
    return found;
  }

  /** Writes `up` and `sure` of a player without settlements. It overwrites the keys of the turn. */
  private limitUnplaced(t: number, player: number): void {
    const { n, players, keys, blocked, apart } = this;
    const row = t * n;
    const others = 2 * players - 2 - player - t;
    let [most, safe] = [0, 0];
    for (let first = 0; first < n; first++) {
      keys[row + first] = -1;
      if (blocked[first]) continue;
      most = Math.max(most, this.bestOdds(first));
      keys[row + first] = this.sureOdds(first, others);
    }
    for (let i = t; i <= player; i++) {
      // The others spoil the best of its first vertices.
      const first = this.largest(t);
      safe = first < 0 ? 0 : keys[row + first];
      if (first < 0) break;
      for (let u = 0; u < n; u++) if (!apart[first * n + u]) keys[row + u] = -1;
    }
    this.up[t * players + player] = most;
    this.sure[t * players + player] = safe;
  }

  /** Writes the limits of all odds before a turn. `low` of the player who moves is 0. */
  private limitAll(t: number, mover: number): void {
    const { n, players, spots, low, up, sure } = this;
    const [row, last] = [t * players, 2 * players - 1];
    for (let q = 0; q < players; q++) {
      low[row + q] = 0;
      if (last - q < t) {
        low[row + q] = up[row + q] = sure[row + q] = this.odds[spots[q] * n + spots[last - q]];
      } else if (q < t) {
        up[row + q] = this.bestOdds(spots[q]);
        sure[row + q] = this.sureOdds(spots[q], last - q - t);
      } else this.limitUnplaced(t, q);
    }
    for (let q = 0; q < players; q++) {
      if (last - q < t || q === mover) continue;
      let [settled, fewest, most] = [0, 0, 0];
      for (let k = 0; k < players; k++) {
        // Such players have both settlements when q chooses its second one.
        if (k !== q && (last - k < t || (k > q && q < t))) settled += low[row + k];
        else if (k !== q) {
          fewest += low[row + k];
          most += up[row + k];
        }
      }
      const share = most > 0 ? (settled + fewest) / (settled + most) : 1;
      low[row + q] = sure[row + q] * Math.min(1, share);
    }
  }

  /** A limit of the chance of a player with these odds, if `known` has that chance or more. */
  private chanceLimit(t: number, player: number, odds: number, known: number, chance: number): number {
    const { players, low, up, sure } = this;
    const row = t * players;
    let [total, below, best] = [odds, odds, 1];
    for (let k = 0; k < players; k++) {
      if (k === player) continue;
      total += up[row + k];
      if (k !== known) below += low[row + k];
    }
    for (let group = 0; group < 1 << Math.min(players, this.turns - t); group++) {
      let [share, rest] = [1 - chance, below];
      for (let k = 0; k < players; k++) {
        if (!((group >> k) & 1) || k === player || k === known) continue;
        const safe = sure[row + k];
        share -= safe / (total - up[row + k] + safe);
        rest -= low[row + k];
      }
      best = Math.min(best, (share * odds) / rest);
    }
    return best;
  }

  /** Solves the last turn, or a position in which all settlements are placed. */
  private settleLast(t: number): number {
    const { n, players, turns, spots, ends } = this;
    const [last, row] = [turns - 1, t * (players + 1)];
    if (t === last) {
      const vertex = this.bestPartner(spots[0], -1);
      if (vertex < 0) return DEAD;
      spots[last] = this.line[last * turns + last] = vertex;
    }
    let total = 0;
    for (let q = 0; q < players; q++) {
      ends[row + q] = this.odds[spots[q] * n + spots[last - q]];
      total += ends[row + q];
    }
    ends[row + players] = total;
    return ALIVE;
  }

  /** Solves the last two turns: of player 2, who may block player 1, and of player 1. */
  private settleTwo(t: number): number {
    const { n, players, turns, spots, odds, ends, line, closed, blocked } = this;
    const [first, second, row, start] = [spots[0] * n, spots[1] * n, t * (players + 1), t * (turns + 1)];
    const target = this.bestPartner(spots[0], -1);
    if (target < 0) return DEAD;
    let [rest, best, state] = [0, -1, DEAD];
    for (let q = 2; q < players; q++) {
      ends[row + q] = odds[spots[q] * n + spots[turns - 1 - q]];
      rest += ends[row + q];
    }
    for (let k = 0; k <= NEAR; k++) {
      const vertex = k === NEAR ? this.bestPartner(spots[1], target) : closed[NEAR * target + k];
      if (vertex < 0 || blocked[vertex] || !odds[second + vertex]) continue;
      const reply = k === NEAR ? target : this.bestPartner(spots[0], vertex);
      if (reply < 0) continue;
      const chance = odds[second + vertex] / (rest + odds[second + vertex] + odds[first + reply]);
      const isLower = state === ALIVE && vertex < line[start];
      if (chance <= best + CLOSE && !(isLower && chance > best - CLOSE)) continue;
      best = chance;
      state = ALIVE;
      line[start] = vertex;
      line[start + 1] = reply;
      ends[row] = odds[first + reply];
      ends[row + 1] = odds[second + vertex];
    }
    ends[row + players] = rest + ends[row] + ends[row + 1];
    return state;
  }

  /**
   * Solves from turn `t` on. Of chances equal to `least`, that of a vertex below `lowest` counts as larger. The search
   * ends with `CUT` if it proves that the chance of player `above` is at most `mark`. `isPair`: the same player chose the
   * vertex of the turn before.
   */
  private search(
    t: number,
    least: number,
    lowest: number,
    above: number,
    mark: number,
    isPair: boolean,
  ): number {
    this.nodes++;
    const { n, players, turns, spots, keys, ends, line, up, blocked } = this;
    const last = turns - 1;
    if (t >= last) return this.settleLast(t);
    if (t === last - 1) return this.settleTwo(t);
    const [player, row, width] = [Math.min(t, last - t), t * players, players + 1];
    this.limitAll(t, player);
    for (let q = 0; q < players; q++) if (up[row + q] <= 0) return DEAD;
    if (above >= 0 && !isPair && this.chanceLimit(t, above, up[row + above], -1, 0) <= mark) return CUT;
    // The player may still leave its vertex of the turn before, so the limits of that turn hold for `above`.
    const free = isPair ? t - 1 : t;
    for (let u = 0; u < n; u++)
      keys[t * n + u] = blocked[u] ? -1 : t < players ? this.bestOdds(u) : this.odds[spots[player] * n + u];
    let [best, chosen, state] = [least, lowest, DEAD];
    const movesOn = t === players - 1; // this player has the next turn, too
    for (;;) {
      const u = this.largest(t);
      if (u < 0) return state;
      const most = keys[t * n + u];
      if (best > 0 && this.chanceLimit(t, player, most, -1, 0) < best - CLOSE) return state;
      keys[t * n + u] = -1;
      const other = isPair ? spots[t - 1] : -1;
      if (u < other && this.odds[u * n + other] === this.odds[other * n + u]) continue; // the same pair
      const bar = u < chosen ? best - CLOSE : best + CLOSE;
      spots[t] = u;
      this.block(u, 1);
      const outcome = movesOn
        ? this.search(t + 1, best, u < chosen ? n : -1, above, mark, true)
        : this.search(t + 1, -1, -1, player, bar, false);
      this.block(u, -1);
      if (outcome === CUT && movesOn) return CUT;
      const after = (t + 1) * width;
      if (outcome !== ALIVE || ends[after + player] <= bar * ends[after + players]) continue;
      best = ends[after + player] / ends[after + players];
      chosen = u;
      state = ALIVE;
      ends.copyWithin(t * width, after, after + width);
      line.copyWithin(t * turns, (t + 1) * turns, (t + 2) * turns);
      line[t * turns + t] = u;
      if (above >= 0 && this.chanceLimit(free, above, up[free * players + above], player, best) <= mark)
        return CUT;
    }
  }
}
