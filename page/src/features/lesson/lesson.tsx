/** The lesson: constraints in five steps, each with an answer that is checked. Loaded when it is opened. */

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import later from "../../../languages/later/en.json";
import { Board } from "../../board/board";
import type { Looks } from "../../board/look";
import { type Language, type Layout, type Models, type RulesData, readLayout } from "../../core/data";
import { addEnglish, say } from "../../core/language";
import { keep, recall } from "../../core/memory";
import { readNotation } from "../../core/notation";
import type { World } from "../../solver/dealing";
import { Button } from "../../widgets/button";
import { Icon } from "../../widgets/icons";
import { Editor, Wrong } from "../rules/own";
import { excerpt, type Hint, hintForConflict, hintForMeaning, hintForReds, hintForSquare } from "./checks";

addEnglish(later);

const STEPS = ["reds", "desert", "square", "ore", "conflict"] as const;
type Step = (typeof STEPS)[number];

/** On the first board the red numbers touch once. */
const BOARDS = {
  base: "o6w8l9/g12b2w4b10/g9l11dl3o8/l10o3g4w5/b5g6w11",
  mini: "w5g6/b8do9/l10g4@mini",
};
const ON_RIM = "exists(t in coast)(terrain[t] = DESERT)";
const NO_RED_ORE = "forall(t in TILE where terrain[t] = ORE)(not red[t])";
/** The first text of each step. */
const BEGUN: Record<Step, string> = {
  reds: "",
  desert: "forall(t in coast)(terrain[t] = DESERT)",
  square: "2,,,,5,,,,",
  ore: "forall(t in TILE where terrain[t] = ORE)(\n  true\n)",
  conflict: "",
};
/** The items of the models that each step shows: those whose first line begins so. */
const MODELS: Record<Step, [string, string[]]> = {
  reds: ["markers.mzn", ["array[TILE] of var bool: red ", "constraint if reds_apart"]],
  desert: ["layout.mzn", ["set of TILE: coast", "array[TILE] of var TERRAIN: terrain"]],
  square: [
    "magic_square.mzn",
    [
      "int: magic",
      "constraint alldifferent",
      "constraint forall(r",
      "constraint forall(c",
      "constraint if diagonals",
    ],
  ],
  ore: ["markers.mzn", ["array[TILE] of var {0}", "array[TILE] of var bool: red "]],
  conflict: [
    "layout.mzn",
    ["array[TILE] of var TERRAIN: terrain", "set of TILE: coast", "set of TILE: centre"],
  ],
};

interface Progress {
  step: number;
  solved: Step[];
  answers: Record<Step, string>;
}

/** The stored progress, or the beginning if none is readable. */
function recalled(): Progress {
  const begun = { step: 0, solved: [], answers: BEGUN };
  try {
    const { step, solved, answers } = JSON.parse(recall("lesson") ?? "null") as Progress;
    const good = STEPS.every((each) => typeof answers[each] === "string" && answers[each].length < 2000);
    if (!STEPS[step] || !good || !solved.every((each) => STEPS.includes(each))) return begun;
    return { step, solved, answers };
  } catch {
    return begun;
  }
}

/** Text of a model, highlighted once that part of the page has arrived. */
function ModelText({ text, language }: { text: string; language: Language }) {
  const [html, setHtml] = useState<string>();
  useEffect(() => {
    import("../rules/editor").then(
      ({ highlighted }) => setHtml(highlighted(text, language)),
      () => undefined, // without a network the text is plain
    );
  }, []);
  // The library escapes the text, which is of a model of the page.
  return html ? <pre dangerouslySetInnerHTML={{ __html: html }} /> : <pre>{text}</pre>;
}

const Steps = ({ step, solved, onStep }: Progress & { onStep: (step: number) => void }) => (
  <ol class="steps">
    {STEPS.map((each, i) => (
      <li key={each}>
        <button
          type="button"
          aria-current={i === step ? "step" : undefined}
          aria-label={say("lesson.step", { n: i + 1, text: say(`lesson.${each}.title`) })}
          onClick={() => onStep(i)}
        >
          {solved.includes(each) ? <Icon name="good" /> : i + 1}
        </button>
      </li>
    ))}
  </ol>
);

interface ExcerptsProps {
  model: string;
  texts: string[];
  language: Language;
}

const Excerpts = ({ model, texts, language }: ExcerptsProps) => (
  <figure>
    <figcaption class="small">{say("lesson.model", { model })}</figcaption>
    {texts.map((text) => (
      <ModelText key={text} {...{ text, language }} />
    ))}
  </figure>
);

interface WaysProps {
  step: number;
  solved: boolean;
  onStep: (step: number) => void;
  onClose: () => void;
}

const Ways = ({ step, solved, onStep, onClose }: WaysProps) => (
  <div class="row">
    {step > 0 && <Button text="lesson.back" onClick={() => onStep(step - 1)} />}
    {step < STEPS.length - 1 ? (
      <Button
        text={solved ? "lesson.next" : "lesson.skip"}
        class={solved ? "main" : "plain"}
        onClick={() => onStep(step + 1)}
      />
    ) : (
      <Button text="lesson.end" class={solved ? "main" : "plain"} onClick={onClose} />
    )}
  </div>
);

export interface LessonProps {
  rules: RulesData;
  models: Models;
  looks: Looks;
  onClose: () => void;
}

export function Lesson({ rules, models, looks, onClose }: LessonProps) {
  const [layouts, setLayouts] = useState<Record<keyof typeof BOARDS, Layout>>();
  const [progress, setProgress] = useState(recalled);
  const [hint, setHint] = useState<Hint>();
  const [busy, setBusy] = useState(false);
  const [round, setRound] = useState(0);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    void Promise.all([readLayout("base"), readLayout("mini")]).then(([base, mini]) =>
      setLayouts({ base, mini }),
    );
  }, []);
  /** Changes the progress, and stores it. */
  const update = (change: (now: Progress) => Progress) =>
    setProgress((now) => {
      const next = change(now);
      keep("lesson", JSON.stringify(next));
      return next;
    });
  useEffect(() => {
    const changed = ({ key }: StorageEvent) => {
      if (key !== "catan-cp.lesson") return; // another tab stored its progress
      setProgress(({ step }) => ({ ...recalled(), step }));
      setRound((n) => n + 1);
    };
    addEventListener("storage", changed);
    return () => removeEventListener("storage", changed);
  }, []);
  const step = STEPS[progress.step];
  const solved = progress.solved.includes(step);
  const answer = progress.answers[step];
  const world = useMemo(
    (): World | undefined => layouts && { layout: layouts[step === "reds" ? "base" : "mini"], rules, models },
    [layouts, step],
  );
  const start = useMemo(
    () => world && readNotation(BOARDS[step === "reds" ? "base" : "mini"], world.layout),
    [world],
  );
  const goTo = (next: number) => {
    setHint(undefined);
    update((now) => ({ ...now, step: next }));
    heading.current?.closest(".inside")?.scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
  };
  const change = (text: string) => {
    setHint(undefined);
    update(({ solved, answers, ...now }) => ({
      ...now,
      solved: solved.filter((name) => name !== step),
      answers: { ...answers, [step]: text },
    }));
  };
  const tiles = answer.split(",").filter(Boolean).map(Number);
  const cells = answer.split(",").map((each) => (each.trim() ? Number(each) : undefined));
  const hintFor = async (to: World): Promise<Hint | undefined> => {
    if (step === "reds") return hintForReds(start!, tiles, to);
    if (step === "square") return hintForSquare(cells);
    if (step === "conflict") return await hintForConflict(answer, ON_RIM, to);
    const hint = await hintForMeaning(answer, step === "desert" ? ON_RIM : NO_RED_ORE, to);
    return hint && { ...hint, key: `${hint.key}${hint.board ? `.${step}` : ""}` };
  };
  const check = async (): Promise<void> => {
    if (!world || busy) return;
    setBusy(true);
    setHint(undefined);
    try {
      const wrong = await hintFor(world);
      setHint(wrong);
      if (!wrong) update((now) => ({ ...now, solved: [...new Set([...now.solved, step])] }));
    } catch {
      setHint({ key: "unknown" });
    } finally {
      setBusy(false);
    }
  };
  const [model, items] = MODELS[step];
  const shown = hint?.board ?? start;
  return (
    <div class="lesson">
      <Steps {...progress} onStep={goTo} />
      <div class="columns">
        <div class="picture">
          {step === "square" ? (
            <Square cells={cells} onCells={(next) => change(next.map((each) => each ?? "").join(","))} />
          ) : (
            shown && (
              <Board
                key={step}
                {...looks}
                board={shown}
                changed={step === "reds" ? tiles : undefined}
                onTile={
                  step === "reds"
                    ? (t) =>
                        change(
                          (tiles.includes(t)
                            ? tiles.filter((each) => each !== t)
                            : [...tiles, t].slice(-2)
                          ).join(","),
                        )
                    : undefined
                }
              />
            )
          )}
        </div>
        <div class="words">
          <h3 ref={heading} tabIndex={-1}>
            {say(`lesson.${step}.title`)}
          </h3>
          <p>{say(`lesson.${step}.text`)}</p>
          <Excerpts
            {...{ model, language: rules.constraints }}
            texts={[excerpt(models[model], items), ...(step === "conflict" ? [`constraint ${ON_RIM};`] : [])]}
          />
          <p class="task">{say(`lesson.${step}.task`)}</p>
          {(step === "desert" || step === "ore" || step === "conflict") && (
            <Editor
              key={`${step} ${round}`}
              value={answer}
              language={rules.constraints}
              invalid={hint?.fault !== undefined}
              onText={change}
              onApply={() => void check()}
            />
          )}
          <div class="row">
            <button
              type="button"
              class={solved ? "plain" : "main"}
              aria-disabled={busy}
              onClick={() => void check()}
            >
              {busy ? <span class="spinner" aria-hidden="true" /> : say("lesson.check")}
            </button>
            {answer !== BEGUN[step] && (
              <Button
                text="lesson.again"
                onClick={() => {
                  change(BEGUN[step]);
                  setRound(round + 1);
                }}
              />
            )}
          </div>
          {hint?.fault && <Wrong fault={hint.fault} text={answer} />}
          <p class={solved ? "verdict good" : "verdict"} role="status">
            {solved ? (
              <>
                <Icon name="good" /> {say(`lesson.${step}.done`)}
              </>
            ) : busy ? (
              say("lesson.checking")
            ) : (
              hint && [say(`lesson.${hint.key}`, hint.values), typical(step, answer, hint)].join(" ")
            )}
          </p>
          <Ways {...{ solved, onClose }} step={progress.step} onStep={goTo} />
        </div>
      </div>
    </div>
  );
}

function typical(step: Step, answer: string, { key }: Hint): string {
  if (step === "desert" && /^forbids/.test(key) && /\bforall\b/.test(answer))
    return say("lesson.hint.forall");
  if (step === "ore" && /^allows/.test(key) && answer.includes("\\/")) return say("lesson.hint.or");
  if (step === "ore" && /\bexists\b/.test(answer)) return say("lesson.hint.exists");
  return "";
}

interface SquareProps {
  cells: (number | undefined)[];
  onCells: (cells: (number | undefined)[]) => void;
}

/** A square of nine numbers, of which two are given. */
function Square({ cells, onCells }: SquareProps) {
  return (
    <div class="square">
      {cells.map((cell, i) => (
        <input
          key={i}
          inputMode="numeric"
          maxLength={1}
          readOnly={BEGUN.square.split(",")[i] !== ""}
          aria-label={say("lesson.cell", { row: Math.floor(i / 3) + 1, column: (i % 3) + 1 })}
          value={cell ?? ""}
          onInput={(event) => {
            const digit = /[1-9]/.exec(event.currentTarget.value)?.[0];
            event.currentTarget.value = digit ?? "";
            onCells(cells.with(i, digit ? Number(digit) : undefined));
          }}
        />
      ))}
    </div>
  );
}
