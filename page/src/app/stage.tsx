/** The parts around the board: problems, buttons and tabs. */

import { useEffect, useState } from "preact/hooks";
import type { Chosen, RulesData } from "../core/data";
import { say } from "../core/language";
import { short } from "../core/notation";
import { saidOf } from "../core/rules";
import { KEPT } from "../solver/dealing";
import { loaded } from "../solver/solver";
import { Button, SignButton } from "../widgets/button";

export type Tab = "deal" | "judge" | "settle" | "share";
export const TABS: Tab[] = ["deal", "judge", "settle", "share"];

export interface Problem {
  text: string;
  /** Fields of conflicting rules, and perhaps `KEPT`. */
  conflict?: string[];
  /** The parts of an address that the page cannot use. */
  refused?: string[];
  /** The place in the custom constraint, and MiniZinc's message. */
  sample?: string;
  words?: string;
}

/** The maximum number of unusable parts of an address that are named. */
const MOST_REFUSED = 6;

interface ProblemProps {
  problem: Problem;
  chosen: Chosen;
  rules: RulesData;
  onBack: () => void;
  onWithout: (item: string) => void;
}

/** An unusable part of an address, in words if it is custom MiniZinc. */
function refusal(item: string): string {
  const [field, value] = item.split(/=(.*)/s);
  if (field !== "constraints" && field !== "models") return short(item);
  return say(`refused.${field}`, { text: short(value) });
}

export function ProblemBox({ problem, chosen, rules, onBack, onWithout }: ProblemProps) {
  const named = (item: string): string =>
    item === KEPT ? say("conflict.kept") : saidOf(item, chosen, rules);
  const items = problem.conflict?.map(named) ?? problem.refused?.slice(0, MOST_REFUSED).map(refusal) ?? [];
  const more = (problem.refused?.length ?? 0) - MOST_REFUSED;
  return (
    <div class="problem" role="alert">
      <p>{problem.text}</p>
      {problem.sample && <pre>{problem.sample}</pre>}
      {problem.words && <p class="small">{problem.words}</p>}
      {items.length > 0 && (
        <ul>
          {items.map((text, i) => (
            <li key={i} data-item={problem.conflict?.[i]}>
              <span>{text}</span>
              {problem.conflict && (
                <Button
                  text="remove"
                  class="link"
                  aria-label={say("remove.this", { text })}
                  onClick={() => onWithout(problem.conflict![i])}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="small">{say("refused.more", { n: more })}</p>}
      <Button text={problem.conflict ? "conflict.back" : "close"} onClick={onBack} />
    </div>
  );
}

/** The progress of a task, which is announced elsewhere. */
export const ProgressBox = ({ text }: { text: string }) => (
  <div class="problem progress">
    <p>{text}</p>
    <progress aria-label={text} />
  </div>
);

/** The key of a text, and the action if it is possible. */
export type MainAction = [string, (() => void) | undefined];

interface ActionsProps {
  busy: boolean;
  loading: boolean;
  main: MainAction;
  onUndo: (() => void) | undefined;
  onRedo: (() => void) | undefined;
  onStop: () => void;
  onShare: () => void;
}

export function Actions({ busy, loading, main, onUndo, onRedo, onStop, onShare }: ActionsProps) {
  return (
    <div class="actions">
      {loading && <Loading />}
      <SignButton text="undo" icon="undo" onClick={onUndo} aria-disabled={!onUndo} />
      <SignButton text="redo" icon="redo" onClick={onRedo} aria-disabled={!onRedo} />
      {busy ? (
        <button type="button" class="main" onClick={onStop}>
          <span class="spinner" aria-hidden="true" /> {say("stop")}
        </button>
      ) : (
        <Button text={main[0]} class="main" aria-disabled={!main[1]} onClick={main[1]} />
      )}
      <SignButton text="tab.share" icon="share" onClick={onShare} />
    </div>
  );
}

export function Tabs({ tab, onTab }: { tab: Tab; onTab: (tab: Tab) => void }) {
  const step = (name: Tab, event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    const next = TABS[(TABS.indexOf(name) + by + TABS.length) % TABS.length];
    onTab(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={say("tabs")}>
      {TABS.map((name) => (
        <Button
          text={`tab.${name}`}
          key={name}
          role="tab"
          id={`tab-${name}`}
          aria-selected={tab === name}
          aria-controls="panel"
          tabIndex={tab === name ? 0 : -1}
          onClick={() => onTab(name)}
          onKeyDown={(event) => step(name, event)}
        />
      ))}
    </div>
  );
}

/** The progress of the solver's download. It polls by itself, so that nothing else is rendered again. */
function Loading() {
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

export const Waiting = ({ busy }: { busy: boolean }) => (
  <div class="waiting">
    {busy && (
      <>
        <span class="spinner" aria-hidden="true" />
        <p>{say("starting")}</p>
      </>
    )}
  </div>
);

export const Mark = () => (
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
