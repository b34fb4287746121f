/** The page: one board and its tools. */

import { useLayoutEffect, useMemo, useReducer } from "preact/hooks";
import { Board } from "../board/board";
import { boxOf } from "../board/geometry";
import type { Looks } from "../board/look";
import { MOST_WORDS, ownOf } from "../core/constraint";
import type { Chosen, LayoutEntry, Models, Pair, RulesData } from "../core/data";
import { drawn, harborPlaces } from "../core/entry";
import type { EvenBoards } from "../core/even";
import { say } from "../core/language";
import { isOpen, notation, short, type Board as Value } from "../core/notation";
import { inForce, saidOf } from "../core/rules";
import { Fairness } from "../features/check/fairness";
import { nextVertices, settlements } from "../features/draft/panel";
import { useCourse } from "../features/draft/use_course";
import { Sheets } from "../features/print/sheets";
import type { Dealer } from "../solver/dealer";
import { Boundary } from "../widgets/boundary";
import type { Actions as Doing } from "./actions";
import { Dialogs, Star } from "./dialogs";
import { Menu, useLooks } from "./menu";
import { Panel } from "./panels";
import { Actions, type MainAction, Mark, ProblemBox, ProgressBox, Tabs, Waiting } from "./stage";
import type { Store, View } from "./store";
import { useAddress } from "./use_address";
import { useNextFocus } from "./use_keys";
import { useMarks } from "./use_marks";
import { useOverlays } from "./use_overlays";
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

export function App(props: Props) {
  const { store, dealer, actions, rules, layouts, models, languages, site, evenBoards } = props;
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useMemo(() => store.onChange(() => redraw(undefined as never)), []);
  const [looks, setLooks] = useLooks();
  const { language } = store.state;
  useLayoutEffect(() => {
    document.documentElement.lang = language;
    document.title = say("title");
  }, [language]);
  const { work, past, future, tab, foresee, busy, progress, problem } = store.state;
  const { sheets, heard, loading, dialog, swapping, picked } = store.state;
  const { asked, dealt, draft, entry, touched, repaired } = work;
  const board = dealt?.board;
  const entering = tab === "judge" && entry !== undefined;

  const [address, addressNow] = useAddress(work, actions.openAddress, rules);

  const touching = useOverlays(store, actions, addressNow);
  useNextFocus();
  // The pieces on the board, and the places of harbors that can be touched.
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
  const marks = useMarks(store, rules, course, touching);
  const { ruling, broken, marking } = marks;

  const mending =
    tab === "judge" && ruling && board && (ownOf(ruling).length || broken)
      ? () => actions.repair(board, ruling)
      : undefined;
  const mainAction = (): MainAction => {
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
  const main = mainAction();
  const tapped = swapping && !touching ? actions.swap : actions.touch;

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the tab Share has a field for files too */}
      <div
        class="page"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          const file = event.dataTransfer?.files[0];
          if (!file) return;
          event.preventDefault();
          void actions.openFile(file);
        }}
      >
        <Header {...{ store, address, languages, looks }} onLooks={setLooks} />
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
                {...{
                  ...looks,
                  values: marks.values,
                  live: true,
                  dim: busy,
                  rings: marking ? marks.rings : [],
                }}
                board={onTable ?? board}
                box={box}
                places={spots}
                onHarbor={tab === "judge" ? actions.touch : undefined}
                onTile={dealing ? actions.keepTile : tab === "judge" ? tapped : undefined}
                changed={marking ? repaired?.tiles : undefined}
                numbered={marking ? [...new Set(marks.marked)] : []}
                pairs={marking ? marks.pairs?.filter(({ length }) => length === 2) : undefined}
                touched={tab === "judge" ? (touched ?? picked) : undefined}
                kept={dealing ? asked?.kept : undefined}
                open={tab === "settle" ? nextVertices(board, draft) : []}
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
              {...{ busy, loading, main }}
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
                <Panel
                  {...{ store, dealer, actions, rules, layouts, looks, link, onTable, touching, marks }}
                  {...{ course, played, moves }}
                  onRepair={main[0] === "repair" ? undefined : mending}
                />
              </Boundary>
            </div>
          </section>
        </main>
        {dialog && (
          <Boundary of={[dialog]} onBack={() => store.set({ dialog: undefined })}>
            <Dialogs
              {...{ dialog, rules, models, looks, layouts, link }}
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
      {board && <Paper {...{ board, looks, address, link, sheets, rules }} chosen={asked?.chosen ?? {}} />}
    </>
  );
}

type HeaderProps = Pick<Props, "store" | "languages"> & {
  address: string;
  looks: Looks;
  onLooks: (looks: Looks) => void;
};

const Header = ({ store, address, languages, looks, onLooks }: HeaderProps) => (
  <header>
    <h1>
      <Mark /> {say("title")}
    </h1>
    <Star
      address={address}
      onSay={(heard, isProblem) => store.set(isProblem ? { heard, problem: { text: heard } } : { heard })}
    />
    <Menu
      {...{ languages, looks, onLooks }}
      onDialog={(next) => store.set({ menu: false, dialog: next })}
      onLanguage={(language) => store.set({ language })}
      open={store.state.menu}
      onOpen={(open) => store.set({ menu: open })}
    />
  </header>
);

interface PaperProps {
  board: Value;
  chosen: Chosen;
  rules: RulesData;
  looks: Looks;
  address: string;
  link: string;
  sheets: View["sheets"];
}

/** The printed page: the board with the rules that it was generated by. */
const Paper = ({ board, chosen, rules, looks, address, link, sheets }: PaperProps) => (
  <Boundary of={[address, sheets]}>
    <Sheets
      {...{ board, ...looks, kind: sheets, address: link }}
      rules={inForce(chosen, rules).map((item) => short(saidOf(item, chosen, rules), MOST_WORDS))}
    />
  </Boundary>
);
