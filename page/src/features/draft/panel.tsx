/** The first settlements: the next player, the best moves, and the end of a perfect draft. */

import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { PLAYER_INK, PLAYERS } from "../../board/look";
import { type Settlement, vertexInWords } from "../../board/props";
import type { Draft } from "../../core/address";
import { type Move, type Rest, snake } from "../../core/draft";
import { decimal, say } from "../../core/language";
import type { Board } from "../../core/notation";
import { freeVertices } from "../../core/odds";
import { SCALE, worth } from "../../core/scores";
import { linesOf } from "../../core/tree";
import { Button } from "../../widgets/button";
import { Later } from "../../widgets/sheet";
import { Badge, compared, percent } from "./figures";
import type { TreeProps } from "./tree";

interface Props extends Omit<TreeProps, "lines"> {
  lines?: number[][];
  /** Loads the tree. */
  onTree: () => Promise<ComponentType<TreeProps>>;
  /** The best of its moves. Undefined while they are searched. */
  moves: Move[] | undefined;
  foresee: boolean;
  onForesee: (yes: boolean) => void;
  onPlayers: (players: number) => void;
}

export function SettlePanel(props: Props) {
  const { board, players, placed, course, moves, foresee, onForesee, onPlayers, onPlaced } = props;
  const order = snake(players);
  const next = order[placed.length];
  const describe = (v: number): string => vertexInWords(board, v);
  const [reviewed, setReviewed] = useState(false);
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
      {course?.measured === false ? (
        <p class="small">{say("settle.unmeasured")}</p>
      ) : (
        next !== undefined && <Chances chances={course?.rest?.chances} />
      )}
      {next !== undefined && (
        <>
          <h2>{say("settle.best")}</h2>
          {moves?.length === 0 && <p>{say("settle.none")}</p>}
          <ol class="moves">
            {moves === undefined && (
              <li class="searched">
                <progress aria-label={say("settle.thinking")} />
              </li>
            )}
            {moves?.map((move, i) => (
              <li key={move.vertex}>
                <button type="button" class="move" onClick={() => onPlaced([...placed, move.vertex])}>
                  <span>{describe(move.vertex)}</span>
                  <span class="number">
                    {!course?.exact
                      ? ""
                      : i
                        ? compared(move, moves[0])
                        : say("settle.wins", { n: percent(move.chance) })}
                  </span>
                </button>
              </li>
            ))}
          </ol>
          {course?.measured && <p class="small">{say(course.exact ? "settle.about" : "settle.odds")}</p>}
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
      {linesOf(props).length > 0 && <Later load={props.onTree} props={{ ...props, lines: linesOf(props) }} />}
      {(foresee || next === undefined) && course?.rest && (
        <Outcome {...course.rest} {...{ board, describe, measured: course.measured }} />
      )}
      {course?.measured && placed.length > 0 && (
        <details key={placed.join()} onToggle={(event) => setReviewed(event.currentTarget.open)}>
          <summary>{say("review")}</summary>
          {reviewed && (
            <Later
              load={async () => (await import("./review")).Review}
              props={{ board, players, placed, worth: props.worth }}
            />
          )}
        </details>
      )}
      <div class="row">
        <Button text="settle.clear" disabled={!linesOf(props).length} onClick={() => onPlayers(players)} />
      </div>
    </>
  );
}

interface ChancesProps {
  chances: number[] | undefined;
  label?: string;
}

/** Each seat's chance to win, in per cent, as parts of a bar. Its place stays empty without chances. */
export const Chances = ({ chances, label = "settle.chances" }: ChancesProps) => (
  <ol class="chances" aria-label={say(label)}>
    {chances?.map((chance, player) => (
      <li
        key={player}
        style={{ flexGrow: chance, background: PLAYERS[player], color: PLAYER_INK[player] }}
        aria-label={`${say("settle.player", { n: player + 1 })}: ${say("settle.wins", { n: percent(chance) })}`}
      >
        <b>{player + 1}</b> {say("settle.wins", { n: percent(chance) })}
      </li>
    ))}
  </ol>
);

interface OutcomeProps extends Rest {
  board: Board;
  describe: (vertex: number) => string;
  measured: boolean;
}

function Outcome({ pairs, chances, board, describe, measured }: OutcomeProps) {
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
              {measured && <b>{say("settle.wins", { n: percent(chances[player]) })}</b>}
              <br />
              <span class="small">{say("settle.worth", { n: decimal(worth(board, pair) / SCALE, 2) })}</span>
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td class="small" colSpan={3}>
            {measured && say("settle.wins.about")} {say("settle.worth.about")}
          </td>
        </tr>
      </tfoot>
    </table>
  );
}

/** The vertices for the next settlement. None if all are placed. */
export const nextVertices = (board: Board, { players, placed }: Draft): number[] =>
  placed.length < 2 * players ? freeVertices(board, placed) : [];

/** The settlements on the board, and, paler, those of the expected line of play. */
export function settlements({ players, placed }: Draft, foreseen: Rest | undefined): Settlement[] {
  const order = snake(players);
  const later = (foreseen?.pairs ?? []).flatMap((pair, player) =>
    pair.filter((v) => !placed.includes(v)).map((vertex) => ({ player, vertex, ghost: true })),
  );
  return [...later, ...placed.map((vertex, turn) => ({ player: order[turn], vertex }))];
}
