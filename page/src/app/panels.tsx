import { FOREIGN } from "../core/limits";
/** The panel of the tab that is open. */

import type { Looks } from "../board/look";
import type { LayoutEntry, RulesData } from "../core/data";
import type { Move } from "../core/draft";
import { patternOf } from "../core/entry";
import type { Played } from "../core/even";
import type { Board as Value } from "../core/notation";
import { askedEven, possible } from "../core/rules";
import { EntryPanel } from "../features/check/entry";
import { JudgePanel } from "../features/check/panel";
import { DealPanel } from "../features/deal/panel";
import { SettlePanel } from "../features/draft/panel";
import type { Course } from "../features/draft/use_course";
import { SharePanel } from "../features/share/panel";
import { partsOf } from "../features/shuffle/parts";
import type { Dealer } from "../solver/dealer";
import type { Actions } from "./actions";
import type { Store } from "./store";
import type { Marks } from "./use_marks";

interface Props {
  store: Store;
  dealer: Dealer;
  actions: Actions;
  rules: RulesData;
  layouts: LayoutEntry[];
  looks: Looks;
  /** The public link to the board. */
  link: string;
  /** The board with the pieces that are entered. */
  onTable: Value | undefined;
  touching: boolean;
  marks: Marks;
  course: Course | undefined;
  played: Played | undefined;
  moves: Move[] | undefined;
  /** Repairs the board. Undefined if the main button does. */
  onRepair: (() => void) | undefined;
}

export function Panel(props: Props) {
  const { store, dealer, actions, rules, layouts, looks, link, onTable, touching, marks } = props;
  const { course, played, moves, onRepair } = props;
  const { work, tab, choosing, ringed, foresee, sheets, swapping, picked } = store.state;
  const { asked, dealt, draft, entry, touched, repaired } = work;
  const board = dealt?.board;
  if (!board || !asked) return null;
  return tab === "deal" ? (
    <DealPanel
      {...{ rules, layouts, asked, choosing, fault: store.state.fault }}
      onChoosing={(open) => store.set({ choosing: open })}
      onLayout={actions.changeLayout}
      onRules={(wanted) =>
        actions.deal({ ...asked, chosen: possible(wanted, asked.layout, rules), even: false })
      }
      onEven={() => actions.deal(askedEven(asked.layout, rules))}
      onForget={actions.forget}
      onShuffle={actions.shuffle}
      parts={partsOf(board, marks.ruling ?? asked.chosen, rules)}
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
      {...{
        world: dealer.world(board.layout),
        board,
        chosen: marks.ruling ?? asked.chosen,
        shown: marks.map,
      }}
      {...{ swapping, picked, onSwapping: actions.swapping }}
      {...{ places: marks.places, ringed, repaired, course, played, players: draft.players }}
      onRepair={onRepair}
      onRinged={(field) => store.set({ ringed: field, shown: undefined })}
      onEmpty={() => actions.empty(board)}
      onShown={(map) => store.set({ shown: map })}
    />
  ) : tab === "settle" ? (
    <SettlePanel
      {...{ board, ...draft, course, moves, foresee }}
      onForesee={(yes) => store.set({ foresee: yes })}
      worth={rules.worth}
      onPlaced={actions.place}
      onTree={async () => (await import("./later")).Tree}
      onRemove={actions.removeMove}
      onMain={actions.promote}
      onPlayers={actions.players}
    />
  ) : (
    <SharePanel
      {...{ board, sheets, ...looks, address: link }}
      onSheets={(kind) => store.set({ sheets: kind })}
      onSay={(text) => store.set({ heard: text })}
      onOpen={(text) =>
        void actions.openAddress(FOREIGN.test(text) ? text : text.slice(text.indexOf("#") + 1))
      }
      onFile={(file) => void actions.openFile(file)}
    />
  );
}
