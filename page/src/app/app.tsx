/** The page: one board, and what one does with it. */

import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef } from "preact/hooks";
import { Board } from "../board/board";
import { boxOf } from "../board/geometry";
import { addressOf } from "../core/address";
import { MOST_WORDS, ownOf } from "../core/constraint";
import type { LayoutEntry, Models, Pair, RulesData } from "../core/data";
import { drawn, harborPlaces, patternOf } from "../core/entry";
import type { EvenBoards } from "../core/even";
import { say } from "../core/language";
import { isOpen, notation, open, patternText, short } from "../core/notation";
import { brokenPlaces } from "../core/places";
import { askedEven, inForce, possible, rulesText, saidOf } from "../core/rules";
import { keepAsked, save } from "../core/saved";
import { vertexPips } from "../core/scores";
import { EntryPanel } from "../features/check/entry";
import { Fairness } from "../features/check/fairness";
import { JudgePanel, judgedRules } from "../features/check/panel";
import { DealPanel } from "../features/deal/panel";
import { freeVertices, SettlePanel, settlements } from "../features/draft/panel";
import { useCourse } from "../features/draft/use_course";
import { Sheets } from "../features/print/sheets";
import { planOf } from "../features/repair/plan";
import { SharePanel } from "../features/share/panel";
import type { Dealer } from "../solver/dealer";
import { Boundary } from "../widgets/boundary";
import type { Actions as Doing } from "./actions";
import { Dialogs, Star } from "./dialogs";
import { Menu, useLooks } from "./menu";
import { Actions, Mark, ProblemBox, ProgressBox, Tabs, Waiting } from "./stage";
import { keptOn, rulingOf, type Store } from "./store";
import { showAddress, useBack } from "./use_back";
import { useKeys, useNextFocus } from "./use_keys";
import { useStage } from "./use_stage";

interface Props {
  store: Store;
  dealer: Dealer;
  actions: Doing;
  rules: RulesData;
  layouts: LayoutEntry[];
  models: Models;
  languages: Record<string, string>;
  /** The page's public address. */
  site?: string;
  evenBoards: EvenBoards;
}

const SHOWN_MOVES = 3;
const NONE: number[] = [];
const NO_PLACES: Pair[] = [];

export function App({
  store,
  dealer,
  actions,
  rules,
  layouts,
  models,
  languages,
  site,
  evenBoards,
}: Props): JSX.Element {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useMemo(() => store.onChange(() => redraw(undefined as never)), []);
  const [looks, setLooks] = useLooks();
  const { language } = store.state;
  useLayoutEffect(() => {
    document.documentElement.lang = language;
    document.title = say("title");
  }, [language]);
  const { work, past, future, tab, shown, foresee, busy, progress, problem } = store.state;
  const { menu, choosing, sheets, ringed, heard, loading, dialog } = store.state;
  const { asked, dealt, draft, entry, touched, repaired } = work;
  const board = dealt?.board;
  const entering = tab === "judge" && entry !== undefined;

  // The address contains what is shown, and a changed address is shown.
  const own = useRef("");
  useEffect(() => {
    const changed = (): void => {
      if (location.hash.slice(1) !== own.current) void actions.openAddress(location.hash.slice(1));
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const address =
    dealt && asked
      ? addressOf(dealt.board, asked.chosen, keptOn(dealt, asked), draft, rules, asked.even)
      : "";
  useEffect(() => {
    if (!address) return;
    own.current = address;
    showAddress(address);
    save("recent", address);
  }, [address]);
  const chosen = asked && rulesText(asked.chosen, asked.layout, rules);
  const wanted = asked && (asked.even ? "" : `${patternText(open(asked.layout), asked.layout)}&${chosen}`);
  useEffect(() => {
    if (wanted !== undefined && !work.pending) keepAsked(wanted);
  }, [wanted, work.pending]);

  const touching = tab === "judge" && (entering || touched !== undefined);
  const opened = [dialog, menu, choosing && tab === "deal", problem, touching];
  const closeTop = (): void => {
    if (dialog) store.set({ dialog: undefined });
    else if (menu) store.set({ menu: false });
    else if (choosing && tab === "deal") store.set({ choosing: false });
    else if (problem) actions.toBoardBefore();
    else actions.leaveEntry();
  };
  useBack(opened.filter(Boolean).length, closeTop, () => own.current);
  const inside = menu ? ".menu" : choosing ? ".layouts" : ".side, .actions, .problem, [data-group]";
  useKeys({
    undo: actions.undo,
    redo: actions.redo,
    close: menu || (choosing && tab === "deal") || (touching && !problem) ? closeTop : undefined,
    inside,
  });
  useNextFocus();
  // What lies, and the places of harbors that can be touched.
  const onTable = entering && board ? drawn(entry, board) : board;
  const spots = onTable && tab === "judge" ? harborPlaces(onTable, touching) : NO_PLACES;
  const box = onTable && boxOf(onTable.layout, onTable.harbors.length + spots.length > 0);
  useStage(box);

  const start = useCourse(entering ? undefined : board, draft.players, NONE, rules.worth);
  const { placed } = draft;
  const drafting = tab === "settle" && placed.length > 0;
  const later = useCourse(drafting ? board : undefined, draft.players, placed, rules.worth);
  const course = drafting ? later : start;
  const played = board && evenBoards.playedOn(board, draft.players);
  const moves = tab === "settle" ? course?.moves?.slice(0, SHOWN_MOVES) : undefined;
  const link = `${site ?? location.href.split("#")[0]}#${address}`;
  const dealing = tab === "deal" && asked?.layout === board?.layout;
  const ruling = rulingOf(work);
  const places = useMemo(
    () =>
      board && ruling && tab === "judge" && !entering
        ? brokenPlaces(board, judgedRules(ruling, board.layout, rules), rules)
        : {},
    [board, ruling, tab, entering],
  );
  const force = ruling ? inForce(ruling, rules) : [];
  const rings = (ringed ? [ringed] : force).flatMap((field) => places[field] ?? []);
  const pairs = useMemo(
    () => repaired && planOf(repaired.before, repaired.board).map(({ tiles }) => tiles),
    [repaired],
  );
  const checking = tab === "judge" && !entering;
  const marked = repaired?.tiles ?? (ringed ? rings.flatMap(({ tiles }) => tiles) : []);
  const broken = force.some((field) => places[field]);
  // Either a heat map or marks: numbers of tiles look like chances, and rings hide values.
  const hasMarks = checking && (rings.length > 0 || marked.length > 0);
  const map = shown ?? (hasMarks ? "none" : "chance");
  const marking = checking && map === "none";
  const values = useMemo(() => {
    if (!board || !checking || map === "none") return undefined;
    if (map === "pips" || !course?.exact) return vertexPips(board);
    const found = board.layout.vertices.map(() => 0);
    for (const { vertex, chance } of course?.moves ?? []) found[vertex] = 100 * chance;
    return course?.moves && found;
  }, [board, checking, map, course]);

  // A board that is checked is announced with its verdict.
  const checked = tab === "judge" && !touching ? ruling && board : undefined;
  const nBroken = force.filter((field) => places[field]).length;
  const last = useRef(board);
  useEffect(() => {
    const before = last.current !== board ? `${store.state.heard} ` : "";
    last.current = board;
    const verdict = say(nBroken ? "judge.heard.broken" : "judge.heard", { n: nBroken });
    if (checked) store.set({ heard: before + verdict });
  }, [checked, nBroken]);

  const mending =
    tab === "judge" && ruling && board && (ownOf(ruling).length || broken)
      ? () => actions.repair(board, ruling)
      : undefined;
  const mainAction = (): [string, (() => void) | undefined] => {
    if (!asked || !board) return ["another", asked && (() => actions.deal(asked))];
    if (entering) return ["lay.rest", actions.layRest];
    if (mending && broken) return ["repair", mending];
    if (tab === "settle" && draft.placed.length < 2 * draft.players)
      return [
        "settle.take",
        moves?.length ? () => actions.place([...draft.placed, moves[0].vertex]) : undefined,
      ];
    return [isOpen(asked.kept) ? "another" : "redeal", () => actions.deal(asked)];
  };

  const panel =
    !board || !asked ? null : tab === "deal" ? (
      <DealPanel
        {...{ rules, layouts, asked, choosing, fault: store.state.fault }}
        onChoosing={(open) => store.set({ choosing: open })}
        onLayout={actions.changeLayout}
        onRules={(wanted) =>
          actions.deal({ ...asked, chosen: possible(wanted, asked.layout, rules), even: false })
        }
        onEven={() => actions.deal(askedEven(asked.layout, rules))}
        onForget={actions.forget}
      />
    ) : touching ? (
      <EntryPanel
        {...{ board: onTable ?? board, pattern: entry ?? patternOf(board), touched }}
        onPiece={actions.layPiece}
        onRest={actions.layRest}
        onLeave={actions.leaveEntry}
      />
    ) : tab === "judge" ? (
      <JudgePanel
        {...{ world: dealer.world(board.layout), board, chosen: ruling ?? asked.chosen, shown: map }}
        {...{ places, ringed, repaired, course, played, players: draft.players }}
        onRepair={mainAction()[0] === "repair" ? undefined : mending}
        onRinged={(field) => store.set({ ringed: field, shown: undefined })}
        onEmpty={() => actions.empty(board)}
        onShown={(map) => store.set({ shown: map })}
      />
    ) : tab === "settle" ? (
      <SettlePanel
        {...{ board, ...draft, course, moves, foresee }}
        onForesee={(yes) => store.set({ foresee: yes })}
        onPlaced={actions.place}
        onPlayers={actions.players}
      />
    ) : (
      <SharePanel
        {...{ board, sheets, ...looks, address: link }}
        onSheets={(kind) => store.set({ sheets: kind })}
        onSay={(text) => store.set({ heard: text })}
        onOpen={(text) =>
          void actions.openAddress(text.includes("#") ? text.split("#").slice(1).join("#") : text)
        }
      />
    );

  return (
    <>
      <div class="page">
        <header>
          <h1>
            <Mark /> {say("title")}
          </h1>
          <Star
            address={address}
            onSay={(heard, isProblem) =>
              store.set(isProblem ? { heard, problem: { text: heard } } : { heard })
            }
          />
          <Menu
            {...{ languages, looks, onLooks: setLooks }}
            onDialog={(next) => store.set({ menu: false, dialog: next })}
            onLanguage={(language) => store.set({ language })}
            open={menu}
            onOpen={(open) => store.set({ menu: open })}
          />
        </header>
        <main>
          <section
            class="stage"
            aria-label={say("board", { layout: board?.layout.title ?? "" })}
            aria-busy={busy}
            data-board={board && notation(board)}
          >
            {board ? (
              <Board
                key={board.layout.name}
                {...{ ...looks, values, live: true, dim: busy, rings: marking ? rings : [] }}
                board={onTable ?? board}
                box={box}
                places={spots}
                onHarbor={tab === "judge" ? actions.touch : undefined}
                onTile={dealing ? actions.keepTile : tab === "judge" ? actions.touch : undefined}
                changed={marking ? repaired?.tiles : undefined}
                numbered={marking ? [...new Set(marked)] : []}
                pairs={marking ? pairs?.filter(({ length }) => length === 2) : undefined}
                touched={tab === "judge" ? touched : undefined}
                kept={dealing ? asked?.kept : undefined}
                open={tab === "settle" ? freeVertices(board, draft) : []}
                best={moves?.map((move) => move.vertex)}
                onVertex={tab === "settle" ? (v) => actions.place([...draft.placed, v]) : undefined}
                settled={tab === "settle" ? settlements(draft, foresee ? course?.rest : undefined) : []}
              />
            ) : (
              <Waiting busy={busy} />
            )}
            {problem && asked && (
              <ProblemBox
                {...{ problem, rules, chosen: asked.chosen }}
                onBack={actions.toBoardBefore}
                onWithout={actions.dealWithout}
              />
            )}
            {progress && <ProgressBox text={progress} />}
            {board && !entering && <Fairness course={start} played={played} />}
            <Actions
              {...{ busy, loading, main: mainAction() }}
              onUndo={past.length ? actions.undo : undefined}
              onRedo={future.length ? actions.redo : undefined}
              onStop={actions.stop}
              onShare={() => store.set({ tab: "share" })}
            />
          </section>
          <section class="side">
            <Tabs {...{ tab, onTab: (next) => store.set({ tab: next }) }} />
            <div class="panel" id="panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
              <Boundary
                of={[tab, address]}
                onBack={past.length ? actions.undo : () => void actions.openAddress("")}
              >
                {panel}
              </Boundary>
            </div>
          </section>
        </main>
        {dialog && (
          <Boundary of={[dialog]} onBack={() => store.set({ dialog: undefined })}>
            <Dialogs
              {...{ dialog, rules, models, looks, layouts }}
              onClose={() => store.set({ dialog: undefined })}
              onOpen={(to) => {
                store.set({ dialog: undefined });
                void actions.openAddress(to);
              }}
            />
          </Boundary>
        )}
        <p class="hidden" aria-live="polite">
          {heard}
        </p>
      </div>
      {board && (
        <Boundary of={[address, sheets]}>
          <Sheets
            {...{ board, ...looks, kind: sheets, address: link }}
            rules={
              asked
                ? inForce(asked.chosen, rules).map((item) =>
                    short(saidOf(item, asked.chosen, rules), MOST_WORDS),
                  )
                : []
            }
          />
        </Boundary>
      )}
    </>
  );
}
