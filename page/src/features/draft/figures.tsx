/** The figures of moves in words, and the sign of a player. */

import { PLAYER_INK, PLAYERS } from "../../board/look";
import { CLOSE } from "../../core/chance_game";
import type { Move } from "../../core/draft";
import { say } from "../../core/language";

export const percent = (chance: number): number => Math.round(100 * chance);
type Chance = Pick<Move, "chance">;
export function compared(move: Chance, best: Chance): string {
  const less = percent(best.chance) - percent(move.chance);
  if (less) return say("settle.less", { n: less });
  return say(best.chance - move.chance < CLOSE ? "settle.same" : "settle.nearly");
}

export const Badge = ({ player }: { player: number }) => (
  <svg
    class="badge"
    viewBox="-16 -18 32 34"
    width="26"
    height="28"
    role="img"
    aria-label={say("settle.player", { n: player + 1 })}
  >
    <path
      d="M-13 13V-4L0 -16 13 -4V13z"
      fill={PLAYERS[player]}
      stroke="#2b2621"
      stroke-width="2"
      stroke-linejoin="round"
    />
    <text y="9" text-anchor="middle" font-size="15" font-weight="bold" fill={PLAYER_INK[player]}>
      {player + 1}
    </text>
  </svg>
);
