/** The page: one board, and what one does with it. */

import type { JSX } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { addressOf, type Draft, readAddress } from "./address";
import { Board } from "./board";
import { type Fault, itemOf, OwnText, ownOf, shown as shownIn, told, withOwn } from "./constraint";
import { type Chosen, type LayoutEntry, type Models, type RulesData, readLayout } from "./data";
import { type Asked, Dealer } from "./dealer";
import { clash, isOpen, KEPT, open } from "./dealing";
import { drawn, emptied, isComplete, laid, nextTile, patternOf } from "./entry";
import type { Tried } from "./exchanges";
import { type Improved, improve } from "./improve";
import { current as languageNow, say } from "./language";
import { Menu, useLooks } from "./menu";
import { BadNotation, type Pattern, short, type Board as Value } from "./notation";
import { keepOffline } from "./offline";
import { DealPanel } from "./panel_deal";
import { EntryPanel } from "./panel_entry";
import { JudgePanel, judgedRules, points, type Shown } from "./panel_judge";
import { freeVertices, SettlePanel, settlements } from "./panel_settle";
import { SharePanel, Sheets } from "./panel_share";
import { brokenPlaces } from "./places";
import { type Repaired, repair, type Unrepaired } from "./repair";
import { inForce, possible, withHarbors } from "./rules";
import { vertexPips } from "./scores";
import { Stopped } from "./solver";
import { Actions, Mark, type Problem, ProblemBox, type Tab, Tabs, Waiting } from "./stage";
import { showAddress, useBack } from "./use_back";
import { useCourse } from "./use_course";

interface Props {
  rules: RulesData;
  layouts: LayoutEntry[];
  models: Models;
  languages: Record<string, string>;
  /** The page's public address. */
  site?: string;
}

/** A board, and what was asked for when it was dealt. */
interface State extends Asked {
  board: Value;
}

/** What undo brings back. */
interface Past extends State {
  draft: Draft;
}

const UNDOS = 50;
const SHOWN_MOVES = 3;
const NOBODY: Draft = { players: 4, placed: [] };

export function App({ rules, layouts, models, languages, site }: Props): JSX.Element {
  const dealer = useMemo(() => new Dealer(rules, models), []);
  const [asked, setAsked] = useState<Asked>();
  const [state, setState] = useState<State>();
  const [past, setPast] = useState<Past[]>([]);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [tab, setTab] = useState<Tab>("deal");
  const [shown, setShown] = useState<Shown>("chance");
  const [draft, setDraft] = useState<Draft>(NOBODY);
  const [foresee, setForesee] = useState(false);
  const [looks, setLooks] = useLooks();
  const [, setLanguage] = useState(languageNow); // all is said anew in the next one
  const [sheets, setSheets] = useState<"page" | "true">("page");
  const [heard, setHeard] = useState("");
  // A board that is being laid by hand, step by step; the tile that was touched; the rule that alone is ringed.
  const [entry, setEntry] = useState<Pattern[]>([]);
  const [touched, setTouched] = useState<number>();
  const [ringed, setRinged] = useState<string>();
  const [repaired, setRepaired] = useState<Repaired | Improved>();
  const [menu, setMenu] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const [fault, setFault] = useState<Fault & { own: number }>();
  const work = useRef<AbortController | undefined>(undefined);
  const board = state?.board;
  const entering = tab === "judge" && entry.length > 0;

  const stop = useCallback((): void => {
    work.current?.abort();
    work.current = undefined;
    setBusy(false);
  }, []);

  const leaveEntry = (): void => {
    setEntry([]);
    setTouched(undefined);
    setRinged(undefined);
    setRepaired(undefined);
  };

  const show = (next: State): void => {
    leaveEntry();
    // Whoever goes back finds the locks as they were when the next board was asked for.
    if (state) setPast((each) => [...each.slice(1 - UNDOS), { ...state, kept: keptOn(state, next), draft }]);
    setState(next);
    setDraft(({ players }) => ({ players: Math.min(players, next.board.layout.players), placed: [] }));
    setHeard(say("dealt"));
    dealer.prepare(next);
    keepOffline();
  };

  const failed = (reason: unknown): void => setProblem({ text: `${say("failed")} ${reason}` });

  /** Where MiniZinc fails for the user's own text, it is said under the place. */
  const refusedBy = (
    { layout, chosen }: Asked,
    { message, line }: { message: string; line?: number },
  ): void => {
    if (line === undefined) {
      failed(message);
      return;
    }
    const own = ownOf(chosen);
    const found = new OwnText(own, layout, rules.constraints).place(line);
    const { sample } = shownIn(own[found.own].text, found.at);
    setFault({ ...found, key: "", word: "", message });
    setProblem({ text: say("own.refused", { text: told(own[found.own]) }), sample, words: message });
  };

  const deal = async (next: Asked): Promise<void> => {
    stop();
    const control = new AbortController();
    work.current = control;
    setBusy(true);
    setProblem(undefined);
    setFault(undefined);
    setAsked(next);
    try {
      const answer = await dealer.deal(next, control.signal);
      if (control.signal.aborted) return;
      if ("board" in answer) show({ ...next, board: answer.board });
      else if (answer.problem.kind === "timeout") setProblem({ text: say("timeout") });
      else if (answer.problem.kind === "failed") refusedBy(next, answer.problem);
      else {
        setProblem({ text: say("clash.search"), searching: true });
        const world = dealer.world(next.layout);
        const none = { took: answer.took, proven: answer.problem.proven };
        const { items, proven } = await clash(world, next.chosen, next.kept, none, control.signal);
        setProblem({ text: say(proven ? "clash" : "clash.unproven"), clash: items });
      }
    } catch (reason) {
      if (reason instanceof Stopped) setProblem(undefined);
      else failed(reason);
    } finally {
      if (work.current === control) stop();
    }
  };

  const changeLayout = async (name: string): Promise<void> => {
    try {
      const layout = await readLayout(name);
      setChoosing(false);
      await deal({ layout, chosen: withHarbors({ ...asked?.chosen }, layout, rules), kept: open(layout) });
    } catch (reason) {
      failed(reason);
    }
  };

  const goTo = (to: State): void => {
    stop();
    leaveEntry();
    setState(to);
    setAsked(to);
    setProblem(undefined);
  };

  const undo = (): void => {
    if (entering) {
      setEntry(entry.slice(0, -1));
      setHeard(say("undone"));
      return;
    }
    const last = past.at(-1);
    if (!last) return;
    setPast(past.slice(0, -1));
    goTo(last);
    setDraft(last.draft);
    setHeard(say("undone"));
  };

  const openAddress = async (address: string): Promise<void> => {
    try {
      const { board: given, draft: drafted, refused, ...next } = await readAddress(address, layouts, rules);
      if (given) {
        stop();
        setAsked(next);
        show({ ...next, board: given });
        setProblem(undefined);
      } else await deal(next);
      if (drafted) {
        setDraft(drafted);
        setTab("settle");
      }
      if (refused.length) setProblem({ text: say("refused"), refused });
    } catch (reason) {
      const unreadable = reason instanceof BadNotation;
      if (unreadable && !state) await openAddress(""); // there is a board all the same
      if (unreadable) setProblem({ text: say("unreadable", { text: short(reason.message) }) });
      else failed(reason);
    }
  };
  const opening = useRef(openAddress);
  opening.current = openAddress; // it sees what is shown now

  // The address says what is shown, and whoever changes it is shown that.
  const own = useRef("");
  useEffect(() => {
    const changed = (): void => {
      if (location.hash.slice(1) !== own.current) void opening.current(location.hash.slice(1));
    };
    void opening.current(location.hash.slice(1));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const address =
    state && asked ? addressOf(state.board, asked.chosen, keptOn(state, asked), draft, rules) : "";
  useEffect(() => {
    if (!address) return;
    own.current = address;
    showAddress(address);
  }, [address]);

  const toBoardBefore = (): void => {
    if (state && asked) goTo({ ...state, kept: keptOn(state, asked) });
    else void openAddress("");
  };
  const touching = tab === "judge" && (entering || touched !== undefined);
  const opened = [menu, choosing && tab === "deal", problem && !problem.searching, touching];
  const closeTop = (): void => {
    if (menu) setMenu(false);
    else if (choosing && tab === "deal") setChoosing(false);
    else if (problem) toBoardBefore();
    else leaveEntry();
  };
  useBack(opened.filter(Boolean).length, closeTop, () => own.current);

  const keepTile = (t: number): void => {
    if (!asked || !state) return;
    const [terrain, marker] = nextKept(state.board, asked, t);
    const kept = {
      terrain: asked.kept.terrain.with(t, terrain ? state.board.terrain[t] : undefined),
      markers: asked.kept.markers.with(t, marker ? state.board.markers[t] : undefined),
    };
    setAsked({ ...asked, kept });
    dealer.prepare({ ...asked, kept });
    setHeard(
      say(
        terrain && marker ? "keep.both" : terrain ? "keep.terrain" : marker ? "keep.marker" : "keep.neither",
      ),
    );
  };

  /** Lays a piece on the tile that was touched, or takes it off; with the last one, the board is shown. */
  const layPiece = (piece: string | number): void => {
    if (!state || !asked || touched === undefined) return;
    const { layout } = state.board;
    const before = entry.at(-1) ?? patternOf(state.board);
    const next = laid(before, touched, piece, layout);
    if (isComplete(next, layout)) {
      stop();
      const chosen = asked.layout === layout ? asked.chosen : state.chosen;
      setAsked({ layout, chosen, kept: open(layout) });
      show({ layout, chosen, kept: open(layout), board: drawn(next, state.board) });
      setProblem(undefined);
      return;
    }
    setEntry([...entry, next]);
    const more = [...next.terrain, ...next.markers].filter((each) => each !== undefined).length;
    const fewer = [...before.terrain, ...before.markers].filter((each) => each !== undefined).length;
    // The numbers begin where the board does, once the last tile lies.
    const turned = before.terrain.includes(undefined) && !next.terrain.includes(undefined);
    if (more >= fewer) setTouched(nextTile(next, turned ? -1 : touched, layout));
  };

  /** Shows the better board that is found, with what changed; or says that there is none. */
  const better = async <T,>(
    chosen: Chosen,
    find: (telling: (text: string) => void, signal: AbortSignal) => Promise<Repaired | Improved | T>,
    none: (found: T) => void,
  ): Promise<void> => {
    stop();
    const control = new AbortController();
    work.current = control;
    setBusy(true);
    try {
      const found = await find((text) => setProblem({ text, searching: true }), control.signal);
      if (control.signal.aborted) return;
      if (found && typeof found === "object" && "board" in found) {
        const next = { layout: found.board.layout, chosen, kept: open(found.board.layout) };
        setAsked(next);
        show({ ...next, board: found.board });
        setRepaired(found);
        setProblem(undefined);
      } else none(found as T);
    } catch (reason) {
      if (reason instanceof Stopped) setProblem(undefined);
      else failed(reason);
    } finally {
      if (work.current === control) stop();
    }
  };

  /** The board with the fewest tiles changed that keeps the rules. */
  const mend = (before: Value, chosen: Chosen): Promise<void> =>
    better<Unrepaired>(
      chosen,
      (telling, signal) => {
        telling(say("repair.search"));
        const found = (n: number): void => telling(say("repair.check", { n }));
        return repair(dealer.world(before.layout), before, chosen, found, signal);
      },
      (found) => {
        if (found.kind === "failed") failed(found.message);
        else setProblem({ text: say(found.kind === "timeout" ? "repair.timeout" : "repair.none") });
      },
    );

  /** The board with the fewest exchanges that keeps the rules and has even seats. */
  const even = (before: Value, chosen: Chosen): Promise<void> =>
    better<Tried>(
      chosen,
      (telling, signal) =>
        improve(
          dealer.world(before.layout),
          before,
          chosen,
          draft.players,
          ({ boards, exchanges }) => telling(say("improve.search", { boards, n: exchanges })),
          signal,
        ),
      ({ exchanges, boards, nearest, cut }) =>
        setProblem({
          text: say(`improve.${nearest < 1 ? "none" : "illegal"}${cut ? ".cut" : ""}`, {
            n: exchanges,
            boards,
            spread: points(nearest),
          }),
        }),
    );

  const drafting = tab === "settle" || (tab === "judge" && !entering);
  const placed = tab === "settle" ? draft.placed : NOBODY.placed;
  const course = useCourse(drafting ? board : undefined, draft.players, placed, rules.worth);
  const moves = tab === "settle" ? course?.moves.slice(0, SHOWN_MOVES) : undefined;
  const values = useMemo(() => {
    if (!board || tab !== "judge" || entering || shown === "none") return undefined;
    if (shown === "pips") return vertexPips(board);
    const found = board.layout.vertices.map(() => 0);
    for (const { vertex, chance } of course?.moves ?? []) found[vertex] = 100 * chance;
    return course && found;
  }, [board, tab, shown, entering, course]);
  const link = `${site ?? location.href.split("#")[0]}#${address}`;
  const place = (next: number[]): void => setDraft({ ...draft, placed: next });
  const dealing = tab === "deal" && asked?.layout === board?.layout;
  const ruling = asked && board && asked.layout === board.layout ? asked.chosen : state?.chosen;
  const places = useMemo(
    () =>
      board && ruling && tab === "judge" && !entering
        ? brokenPlaces(board, judgedRules(ruling, board.layout, rules), rules)
        : {},
    [board, ruling, tab, entering],
  );
  const force = ruling ? inForce(ruling, rules) : [];
  const rings = (ringed ? [ringed] : force).flatMap((field) => places[field] ?? []);

  const mending =
    tab === "judge" && ruling && board && (ownOf(ruling).length || force.some((field) => places[field]))
      ? () => void mend(board, ruling)
      : undefined;
  const layRest = (): void => {
    if (state && asked)
      void deal({
        layout: state.board.layout,
        chosen: ruling ?? asked.chosen,
        kept: entry.at(-1) ?? patternOf(state.board),
      });
  };
  const mainAction = (): [string, (() => void) | undefined] => {
    if (!asked || !state) return ["another", asked && (() => void deal(asked))];
    if (entering) return ["lay.rest", layRest];
    if (mending && force.some((field) => places[field])) return ["repair", mending];
    if (tab === "settle" && draft.placed.length < 2 * draft.players)
      return ["settle.take", moves?.length ? () => place([...draft.placed, moves[0].vertex]) : undefined];
    return [isOpen(asked.kept) ? "another" : "redeal", () => void deal(asked)];
  };

  const panel =
    !state || !asked ? null : tab === "deal" ? (
      <DealPanel
        {...{ rules, layouts, asked, fault, choosing, onChoosing: setChoosing }}
        onLayout={(name) => void changeLayout(name)}
        onRules={(wanted) => void deal({ ...asked, chosen: possible(wanted, asked.layout, rules) })}
        onForget={() => {
          const next = { ...asked, kept: open(asked.layout) };
          setAsked(next);
          dealer.prepare(next);
        }}
      />
    ) : tab === "judge" && (entering || touched !== undefined) ? (
      <EntryPanel
        {...{ layout: state.board.layout, pattern: entry.at(-1) ?? patternOf(state.board), touched }}
        onPiece={layPiece}
        onRest={layRest}
        onLeave={leaveEntry}
      />
    ) : tab === "judge" ? (
      <JudgePanel
        {...{
          world: dealer.world(state.board.layout),
          board: state.board,
          chosen: ruling ?? asked.chosen,
          shown,
        }}
        {...{ places, ringed, repaired }}
        {...{ course, players: draft.players }}
        onRepair={mainAction()[0] === "repair" ? undefined : mending}
        onImprove={() => void even(state.board, ruling ?? asked.chosen)}
        onRinged={setRinged}
        onEmpty={() => {
          setEntry([emptied(state.board.layout)]);
          setTouched(nextTile(emptied(state.board.layout), -1, state.board.layout));
        }}
        onShown={setShown}
      />
    ) : tab === "settle" ? (
      <SettlePanel
        {...{ board: state.board, ...draft, course, moves, foresee, onForesee: setForesee, onPlaced: place }}
        onPlayers={(players) => setDraft({ players, placed: [] })}
      />
    ) : (
      <SharePanel
        {...{ board: state.board, sheets, ...looks, address: link }}
        onSheets={setSheets}
        onSay={setHeard}
        onOpen={(text) => void openAddress(text.includes("#") ? text.split("#").slice(1).join("#") : text)}
      />
    );

  return (
    <>
      <div class="page">
        <header>
          <h1>
            <Mark /> {say("title")}
          </h1>
          <Menu
            {...{ languages, looks, onLooks: setLooks, onLanguage: setLanguage }}
            open={menu}
            onOpen={setMenu}
          />
        </header>
        <main>
          <section
            class="stage"
            aria-label={say("board", { layout: board?.layout.title ?? "" })}
            aria-busy={busy}
          >
            {board ? (
              <Board
                key={board.layout.name}
                {...{ ...looks, values, scale: rules.heat, dim: busy, rings }}
                board={entering ? drawn(entry.at(-1)!, board) : board}
                onTile={dealing ? keepTile : tab === "judge" ? setTouched : undefined}
                changed={tab === "judge" && !entering ? repaired?.tiles : undefined}
                touched={tab === "judge" ? touched : undefined}
                kept={dealing ? asked?.kept : undefined}
                open={tab === "settle" ? freeVertices(board, draft) : []}
                best={moves?.map((move) => move.vertex)}
                onVertex={tab === "settle" ? (v) => place([...draft.placed, v]) : undefined}
                settled={tab === "settle" ? settlements(draft, foresee ? course?.rest : undefined) : []}
              />
            ) : (
              <Waiting busy={busy} />
            )}
            {problem && asked && (
              <ProblemBox
                {...{ problem, rules, chosen: asked.chosen }}
                onBack={toBoardBefore}
                onWithout={(item) => void deal(without(item, asked, rules))}
              />
            )}
            <Actions
              {...{
                busy,
                main: mainAction(),
                undoes: past.length > 0 || entering,
              }}
              onUndo={undo}
              onStop={stop}
              onShare={() => setTab("share")}
            />
          </section>
          <section class="side">
            <Tabs {...{ tab, onTab: setTab }} />
            <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
              {panel}
            </div>
          </section>
        </main>
        <p class="hidden" aria-live="polite">
          {heard}
        </p>
      </div>
      {board && <Sheets {...{ board, ...looks, kind: sheets, address: link }} />}
    </>
  );
}

/** What is kept of the board that is shown; nothing where another layout is asked for. */
const keptOn = ({ board }: State, asked: Asked): Asked["kept"] =>
  asked.layout === board.layout ? asked.kept : open(board.layout);

/** What is asked for, less one part of a clash. */
function without(item: string, asked: Asked, rules: RulesData): Asked {
  if (item === KEPT) return { ...asked, kept: open(asked.layout) };
  const own = ownOf(asked.chosen).filter((_, i) => itemOf(i) !== item);
  if (own.length < ownOf(asked.chosen).length) return { ...asked, chosen: withOwn(asked.chosen, own) };
  const chosen = Object.fromEntries(Object.entries(asked.chosen).filter(([field]) => field !== item));
  return { ...asked, chosen: possible(chosen, asked.layout, rules) };
}

/** A touch keeps tile and number, the next the tile alone, the next the number alone, then neither. */
function nextKept(board: Value, { kept }: Asked, t: number): [boolean, boolean] {
  const [terrain, marker] = [kept.terrain[t] !== undefined, kept.markers[t] !== undefined];
  const numbered = board.markers[t] > 0;
  if (!terrain && !marker) return [true, numbered];
  if (terrain && marker) return [true, false];
  return [false, terrain && numbered];
}
