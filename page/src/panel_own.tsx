/** Constraints in the user's own MiniZinc. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Constraint, type Fault, faultOf, ownOf, shown, told, withOwn } from "./constraint";
import type { Chosen, RulesData } from "./data";
import type { Asked } from "./dealer";
import { say } from "./language";

interface Props {
  asked: Asked;
  rules: RulesData;
  /** What MiniZinc refuses of them: whose fault it is, by number, and where. */
  fault: (Fault & { own: number }) | undefined;
  onRules: (chosen: Chosen) => void;
}

export function OwnPanel({ asked, rules, fault, onRules }: Props): JSX.Element {
  const { chosen, layout } = asked;
  const own = ownOf(chosen);
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState<Fault>();
  const add = (): void => {
    const found = faultOf(text, layout, "harbors" in chosen, rules.constraints);
    setWrong(found);
    if (found) return;
    setText("");
    onRules(withOwn(chosen, [...own, { text }]));
  };
  return (
    <details class="rules" open={own.length > 0}>
      <summary>
        {say("own")} <span class="count">{say("rules.count", { n: own.length })}</span>
      </summary>
      <p class="small">{say("own.about")}</p>
      <ul class="own">
        {own.map((each, i) => (
          <li key={each.text}>
            <code>{told(each)}</code>
            <button
              type="button"
              class="link"
              aria-label={say("clash.without.this", { text: told(each) })}
              onClick={() =>
                onRules(
                  withOwn(
                    chosen,
                    own.filter((_, j) => j !== i),
                  ),
                )
              }
            >
              {say("clash.without")}
            </button>
            {fault?.own === i && <Wrong {...{ fault, constraint: each }} />}
          </li>
        ))}
      </ul>
      <label class="field">
        <span>{say("own.text")}</span>
        <textarea
          name="constraint"
          rows={3}
          spellcheck={false}
          autocapitalize="off"
          placeholder="forall(t in coast)(terrain[t] != GRAIN)"
          value={text}
          aria-invalid={wrong !== undefined}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setWrong(undefined);
          }}
        />
      </label>
      {wrong && <Wrong fault={wrong} constraint={{ text }} />}
      <div class="row">
        <button type="button" class="plain" disabled={!text.trim()} onClick={add}>
          {say("own.add")}
        </button>
      </div>
    </details>
  );
}

/** What is wrong, under the place where it is. */
function Wrong({ fault, constraint }: { fault: Fault; constraint: Constraint }): JSX.Element {
  const { line, column, sample } = shown(constraint.text, fault.at);
  return (
    <div class="wrong" role="alert">
      <pre>{sample}</pre>
      <p>
        {say("own.place", { line, column })} {fault.message ?? say(fault.key, { word: fault.word })}
      </p>
    </div>
  );
}
