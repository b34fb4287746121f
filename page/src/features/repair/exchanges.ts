/** The boards that a few exchanges on the table make of a given one, and the first of them on which all seats are even. */

import type { Worth } from "../../core/data";
import { Game } from "../../core/draft";
import type { Board } from "../../core/notation";

/** Seats are even where no seat's chance to win is more than this above another's. */
export const EVEN = 0.05;
/** The most exchanges that are tried. */
export const MOST = 2;
/** The most boards that are tried, and of those that keep the rules: on large layouts there are millions. */
const BOARDS = 200_000;
const PLAYED = 20_000;

/** How far the best seat's chance to win is above the worst seat's. */
export const spreadOf = (chances: number[]): number => Math.max(...chances) - Math.min(...chances);

export interface Tried {
  exchanges: number;
  /** How many boards have been looked at. */
  boards: number;
  /** The smallest spread among those that keep the rules without even seats; 1 where there are none. */
  nearest: number;
  /** A board whose seats are even. */
  even?: Board;
  /** Whether there are more boards than were tried. */
  cut?: boolean;
}

/** All boards but `before` itself that differ by one exchange: of two numbers, or of two tiles below the numbers. */
function* exchanged({ terrain, markers, ...rest }: Board): Generator<Board> {
  const { fixed, tiles } = rest.layout;
  for (let i = 0; i < tiles.length; i++) {
    for (let j = 0; j < i; j++) {
      const numbers = markers.with(i, markers[j]).with(j, markers[i]);
      const free = (what: object): boolean => !(String(i) in what) && !(String(j) in what);
      const both = markers[i] > 0 && markers[j] > 0;
      if (both && markers[i] !== markers[j] && free(fixed.markers))
        yield { ...rest, terrain, markers: numbers };
      if (terrain[i] === terrain[j] || !free(fixed.terrain)) continue;
      // A tile without a number goes where the other one was, and the number with that.
      if (both || markers[i] === markers[j] || free(fixed.markers))
        yield {
          ...rest,
          terrain: terrain.with(i, terrain[j]).with(j, terrain[i]),
          markers: both ? markers : numbers,
        };
    }
  }
}

/**
 * Tries all boards with one exchange, then with two, and says after each what there is to tell: whoever asks for the next
 * one goes on. Those with even seats are told when they are met; with fewer exchanges there is none but those told before.
 * Two exchanges begin with the one that left the seats most even; where they are too many, the last word says so.
 */
export function* evener(
  board: Board,
  players: number,
  worth: Worth,
  legal: (board: Board) => boolean,
  limits = { boards: BOARDS, played: PLAYED },
): Generator<Tried> {
  const key = ({ terrain, markers }: Board): string => `${terrain} ${markers}`;
  const seen = new Set([key(board)]);
  let [boards, played, nearest] = [0, 0, 1];
  let from = [board];
  for (let exchanges = 1; exchanges <= MOST; exchanges++) {
    const reached: { next: Board; spread: number }[] = [];
    for (const each of from) {
      for (const next of exchanged(each)) {
        const name = key(next);
        if (seen.has(name)) continue;
        seen.add(name);
        if (boards >= limits.boards || played >= limits.played)
          return yield { exchanges, boards, nearest, cut: true };
        boards++;
        const kept = legal(next);
        if (kept) played++;
        const rest = kept ? new Game(next, players, worth).rest([]) : undefined;
        const spread = rest ? spreadOf(rest.chances) : 1;
        if (exchanges < MOST) reached.push({ next, spread });
        if (spread > EVEN) nearest = Math.min(nearest, spread);
        yield { exchanges, boards, nearest, ...(spread <= EVEN && { even: next }) };
      }
    }
    from = reached.sort((a, b) => a.spread - b.spread).map(({ next }) => next);
  }
}
