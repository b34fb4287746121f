/** The tree of a draft: all lines that were tried, each move with its figure, and the moves of a position compared. */

import { useLayoutEffect, useRef } from "preact/hooks";
import later from "../../../languages/later/en.json";
import { letterOf, vertexInWords } from "../../board/props";
import { CLOSE } from "../../core/chance_game";
import type { Worth } from "../../core/data";
import { snake } from "../../core/draft";
import { addEnglish, say } from "../../core/language";
import type { Board } from "../../core/notation";
import { beginsWith, triedMoves } from "../../core/tree";
import { Button } from "../../widgets/button";
import { Badge, compared, percent } from "./figures";
import type { Course } from "./use_course";
import { useFigures } from "./use_figures";

addEnglish(later);

export interface TreeProps {
  board: Board;
  players: number;
  /** The position: the first moves of one of the lines. */
  placed: number[];
  lines: number[][];
  /** The course of the draft at the position. */
  course: Course | undefined;
  worth: Worth;
  onPlaced: (placed: number[]) => void;
  onRemove: () => void;
  onMain: () => void;
}

/** A vertex by letters and numbers of its tiles, and its harbor. */
const shortName = ({ layout, terrain, markers, harbors }: Board, v: number): string =>
  [
    ...layout.vertexTiles[v].map((t) => letterOf(terrain[t], layout) + (markers[t] || "")),
    ...harbors
      .filter(({ vertices }) => vertices.includes(v))
      .map(({ trade }) => (trade === "3:1" ? trade : `2:1 ${letterOf(trade, layout)}`)),
  ].join(" ");

/** All positions of lines, the shortest first. */
const positionsOf = (lines: number[][]): number[][] => {
  const all = lines.flatMap((line) => [...line.keys(), line.length].map((turn) => line.slice(0, turn)));
  const byName = new Map(all.map((moves) => [moves.join(), moves]));
  return [...byName.values()].sort((a, b) => a.length - b.length);
};

/** Each move by its position: the vertices placed, that of the move last. */
export function Tree(props: TreeProps) {
  const { board, players, placed, lines, course, onPlaced, onRemove, onMain } = props;
  const chancesAt = useFigures(props, course, positionsOf(lines));
  const order = snake(players);
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => {
    if (list.current?.contains(document.activeElement))
      list.current.querySelector<HTMLElement>("[aria-current]")?.focus();
  }, [placed.join()]);

  const isMain = (moves: number[]) => beginsWith(lines[0], moves);
  /** The chance with a move, and the chance with the best one. */
  const figures = (moves: number[]): [chance: number | undefined, best: number | undefined] => {
    const player = order[moves.length - 1];
    return [chancesAt(moves)?.[player], chancesAt(moves.slice(0, -1))?.[player]];
  };
  const difference = (moves: number[]): string => {
    const [chance, best] = figures(moves);
    if (!course?.exact || chance === undefined || best === undefined) return "";
    return best - chance < CLOSE ? say("tree.best") : compared({ chance }, { chance: best });
  };
  const node = (moves: number[]) => {
    const [chance, best = 0] = figures(moves);
    const less = course?.exact && chance !== undefined ? percent(best) - percent(chance) : 0;
    const win = chance === undefined ? "" : say("settle.wins", { n: percent(chance) });
    const words = say("tree.move", {
      turn: moves.length,
      player: order[moves.length - 1] + 1,
      place: vertexInWords(board, moves.at(-1)!),
    });
    const isHere = moves.join() === placed.join();
    return (
      <li key={moves.join()}>
        <button
          type="button"
          class={isMain(moves) ? "node main-line" : "node"}
          aria-current={isHere ? "step" : undefined}
          tabIndex={isHere ? 0 : -1}
          onClick={() => onPlaced(moves)}
        >
          <span class="hidden">{[words, win, difference(moves)].filter(Boolean).join(", ")}</span>
          <span class="move-sign" aria-hidden="true">
            <Badge player={order[moves.length - 1]} /> {shortName(board, moves.at(-1)!)} <b>{win}</b>
            {less > 0 && <i>−{less}</i>}
          </span>
        </button>
      </li>
    );
  };
  /** The moves after a position, with the variations of each after it. */
  const line = (moves: number[]): preact.ComponentChildren[] => {
    const [next, ...others] = triedMoves(lines, moves).map((v) => [...moves, v]);
    if (!next) return [];
    const variations = others.map((other) => (
      <li key={other.join()} class="variation">
        <ol aria-label={say("tree.line")}>{[node(other), ...line(other)]}</ol>
      </li>
    ));
    return [node(next), ...variations, ...line(next)];
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const [before, here] = [placed.slice(0, -1), placed.at(-1)];
    const beside = placed.length ? triedMoves(lines, before) : [];
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const after = { ArrowLeft: before.at(-1), ArrowRight: triedMoves(lines, placed)[0] }[event.key];
    let next: number[] | undefined;
    if (step) next = [...before, beside[beside.indexOf(here!) + step]];
    else if (event.key === "ArrowLeft" && placed.length) next = before;
    else if (event.key === "ArrowRight") next = [...placed, after!];
    if (!next) return;
    event.preventDefault();
    if (!next.includes(undefined as never)) onPlaced(next);
  };

  const branch = [...placed.keys(), placed.length]
    .reverse()
    .map((turn) => placed.slice(0, turn))
    .find((moves) => triedMoves(lines, moves).length > 1);
  return (
    <section class="tree">
      <h2>{say("tree")}</h2>
      <ol ref={list} aria-label={say("tree.line.main")} onKeyDown={onKeyDown}>
        <li>
          <button
            type="button"
            class="node main-line"
            aria-current={placed.length ? undefined : "step"}
            tabIndex={placed.length ? -1 : 0}
            onClick={() => onPlaced([])}
          >
            {say("tree.start")}
          </button>
        </li>
        {line([])}
      </ol>
      <p class="small">
        {say("tree.about")} {course?.measured && say("tree.figures")}
      </p>
      <div class="row">
        <Button
          text="tree.promote"
          aria-disabled={isMain(placed)}
          onClick={isMain(placed) ? undefined : onMain}
        />
        <Button
          text="tree.remove"
          aria-disabled={!placed.length}
          onClick={placed.length ? onRemove : undefined}
        />
      </div>
      {branch && course?.measured && (
        <table class="outcome compared">
          <caption>
            {say("tree.compared", { turn: branch.length + 1, player: order[branch.length] + 1 })}
          </caption>
          <thead>
            <tr>
              <td />
              {Array.from({ length: players }, (_, player) => (
                <th key={player} scope="col">
                  <Badge player={player} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {triedMoves(lines, branch)
              .map((v) => [...branch, v])
              .map((moves) => (
                <tr key={moves.join()} class={beginsWith(placed, moves) ? "now" : ""}>
                  <th scope="row">
                    <button type="button" class="link" onClick={() => onPlaced(moves)}>
                      {shortName(board, moves.at(-1)!)}
                    </button>
                    <span class="small">{difference(moves)}</span>
                  </th>
                  {Array.from({ length: players }, (_, player) => {
                    const chance = chancesAt(moves)?.[player];
                    const text = chance === undefined ? "…" : percent(chance);
                    return <td key={player}>{player === order[branch.length] ? <b>{text}</b> : text}</td>;
                  })}
                </tr>
              ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
