/** The list of custom constraints, with an editor. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { PrismEditor } from "prism-code-editor";
import {
  accept,
  type Constraint,
  constraintText,
  excerptAt,
  type Fault,
  faultOf,
  MOST_WORDS,
  outOfRange,
  ownOf,
  withOwn,
} from "../../core/constraint";
import type { Chosen, Language, RulesData } from "../../core/data";
import { has, say } from "../../core/language";
import { short } from "../../core/notation";
import type { Asked } from "../../core/rules";
import { Button } from "../../widgets/button";
import { applied, type Draft, EXAMPLES, isSame, keepDesk, merged, newDraft, palette, synced } from "./desk";

interface Props {
  asked: Asked;
  rules: RulesData;
  /** The fault that MiniZinc found: the number of the constraint, and the place in it. */
  fault: (Fault & { own: number }) | undefined;
  onRules: (chosen: Chosen) => void;
}

/** The drafts remain when another tab removes the panel. */
let lastDesk: Draft[] = [];

export function OwnPanel({ asked, rules, fault, onRules }: Props) {
  const { chosen, layout } = asked;
  const language = rules.constraints;
  const own = ownOf(chosen);
  const harbors = "harbors" in chosen;
  const { longest } = language;
  const [desk, setDesk] = useState(() => {
    lastDesk = synced(merged(lastDesk, longest), own);
    return lastDesk;
  });
  const [editing, setEditing] = useState<number>();
  const show = (next: Draft[]) => {
    lastDesk = next;
    setDesk(next);
  };
  const change = (next: Draft[]) => {
    show(merged(next, longest));
    keepDesk(lastDesk, longest);
  };
  const edited = (draft: Draft) => change(desk.map((each) => (each.id === draft.id ? draft : each)));
  useEffect(() => change(synced(lastDesk, own)), [JSON.stringify(own)]);
  useEffect(() => {
    const changed = () => show(merged(lastDesk, longest));
    addEventListener("storage", changed); // another tab wrote
    return () => removeEventListener("storage", changed);
  }, []);
  useEffect(() => {
    const wrong =
      fault && desk.find(({ ruling }) => ruling && own[fault.own] && isSame(ruling, own[fault.own]));
    if (!wrong) return;
    edited({ ...wrong, fault });
    setEditing(wrong.id);
  }, [fault]);
  const start = (draft: Draft) => {
    change([...desk.filter(({ text }) => text.trim()), draft]);
    setEditing(draft.id);
  };
  const apply = (draft: Draft, on: boolean) => {
    const wrongPlace = on ? faultOf(draft.text, layout, harbors, language) : undefined;
    edited({ ...draft, fault: wrongPlace });
    setEditing(wrongPlace && draft.id);
    if (wrongPlace) return;
    const next = applied(draft, own, on);
    for (const each of next) if (!own.includes(each)) accept(each);
    onRules(withOwn(chosen, next));
  };
  const remove = (draft: Draft) => {
    change(desk.filter(({ id }) => id !== draft.id));
    if (draft.ruling) onRules(withOwn(chosen, applied(draft, own, false)));
  };
  return (
    <details class="rules desk" open={desk.length > 0}>
      <summary>
        {say("own")} <span class="count">{say("rules.count", { n: own.length })}</span>
      </summary>
      <p class="small">{say("own.about")}</p>
      <ul class="own">
        {desk.map((draft) => (
          <li key={draft.id} class={draft.ruling ? "draft on" : "draft"}>
            <label class="check">
              <input
                type="checkbox"
                class="switch"
                name="in-force"
                checked={draft.ruling !== undefined}
                disabled={!draft.text.trim()}
                onChange={(event) => apply(draft, event.currentTarget.checked)}
              />
              <span class="grow">{draft.text.trim() ? <Own own={draft} /> : say("own.new")}</span>
            </label>
            {editing === draft.id ? (
              <Entry
                {...{ draft, harbors, layout, language }}
                onDraft={(next) => {
                  const changed = next.text !== draft.text && draft.fault;
                  edited(changed ? { ...next, fault: faultOf(next.text, layout, harbors, language) } : next);
                }}
                onApply={() => apply(draft, true)}
              />
            ) : (
              draft.fault && <Wrong fault={draft.fault} text={draft.text} />
            )}
            <div class="row tools">
              {editing !== draft.id && (
                <Button text="own.edit" icon="edit" onClick={() => setEditing(draft.id)} />
              )}
              <Button
                text="remove"
                icon="trash"
                aria-label={say("remove.this", { text: constraintText(draft) })}
                onClick={() => remove(draft)}
              />
            </div>
          </li>
        ))}
      </ul>
      <Button text="own.new" icon="plus" class="plain wide" onClick={() => start(newDraft())} />
      <fieldset>
        <legend>{say("own.examples")}</legend>
        {Object.entries(EXAMPLES).map(([name, text]) => (
          <Button
            text={`example.${name}`}
            key={name}
            class="chip"
            data-example={name}
            onClick={() => start(newDraft(text, say(`example.${name}`)))}
          />
        ))}
      </fieldset>
    </details>
  );
}

interface EntryProps {
  draft: Draft;
  harbors: boolean;
  layout: Asked["layout"];
  language: Language;
  onDraft: (draft: Draft) => void;
  onApply: () => void;
}

function Entry({ draft, harbors, layout, language, onDraft, onApply }: EntryProps) {
  const { text, fault, ruling } = draft;
  const write = useRef<(text: string) => void>(() => undefined);
  return (
    <form
      class="entry"
      onSubmit={(event) => {
        event.preventDefault();
        onApply();
      }}
    >
      <div class="field">
        <span>{say("own.text")}</span>
        <Editor
          focused
          value={text}
          {...{ language, write }}
          invalid={fault !== undefined}
          onText={(next) => onDraft({ ...draft, text: next })}
          onApply={onApply}
        />
      </div>
      {fault && <Wrong fault={fault} text={text} />}
      <details class="palette">
        <summary>{say("own.palette")}</summary>
        {Object.entries(palette(layout, harbors, language)).map(([group, all]) => (
          <fieldset key={group}>
            <legend>{say(`palette.${group}`)}</legend>
            {all.map((each) => {
              const key = `name.${each.replace(/[^\w/\\>-].*/, "")}`;
              return (
                <button key={each} type="button" class="chip" onClick={() => write.current(each)}>
                  <code>{each.replace("|", "…")}</code>
                  {has(key) && <span class="small">{say(key)}</span>}
                </button>
              );
            })}
          </fieldset>
        ))}
      </details>
      <label class="field">
        <span>{say("own.says")}</span>
        <input
          name="says"
          value={draft.says ?? ""}
          maxLength={1000}
          placeholder={say("own.says.example")}
          onInput={(event) => onDraft({ ...draft, says: event.currentTarget.value })}
        />
      </label>
      <Button
        text="own.add"
        type="submit"
        class="main"
        disabled={!text.trim() || (ruling !== undefined && isSame(ruling, draft) && !fault)}
      />
    </form>
  );
}

interface EditorProps {
  /** The first text. The editor changes it. */
  value: string;
  language: Language;
  invalid: boolean;
  focused?: boolean;
  /** Inserts a text at the cursor, once the editor is there. */
  write?: { current: (text: string) => void };
  onText: (text: string) => void;
  onApply: () => void;
}

/** A field for MiniZinc text, highlighted once that part of the page has arrived. */
export function Editor({ value, language, invalid, focused, write, onText, onApply }: EditorProps) {
  const holder = useRef<HTMLDivElement>(null);
  const editor = useRef<PrismEditor | undefined>(undefined);
  const now = useRef({ value, onText, onApply });
  now.current = { value, onText, onApply };
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let gone = false;
    import("./editor").then(
      ({ edit, insert }) => {
        if (gone) return;
        const created = edit(holder.current!, value, language, (text) => {
          if (text !== now.current.value) now.current.onText(text);
        });
        created.textarea.name = "constraint";
        created.textarea.setAttribute("aria-label", say("own.text"));
        created.keyCommandMap.Enter = (event) => {
          if (!event.ctrlKey && !event.metaKey) return false;
          now.current.onApply();
          return true;
        };
        editor.current = created;
        if (write) write.current = (text) => insert(created, text);
        if (focused) created.textarea.focus();
      },
      () => setFailed(true), // without a network a plain field is excerptAt
    );
    return () => {
      gone = true;
      editor.current?.remove();
    };
  }, []);
  useEffect(() => editor.current?.textarea.setAttribute("aria-invalid", String(invalid)), [invalid]);
  return (
    <div class="editor" ref={holder}>
      {failed && (
        <textarea
          name="constraint"
          rows={4}
          spellcheck={false}
          aria-label={say("own.text")}
          value={value}
          onInput={(event) => onText(event.currentTarget.value)}
        />
      )}
    </div>
  );
}

/** A constraint as MiniZinc reads it, then its author's words as a quotation. */
export const Own = ({ own }: { own: Constraint }) => (
  <span>
    <code>{constraintText({ text: own.text })}</code>
    {own.says && [" ", <q class="small">{short(own.says, MOST_WORDS)}</q>]}
  </span>
);

export function Wrong({ fault, text }: { fault: Fault; text: string }) {
  const { line, column, sample } = excerptAt(text, fault.at);
  return (
    <div class="wrong" role="alert">
      <pre>{sample}</pre>
      <p>
        {say("own.place", { line, column })} {messageOf(fault)}
      </p>
    </div>
  );
}

function messageOf({ key, word, message, similar }: Fault): string {
  if (message !== undefined) return outOfRange(message) ?? message;
  return [say(key, { word }), ...(similar ? [say("own.similar", { word: similar })] : [])].join(" ");
}
