/** Settle of the day: one seat against perfect rivals, with a grade after each settlement. Loaded when it is opened. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Board } from "../../board/board";
import type { Looks } from "../../board/look";
import { vertexInWords } from "../../board/props";
import { addressOf, DAY } from "../../core/address";
import { type Layout, type RulesData, readLayout, START_LAYOUT } from "../../core/data";
import { type Move, snake } from "../../core/draft";
import { current, say, tenths } from "../../core/language";
import { open, type Board as Value } from "../../core/notation";
import { freeVertices } from "../../core/odds";
import { Button } from "../../widgets/button";
import { Badge } from "../draft/figures";
import { settlements } from "../draft/panel";
import { useAsk } from "../draft/use_ask";
import { reach } from "../share/panel";
import { boardOf, DAY_RULES, dateOf, dayOf, PLAYERS, played, store } from "./day";
import { gradeOf, sentence, stars } from "./grade";

export interface DayProps {
  rules: RulesData;
  looks: Looks;
  /** The page's address. */
  link: string;
  onOpen: (address: string) => void;
}

export function Day(props: DayProps) {
  const { rules } = props;
  const [layout, setLayout] = useState<Layout>();
  const [today] = useState(() => dayOf(new Date()));
  useEffect(() => void readLayout(START_LAYOUT).then(setLayout), []);
  const start = useMemo(() => layout && boardOf(today, layout, rules), [layout]);
  return start ? <Game {...props} {...start} today={today} /> : null;
}

/** A turn of the player: the settlements before it, and its moves, the best one first, once they are searched. */
interface Turn {
  placed: number[];
  moves?: Move[];
}

interface GameProps extends DayProps {
  today: number;
  board: Value;
  /** The player's seat, from 0. */
  seat: number;
}

function Game({ today, board, seat, rules, looks, link, onOpen }: GameProps) {
  const ask = useAsk(board, PLAYERS, rules.worth);
  const [state, setState] = useState(() => played(today));
  const [turns, setTurns] = useState<Turn[]>([]);
  const [failed, setFailed] = useState(false);
  const begin = async (before: Turn[], placed: number[]) => {
    setTurns([...before, { placed }]);
    const { moves } = await ask(placed);
    setTurns([...before, { placed, moves }]);
  };
  const start = async () => {
    const order = seat ? (await ask([], true)).rest!.order : [];
    await begin([], order.slice(0, seat));
  };
  useEffect(() => void start().catch(() => setFailed(true)), []);

  const turn = turns.at(-1);
  // A stored vertex counts if it is free.
  const free = turn ? freeVertices(board, turn.placed) : [];
  const pick = free.find((v) => v === state.picks[turns.length - 1]);
  const choices = turns.flatMap(({ moves }, i) => {
    const move = moves?.find(({ vertex }) => vertex === state.picks[i]);
    return moves && move ? [{ move, moves }] : [];
  });
  const graded = pick !== undefined && turn?.moves ? choices.at(-1) : undefined;
  const isGraded = graded !== undefined;
  const isLast = turns.length === 2;
  const done = isLast && isGraded;
  const best = graded?.moves.find(({ vertex }) => vertex !== pick);
  const placed = done
    ? graded.move.rest.order
    : [...(turn?.placed ?? []), ...(pick === undefined ? [] : [pick])];
  const ghosts =
    best && !placed.includes(best.vertex) ? [{ player: seat, vertex: best.vertex, ghost: true }] : [];
  const onPick = (v: number) => setState(store(today, [...state.picks.slice(0, turns.length - 1), v]));
  const onNext = () => {
    if (graded && turn)
      void begin(turns, graded.move.rest.order.slice(0, 2 * PLAYERS - 1 - seat)).catch(() => setFailed(true));
  };
  useEffect(() => {
    if (isGraded && !isLast && state.picks.length === 2) onNext(); // the day was completed before
  }, [isGraded]);
  // The touched vertex is gone, so the focus goes to the next step.
  const words = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!state.picks.length) return;
    const next = words.current?.querySelector<HTMLElement>("button.main");
    const vertex = document.querySelector<SVGElement>(".day [data-group=vertex][tabindex='0']");
    words.current?.closest(".inside")?.scrollTo(0, 0);
    (next ?? vertex)?.focus({ preventScroll: true });
  }, [isGraded, turns.length]);

  const describe = (v: number): string => vertexInWords(board, v);
  const order = snake(PLAYERS);
  const address = (): string =>
    addressOf(board, rules.presets[DAY_RULES], open(board.layout), { players: PLAYERS, placed }, rules);
  return (
    <div class="lesson day">
      <div class="columns">
        <div class="picture">
          <Board
            {...looks}
            live
            board={board}
            open={pick === undefined ? free : []}
            onVertex={turn && pick === undefined ? onPick : undefined}
            settled={[...ghosts, ...settlements({ players: PLAYERS, placed }, undefined)]}
          />
        </div>
        <div class="words" ref={words}>
          <p class="small">
            {dateOf(today).toLocaleDateString(current, { dateStyle: "full", timeZone: "UTC" })}
          </p>
          <ol class="turns" aria-label={say("settle.order")}>
            {order.map((player, i) => (
              <li key={i} class={i === placed.length ? "now" : i < placed.length ? "done" : ""}>
                <Badge player={player} />
              </li>
            ))}
          </ol>
          <div role="status" aria-atomic="false">
            {failed ? (
              <p>{say("later.failed")}</p>
            ) : !turn ? (
              <p>{say("day.rivals")}</p>
            ) : pick === undefined ? (
              <p class="next">
                <Badge player={seat} /> {say(isLast ? "day.pick.second" : "day.pick", { seat: seat + 1 })}
              </p>
            ) : (
              !graded && <p>{say("day.grading")}</p>
            )}
            <ol class="grades">
              {choices
                .map(({ move, moves }, i) => {
                  const grade = gradeOf(move, moves[0]);
                  return (
                    <li key={i}>
                      <h3>
                        {i + 1}. <span aria-hidden="true">{stars(grade)}</span> {say(`day.grade.${grade}`)}
                      </h3>
                      <p>
                        {say("day.graded", { place: describe(move.vertex), n: tenths(move.chance) })}{" "}
                        {sentence(board, move, moves, describe)}
                      </p>
                    </li>
                  );
                })
                .reverse()}
            </ol>
          </div>
          {(!turn || (pick !== undefined && !graded)) && !failed && (
            <progress aria-label={say("settle.thinking")} />
          )}
          {!choices.length && <p class="small">{say("day.about")}</p>}
          {ghosts.length > 0 && <p class="small">{say("day.dashed")}</p>}
          {graded && !isLast && <Button text="day.continue" class="main" onClick={onNext} />}
          {done && (
            <Result
              lines={[
                [
                  say("day"),
                  dateOf(today).toISOString().slice(0, 10),
                  say("settle.player", { n: seat + 1 }),
                ].join(" · "),
                choices.map(({ move, moves }) => stars(gradeOf(move, moves[0]))).join(" "),
                say("day.result", {
                  n: tenths(graded.move.chance),
                  best: tenths(choices[0].moves[0].chance),
                }),
                say("day.streak", { n: state.streak }),
                ...(reach(link) === "all" ? [`${link.split("#")[0]}#${DAY}`] : []),
              ]}
            >
              <Button text="day.draft" onClick={() => onOpen(address())} />
            </Result>
          )}
        </div>
      </div>
    </div>
  );
}

/** The result as a text, which tells nothing about the board. */
function Result({ lines, children }: { lines: string[]; children: ComponentChildren }) {
  const [note, setNote] = useState("");
  const text = lines.join("\n");
  const share = () => {
    // Browsers have both only where the page comes over https, or from this computer.
    if (navigator.share) navigator.share({ text }).catch(() => undefined);
    else if (!navigator.clipboard) setNote(say("share.insecure"));
    else
      navigator.clipboard.writeText(text).then(
        () => setNote(say("share.copied")),
        () => setNote(say("share.refused")),
      );
  };
  return (
    <section>
      <pre>{text}</pre>
      <div class="row">
        <Button text="day.share" icon="share" class="main" onClick={share} />
        {children}
      </div>
      <p class="small" role="status">
        {note || say("day.tomorrow")}
      </p>
    </section>
  );
}
