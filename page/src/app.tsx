/** The page: one board, and what one does with it. */

import type { JSX } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Board } from "./board";
import { type Chosen, type Layout, type LayoutEntry, type Models, type RulesData, readLayout } from "./data";
import { clash, constraints, deal, KEPT, type Kept, NOTHING } from "./dealing";
import type { Move } from "./draft";
import { choose, say, sentence } from "./language";
import { keep, recall } from "./memory";
import { BadNotation, layoutOf, notation, readNotation, type Board as Value } from "./notation";
import { DealPanel } from "./panel_deal";
import { JudgePanel, type Shown } from "./panel_judge";
import { SettlePanel } from "./panel_settle";
import { SharePanel, Sheets } from "./panel_share";
import { possible, readRulesText, rulesText, sentences, withHarbors } from "./rules";
import { vertexPips, vertexValues } from "./scores";
import { Stopped } from "./solver";

interface Props {
  rules: RulesData;
  layouts: LayoutEntry[];
  models: Models;
  languages: Record<string, string>;
}

export type Tab = "deal" | "judge" | "settle" | "share";
const TABS: Tab[] = ["deal", "judge", "settle", "share"];
const START = "tournament";

interface State {
  board: Value;
  chosen: Chosen;
}

/** What is said instead of a board. */
export type Problem = { text: string; clash?: string[]; searching?: boolean };

export function App({ rules, layouts, models, languages }: Props): JSX.Element {
  const [layout, setLayout] = useState<Layout>();
  const [chosen, setChosen] = useState<Chosen>({});
  const [board, setBoard] = useState<Value>();
  const [past, setPast] = useState<State[]>([]);
  const [kept, setKept] = useState<Kept>(NOTHING);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [tab, setTab] = useState<Tab>("deal");
  const [shown, setShown] = useState<Shown>("value");
  const [players, setPlayers] = useState(4);
  const [placed, setPlaced] = useState<number[]>([]);
  const [moves, setMoves] = useState<Move[]>();
  const [foresee, setForesee] = useState(false);
  const [letters, setLetters] = useState(recall("letters") === "yes");
  const [patterns, setPatterns] = useState(recall("patterns") !== "no");
  const [theme, setTheme] = useState(recall("theme") ?? "auto");
  const [language, setLanguage] = useState(document.documentElement.lang);
  const [sheets, setSheets] = useState<"page" | "true">("page");
  const [heard, setHeard] = useState("");
  const work = useRef<AbortController | undefined>(undefined);
  const ahead = useRef<{ key: string; control: AbortController; found: ReturnType<typeof deal> } | undefined>(
    undefined,
  );

  const stop = useCallback((): void => {
    work.current?.abort();
    work.current = undefined;
    setBusy(false);
  }, []);

  /** Takes what was dealt ahead, where that is what is wanted now; and deals the next one ahead. */
  const dealt = (
    place: Layout,
    wanted: Chosen,
    before: Value | undefined,
    what: Kept,
    signal: AbortSignal,
  ) => {
    const world = { layout: place, rules, models };
    const key = JSON.stringify([place.name, wanted, constraints(before, what)]);
    const ready = ahead.current;
    ahead.current = undefined;
    if (ready?.key === key) {
      signal.addEventListener("abort", () => ready.control.abort());
      return ready.found;
    }
    ready?.control.abort();
    return deal(world, wanted, before, what, signal);
  };

  const prepare = (place: Layout, wanted: Chosen, before: Value, what: Kept): void => {
    const key = JSON.stringify([place.name, wanted, constraints(before, what)]);
    if (ahead.current?.key === key) return;
    ahead.current?.control.abort();
    const control = new AbortController();
    const found = deal({ layout: place, rules, models }, wanted, before, what, control.signal);
    found.catch(() => undefined);
    ahead.current = { key, control, found };
  };

  const show = (next: Value, wanted: Chosen): void => {
    if (board) setPast((each) => [...each.slice(-49), { board, chosen }]);
    setBoard(next);
    setChosen(wanted);
    setPlaced([]);
    setHeard(`${say("dealt")} ${notation(next)}`);
  };

  const another = async (place: Layout, wanted: Chosen, what: Kept): Promise<void> => {
    stop();
    const control = new AbortController();
    work.current = control;
    setBusy(true);
    setProblem(undefined);
    setLayout(place);
    setChosen(wanted);
    const before = board?.layout === place ? board : undefined;
    const keeping = before ? what : NOTHING;
    setKept(keeping);
    try {
      const answer = await dealt(place, wanted, before, keeping, control.signal);
      if (control.signal.aborted) return;
      if ("board" in answer) {
        show(answer.board, wanted);
        prepare(place, wanted, answer.board, keeping);
      } else if (answer.problem.kind === "none") {
        setProblem({ text: say("clash.search"), searching: true });
        const items = await clash({ layout: place, rules, models }, wanted, before, keeping, control.signal);
        setProblem({ text: say("clash"), clash: items });
      } else {
        setProblem({
          text:
            answer.problem.kind === "timeout" ? say("timeout") : `${say("failed")} ${answer.problem.message}`,
        });
      }
    } catch (reason) {
      if (!(reason instanceof Stopped)) setProblem({ text: `${say("failed")} ${reason}` });
    } finally {
      if (work.current === control) stop();
    }
  };

  const changeLayout = async (name: string): Promise<void> => {
    try {
      const place = await readLayout(name);
      await another(place, withHarbors({ ...chosen }, place, rules), NOTHING);
    } catch (reason) {
      setProblem({ text: `${say("failed")} ${reason}` });
    }
  };

  const undo = (): void => {
    const last = past.at(-1);
    if (!last) return;
    stop();
    setPast(past.slice(0, -1));
    setLayout(last.board.layout);
    setBoard(last.board);
    setChosen(last.chosen);
    setPlaced([]);
    setKept(NOTHING);
    setProblem(undefined);
    setHeard(say("undone"));
  };

  const open = async (address: string): Promise<void> => {
    const [text, ...more] = decodeURI(address).split("&");
    if (!text) {
      const base = await readLayout(layouts.some((each) => each.name === "base") ? "base" : layouts[0].name);
      await another(base, withHarbors(rules.presets[START], base, rules), NOTHING);
      return;
    }
    try {
      const place = await readLayout(layoutOf(text, layouts));
      const given = readNotation(text, place);
      const wanted =
        readRulesText(address.split("&").slice(1).join("&"), place, rules) ??
        withHarbors(rules.presets[START], place, rules);
      const numbered = given.markers.some((marker) => marker > 0);
      if (!numbered) throw new BadNotation(text);
      setLayout(place);
      show(given, wanted);
      setKept(NOTHING);
      const settled = new URLSearchParams(more.join("&"));
      if (settled.has("placed")) {
        setPlayers(Math.min(4, Math.max(2, Number(settled.get("players")) || 4)));
        setPlaced(
          (settled.get("placed") ?? "")
            .split(".")
            .filter(Boolean)
            .map(Number)
            .filter((v) => v in place.vertices),
        );
        setTab("settle");
      }
      prepare(place, wanted, given, NOTHING);
    } catch (reason) {
      setProblem({
        text: reason instanceof BadNotation ? say("unreadable", { text: reason.message }) : String(reason),
      });
    }
  };

  useEffect(() => {
    void open(location.hash.slice(1));
    const changed = (): void => {
      if (location.hash.slice(1) !== own.current) void open(location.hash.slice(1));
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);

  const own = useRef("");
  const draft = placed.length ? `&players=${players}&placed=${placed.join(".")}` : "";
  const address = board && layout ? `${notation(board)}&${rulesText(chosen, layout, rules)}${draft}` : "";
  useEffect(() => {
    if (!address) return;
    own.current = address;
    history.replaceState(null, "", `#${address}`);
  }, [address]);

  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    keep("theme", theme);
    keep("letters", letters ? "yes" : "no");
    keep("patterns", patterns ? "yes" : "no");
  }, [theme, letters, patterns]);

  // The draft's search runs in a worker of its own.
  const searcher = useRef<Worker | undefined>(undefined);
  const question = useRef(0);
  useEffect(() => {
    if (tab !== "settle" || !board) return;
    setMoves(undefined);
    searcher.current ??= new Worker(new URL("draft.worker.js", document.baseURI), { type: "module" });
    const number = ++question.current;
    searcher.current.onmessage = ({ data }: MessageEvent<{ number: number; moves: Move[] }>) => {
      if (data.number === question.current) setMoves(data.moves);
    };
    searcher.current.postMessage({ number, board, players, placed });
    const timer = setTimeout(() => {
      if (number === question.current && searcher.current) {
        searcher.current.terminate();
        searcher.current = undefined;
        setMoves([]);
      }
    }, 20_000);
    const quiet = searcher.current;
    quiet.addEventListener("message", () => clearTimeout(timer));
    return () => clearTimeout(timer);
  }, [tab, board, players, placed]);

  const keepTile = (t: number): void => {
    if (!board) return;
    const terrain = kept.terrain.includes(t);
    const marker = kept.markers.includes(t);
    const numbered = board.markers[t] > 0;
    // A touch keeps tile and number, the next one the tile alone, the next the number alone, then neither.
    const [keepTerrain, keepMarker] =
      !terrain && !marker
        ? [true, numbered]
        : terrain && marker
          ? [true, false]
          : terrain && numbered
            ? [false, true]
            : [false, false];
    const next = {
      terrain: keepTerrain
        ? [...kept.terrain.filter((each) => each !== t), t]
        : kept.terrain.filter((each) => each !== t),
      markers: keepMarker
        ? [...kept.markers.filter((each) => each !== t), t]
        : kept.markers.filter((each) => each !== t),
    };
    setKept(next);
    setHeard(
      say(
        keepTerrain && keepMarker
          ? "keep.both"
          : keepTerrain
            ? "keep.terrain"
            : keepMarker
              ? "keep.marker"
              : "keep.neither",
      ),
    );
    if (layout) prepare(layout, chosen, board, next);
  };

  const values =
    board && tab === "judge" && shown !== "none"
      ? shown === "value"
        ? vertexValues(board)
        : vertexPips(board)
      : undefined;
  const open_ = board && tab === "settle" && placed.length < 2 * players ? freeVertices(board, placed) : [];
  const order = [...Array(players).keys(), ...[...Array(players).keys()].reverse()];
  const settled = placed.map((vertex, i) => ({ player: order[i], vertex }));
  const best = moves?.[0];
  const ghosts =
    foresee && best
      ? best.pairs
          .flatMap((pair, player) => pair.map((vertex) => ({ player, vertex, ghost: true })))
          .filter(({ vertex }) => !placed.includes(vertex))
      : [];

  const panel =
    !board || !layout ? null : tab === "deal" ? (
      <DealPanel
        {...{ rules, layouts, layout, chosen, kept, busy, board }}
        onLayout={(name) => void changeLayout(name)}
        onRules={(wanted) => void another(layout, possible(wanted, layout, rules), kept)}
        onForget={() => {
          setKept(NOTHING);
          prepare(layout, chosen, board, NOTHING);
        }}
      />
    ) : tab === "judge" ? (
      <JudgePanel {...{ world: { layout, rules, models }, board, chosen, shown, onShown: setShown }} />
    ) : tab === "settle" ? (
      <SettlePanel
        {...{ board, players, placed, moves, foresee, onForesee: setForesee }}
        onPlayers={(n) => {
          setPlayers(n);
          setPlaced([]);
        }}
        onPlaced={setPlaced}
      />
    ) : (
      <SharePanel
        {...{ board, sheets, letters, patterns }}
        address={`${location.href.split("#")[0]}#${address}`}
        onSheets={setSheets}
        onSay={setHeard}
        onOpen={(text) => void open(text.includes("#") ? text.split("#").slice(1).join("#") : text)}
      />
    );

  return (
    <>
      <div class="page">
        <header>
          <h1>
            <Mark /> {say("title")}
          </h1>
          <details class="menu">
            <summary aria-label={say("looks")}>
              <span aria-hidden="true">Aa</span>
            </summary>
            <div class="sheet">
              <label>
                {say("language")}
                <select
                  value={language}
                  onChange={(event) => {
                    const name = event.currentTarget.value;
                    void choose(name).then(() => {
                      keep("language", name);
                      setLanguage(name);
                    });
                  }}
                >
                  {Object.entries(languages).map(([name, own]) => (
                    <option key={name} value={name}>
                      {own}
                    </option>
                  ))}
                </select>
              </label>
              <label>
                {say("theme")}
                <select value={theme} onChange={(event) => setTheme(event.currentTarget.value)}>
                  {["auto", "light", "dark"].map((name) => (
                    <option key={name} value={name}>
                      {say(`theme.${name}`)}
                    </option>
                  ))}
                </select>
              </label>
              <label class="check">
                <input
                  type="checkbox"
                  checked={letters}
                  onChange={(event) => setLetters(event.currentTarget.checked)}
                />
                {say("letters")}
              </label>
              <label class="check">
                <input
                  type="checkbox"
                  checked={patterns}
                  onChange={(event) => setPatterns(event.currentTarget.checked)}
                />
                {say("patterns")}
              </label>
              <p class="small">
                {say("private")} <a href="licences.txt">{say("licences")}</a>
              </p>
            </div>
          </details>
        </header>
        <main>
          <section class="stage" aria-label={say("board", { layout: layout?.title ?? "" })} aria-busy={busy}>
            {board ? (
              <Board
                key={board.layout.name}
                board={board}
                letters={letters}
                patterns={patterns}
                dim={busy}
                values={values}
                onTile={tab === "deal" ? keepTile : undefined}
                keptTerrain={tab === "deal" ? kept.terrain : []}
                keptMarkers={tab === "deal" ? kept.markers : []}
                open={open_}
                best={moves?.map((move) => move.vertex)}
                onVertex={tab === "settle" ? (v) => setPlaced([...placed, v]) : undefined}
                settled={tab === "settle" ? [...ghosts, ...settled] : []}
              />
            ) : (
              <Waiting />
            )}
            {problem && (
              <div class="problem" role="alert">
                <p>{problem.text}</p>
                {problem.searching && <progress />}
                {problem.clash && layout && (
                  <ul>
                    {problem.clash.map((item) => (
                      <li key={item}>{nameOf(item, chosen, rules)}</li>
                    ))}
                  </ul>
                )}
                {problem.clash && (
                  <button
                    type="button"
                    class="plain"
                    onClick={() => undoOrClose(board, past, undo, () => setProblem(undefined))}
                  >
                    {say("clash.back")}
                  </button>
                )}
              </div>
            )}
            <div class="actions">
              <button
                type="button"
                class="plain"
                onClick={undo}
                disabled={!past.length}
                aria-label={say("undo")}
                title={say("undo")}
              >
                <span aria-hidden="true">↩</span>
              </button>
              {busy ? (
                <button type="button" class="main" onClick={stop}>
                  <span class="spinner" aria-hidden="true" /> {say("stop")}
                </button>
              ) : (
                <button
                  type="button"
                  class="main"
                  disabled={!layout}
                  onClick={() => layout && void another(layout, chosen, kept)}
                >
                  {say(kept.terrain.length + kept.markers.length ? "redeal" : "another")}
                </button>
              )}
              <button
                type="button"
                class="plain"
                onClick={() => setTab("share")}
                aria-label={say("tab.share")}
                title={say("tab.share")}
              >
                <span aria-hidden="true">↗</span>
              </button>
            </div>
          </section>
          <section class="side">
            <div class="tabs" role="tablist" aria-label={say("tabs")}>
              {TABS.map((name) => (
                <button
                  key={name}
                  type="button"
                  role="tab"
                  id={`tab-${name}`}
                  aria-selected={tab === name}
                  aria-controls="panel"
                  tabIndex={tab === name ? 0 : -1}
                  onClick={() => setTab(name)}
                  onKeyDown={(event) => {
                    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
                    if (!step) return;
                    const next = TABS[(TABS.indexOf(name) + step + TABS.length) % TABS.length];
                    setTab(next);
                    document.getElementById(`tab-${next}`)?.focus();
                  }}
                >
                  {say(`tab.${name}`)}
                </button>
              ))}
            </div>
            <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
              {panel}
            </div>
          </section>
        </main>
        <p class="hidden" aria-live="polite">
          {heard}
        </p>
      </div>
      {board && (
        <Sheets
          board={board}
          letters={letters}
          patterns={patterns}
          kind={sheets}
          address={`${location.href.split("#")[0]}#${address}`}
        />
      )}
    </>
  );
}

const undoOrClose = (board: Value | undefined, past: State[], undo: () => void, close: () => void): void =>
  board && past.length ? undo() : close();

const nameOf = (item: string, chosen: Chosen, rules: RulesData): JSX.Element | string => {
  if (item === KEPT) return say("clash.kept");
  const rule = rules.rules.find((each) => each.field === item)!;
  return sentences(rule, chosen).map(sentence).join(" ");
};

function freeVertices(board: Value, placed: number[]): number[] {
  const { layout, terrain } = board;
  const near = new Set(placed.flatMap((v) => [v, ...layout.vertexNeighbors[v]]));
  return layout.vertices
    .map((_, v) => v)
    .filter((v) => !near.has(v) && layout.vertexTiles[v].some((t) => terrain[t] !== "sea"));
}

const Mark = (): JSX.Element => (
  <svg viewBox="0 0 24 24" width="28" height="28" aria-hidden="true">
    <path
      d="M12 1.500 21 6.800v10.400l-9 5.300-9-5.300V6.800z"
      fill="#ecc24f"
      stroke="#b98a1d"
      stroke-width="1.500"
    />
    <circle cx="12" cy="12" r="4.500" fill="#fdf6e3" />
  </svg>
);

const Waiting = (): JSX.Element => (
  <div class="waiting">
    <span class="spinner" aria-hidden="true" />
    <p>{say("starting")}</p>
  </div>
);
