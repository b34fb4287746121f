/** The first settlements: who is next, the best moves, and how a perfect draft would end. */

import type { JSX } from "preact";
import type { Draft } from "./address";
import type { Settlement } from "./board";
import { type Move, openVertices, snake } from "./draft";
import { say } from "./language";
import { PLAYER_INK, PLAYERS } from "./look";
import type { Board } from "./notation";
import { SCALE, winChances, worth } from "./scores";

interface Props {
  board: Board;
  players: number;
  placed: number[];
  /** Undefined while they are searched. */
  moves: Move[] | undefined;
  foresee: boolean;
  onForesee: (yes: boolean) => void;
  onPlayers: (players: number) => void;
  onPlaced: (placed: number[]) => void;
  /** What two settlements do for the chance to win. */
  chances: Record<string, number>;
}

const value = (n: number): string => (n / SCALE).toFixed(2);

/** A move beside the best one, in words. */
const compared = (n: number, best: number): string =>
  value(n) === value(best) ? say("settle.same") : say("settle.less", { n: value(best - n) });

export function SettlePanel({
  board,
  players,
  placed,
  moves,
  foresee,
  onForesee,
  onPlayers,
  onPlaced,
  chances,
}: Props): JSX.Element {
  const order = snake(players);
  const next = order[placed.length];
  const describe = (v: number): string =>
    board.layout.vertexTiles[v]
      .map((t) =>
        board.markers[t]
          ? `${say(`terrain.${board.terrain[t]}`)} ${board.markers[t]}`
          : say(`terrain.${board.terrain[t]}`),
      )
      .join(" · ");
  return (
    <>
      <fieldset class="choice">
        <legend>{say("settle.players")}</legend>
        {Array.from({ length: board.layout.players - 1 }, (_, i) => i + 2).map((n) => (
          <label key={n} class={players === n ? "on" : ""}>
            <input type="radio" name="players" checked={players === n} onChange={() => onPlayers(n)} />
            {n}
          </label>
        ))}
      </fieldset>
      <ol class="turns" aria-label={say("settle.order")}>
        {order.map((player, turn) => (
          <li key={turn} class={turn === placed.length ? "now" : turn < placed.length ? "done" : ""}>
            <Badge player={player} />
          </li>
        ))}
      </ol>
      {next !== undefined ? (
        <p class="next" aria-live="polite">
          <Badge player={next} /> {say("settle.next", { player: next + 1 })}
        </p>
      ) : (
        <p class="next">{say("settle.done")}</p>
      )}
      {next !== undefined && (
        <>
          <h2>{say("settle.best")}</h2>
          {moves === undefined && <progress aria-label={say("settle.thinking")} />}
          {moves?.length === 0 && <p>{say("settle.none")}</p>}
          <ol class="moves">
            {moves?.map((move, i) => (
              <li key={move.vertex}>
                <button type="button" class="move" onClick={() => onPlaced([...placed, move.vertex])}>
                  <span>{describe(move.vertex)}</span>
                  <span class="number">{i ? compared(move.value, moves[0].value) : value(move.value)}</span>
                </button>
              </li>
            ))}
          </ol>
          <p class="small">{say("settle.about")}</p>
          <label class="check">
            <input
              type="checkbox"
              checked={foresee}
              onChange={(event) => onForesee(event.currentTarget.checked)}
            />
            {say("settle.foresee")}
          </label>
        </>
      )}
      {(foresee || next === undefined) && (
        <Outcome
          pairs={next === undefined ? pairsOf(placed, players) : moves?.[0]?.pairs}
          {...{ board, describe, chances }}
        />
      )}
      <div class="row">
        <button
          type="button"
          class="plain"
          disabled={!placed.length}
          onClick={() => onPlaced(placed.slice(0, -1))}
        >
          {say("settle.back")}
        </button>
        <button type="button" class="plain" disabled={!placed.length} onClick={() => onPlaced([])}>
          {say("settle.clear")}
        </button>
      </div>
    </>
  );
}

const pairsOf = (placed: number[], players: number): [number, number][] =>
  Array.from({ length: players }, (_, i) => [placed[i], placed[2 * players - 1 - i]]);

interface OutcomeProps {
  pairs: [number, number][] | undefined;
  board: Board;
  describe: (vertex: number) => string;
  chances: Record<string, number>;
}

function Outcome({ pairs, board, describe, chances }: OutcomeProps): JSX.Element | null {
  if (!pairs) return null;
  const wins = winChances(board, pairs, chances);
  return (
    <table class="outcome">
      <caption>{say("settle.outcome")}</caption>
      <tbody>
        {pairs.map((pair, player) => (
          <tr key={pair.join()}>
            <th scope="row">
              <Badge player={player} />
            </th>
            <td>
              {describe(pair[0])}
              <br />
              {describe(pair[1])}
            </td>
            <td class="number">
              <b>{say("settle.wins", { n: Math.round(100 * wins[player]) })}</b>
              <br />
              <span class="small">{say("settle.worth", { n: value(worth(board, pair)) })}</span>
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td class="small" colSpan={3}>
            {say("settle.wins.about")}
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

const Badge = ({ player }: { player: number }): JSX.Element => (
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

/** Where the next settlement may stand; nowhere once all are placed. */
export function freeVertices(board: Board, { players, placed }: Draft): number[] {
  if (placed.length >= 2 * players) return [];
  const near = new Set(placed.flatMap((v) => [v, ...board.layout.vertexNeighbors[v]]));
  return openVertices(board).filter((v) => !near.has(v));
}

/** The settlements on the board, and, paler, those that a move leads to when all play perfectly. */
export function settlements({ players, placed }: Draft, foreseen: Move | undefined): Settlement[] {
  const order = snake(players);
  const later = (foreseen?.pairs ?? []).flatMap((pair, player) =>
    pair.filter((v) => !placed.includes(v)).map((vertex) => ({ player, vertex, ghost: true })),
  );
  return [...later, ...placed.map((vertex, turn) => ({ player: order[turn], vertex }))];
}
