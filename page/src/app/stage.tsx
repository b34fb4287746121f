/** What stands round the board: what went wrong, the buttons for boards, and the tabs. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Chosen, RulesData } from "../core/data";
import { say } from "../core/language";
import { short } from "../core/notation";
import { saidOf } from "../core/rules";
import { KEPT } from "../solver/dealing";
import { loaded } from "../solver/solver";
import { Icon, type IconName } from "../widgets/icons";

export type Tab = "deal" | "judge" | "settle" | "share";
export const TABS: Tab[] = ["deal", "judge", "settle", "share"];

/** What is said instead of a board, or beside one. */
export interface Problem {
  text: string;
  /** Fields of rules that clash, and perhaps `KEPT`. */
  clash?: string[];
  /** What an address asks for and the page cannot do. */
  refused?: string[];
  /** The place in the user's own text, and what MiniZinc says of it. */
  sample?: string;
  words?: string;
}

/** Of what an address asks for and the page cannot do, how many are named. */
const MOST_REFUSED = 6;

interface ProblemProps {
  problem: Problem;
  chosen: Chosen;
  rules: RulesData;
  onBack: () => void;
  /** Deals without a part of a clash. */
  onWithout: (item: string) => void;
}

/** What an address asks for and the page cannot do, in words where it is the user's own MiniZinc. */
function refusal(item: string): string {
  const [field, value] = item.split(/=(.*)/s);
  if (field !== "constraints" && field !== "models") return short(item);
  return say(`refused.${field}`, { text: short(value) });
}

export function ProblemBox({ problem, chosen, rules, onBack, onWithout }: ProblemProps): JSX.Element {
  const named = (item: string): string => (item === KEPT ? say("clash.kept") : saidOf(item, chosen, rules));
  const items = problem.clash?.map(named) ?? problem.refused?.slice(0, MOST_REFUSED).map(refusal) ?? [];
  const more = (problem.refused?.length ?? 0) - MOST_REFUSED;
  return (
    <div class="problem" role="alert">
      <p>{problem.text}</p>
      {problem.sample && <pre>{problem.sample}</pre>}
      {problem.words && <p class="small">{problem.words}</p>}
      {items.length > 0 && (
        <ul>
          {items.map((text, i) => (
            <li key={i} data-item={problem.clash?.[i]}>
              <span>{text}</span>
              {problem.clash && (
                <button
                  type="button"
                  class="link"
                  aria-label={say("clash.without.this", { text })}
                  onClick={() => onWithout(problem.clash![i])}
                >
                  {say("clash.without")}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="small">{say("refused.more", { n: more })}</p>}
      <button type="button" class="plain" onClick={onBack}>
        {say(problem.clash ? "clash.back" : "close")}
      </button>
    </div>
  );
}

/** What goes on; it is announced elsewhere. */
export const ProgressBox = ({ text }: { text: string }): JSX.Element => (
  <div class="problem progress">
    <p>{text}</p>
    <progress aria-label={text} />
  </div>
);

/** The key of a text, and the action; undefined while it is not possible. */
export type MainAction = [string, (() => void) | undefined];

interface ActionsProps {
  busy: boolean;
  loading: boolean;
  /** What most people do next, and what it is called. */
  main: MainAction;
  onUndo: (() => void) | undefined;
  onRedo: (() => void) | undefined;
  onStop: () => void;
  onShare: () => void;
}

export function Actions({ busy, loading, main, onUndo, onRedo, onStop, onShare }: ActionsProps): JSX.Element {
  return (
    <div class="actions">
      {loading && <Loading />}
      <Tool name="undo" icon="undo" onTap={onUndo} />
      <Tool name="redo" icon="redo" onTap={onRedo} />
      {busy ? (
        <button type="button" class="main" onClick={onStop}>
          <span class="spinner" aria-hidden="true" /> {say("stop")}
        </button>
      ) : (
        <button type="button" class="main" aria-disabled={!main[1]} onClick={main[1]}>
          {say(main[0])}
        </button>
      )}
      <Tool name="tab.share" icon="share" onTap={onShare} />
    </div>
  );
}

/** A button without words, which keeps the focus while it does nothing. */
const Tool = ({ name, icon, onTap }: { name: string; icon: IconName; onTap?: () => void }): JSX.Element => (
  <button
    type="button"
    class="plain"
    onClick={onTap}
    aria-disabled={!onTap}
    aria-label={say(name)}
    title={say(name)}
  >
    <Icon name={icon} />
  </button>
);

export function Tabs({ tab, onTab }: { tab: Tab; onTab: (tab: Tab) => void }): JSX.Element {
  const step = (name: Tab, event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    const next = TABS[(TABS.indexOf(name) + by + TABS.length) % TABS.length];
    onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
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
          onClick={() => onTab(name)}
          onKeyDown={(event) => step(name, event)}
        >
          {say(`tab.${name}`)}
        </button>
      ))}
    </div>
  );
}

/** How much of the solver has arrived. It looks by itself, so that nothing else is drawn for that. */
function Loading(): JSX.Element {
  const [share, setShare] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setShare(loaded()), 300);
    return () => clearInterval(timer);
  }, []);
  return (
    <label class="loading small">
      {say("loading.solver", { n: Math.floor(100 * share) })} <progress value={share} />
    </label>
  );
}

export const Waiting = ({ busy }: { busy: boolean }): JSX.Element => (
  <div class="waiting">
    {busy && (
      <>
        <span class="spinner" aria-hidden="true" />
        <p>{say("starting")}</p>
      </>
    )}
  </div>
);

export const Mark = (): JSX.Element => (
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
