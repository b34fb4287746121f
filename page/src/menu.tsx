/** Language and looks, which are kept on the device. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "./icons";
import { choose, current, say } from "./language";
import { keep, recall } from "./memory";
import type { Dialog } from "./sheet";

export interface Looks {
  theme: string;
  letters: boolean;
  patterns: boolean;
  /** Whether each tile shows its number. */
  numbers: boolean;
}

/** The looks that somebody chose last. */
export function useLooks(): [Looks, (looks: Looks) => void] {
  const [looks, setLooks] = useState<Looks>(() => ({
    theme: recall("theme") ?? "auto",
    letters: recall("letters") === "yes",
    patterns: recall("patterns") !== "no",
    numbers: recall("numbers") === "yes",
  }));
  useEffect(() => {
    document.documentElement.dataset.theme = looks.theme;
    keep("theme", looks.theme);
    keep("letters", looks.letters ? "yes" : "no");
    keep("patterns", looks.patterns ? "yes" : "no");
    keep("numbers", looks.numbers ? "yes" : "no");
  }, [looks]);
  return [looks, setLooks];
}

interface Props {
  languages: Record<string, string>;
  looks: Looks;
  onLooks: (looks: Looks) => void;
  onLanguage: (name: string) => void;
  onDialog: (dialog: Dialog) => void;
  open: boolean;
  onOpen: (open: boolean) => void;
}

export function Menu({ languages, looks, onLooks, onLanguage, onDialog, open, onOpen }: Props): JSX.Element {
  const change = async (name: string): Promise<void> => {
    await choose(name);
    keep("language", name);
    onLanguage(name);
  };
  const check = (name: "letters" | "patterns" | "numbers"): JSX.Element => (
    <label class="check">
      <input
        type="checkbox"
        checked={looks[name]}
        onChange={(event) => onLooks({ ...looks, [name]: event.currentTarget.checked })}
      />
      {say(name)}
    </label>
  );
  return (
    <details class="menu" open={open} onToggle={(event) => onOpen(event.currentTarget.open)}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button */}
      <summary
        aria-label={say("looks")}
        onClick={(event) => {
          event.preventDefault(); // the browser opens at once and reports it later: taps in between would be lost
          onOpen(!open);
        }}
      >
        <Icon name="looks" />
      </summary>
      <div class="sheet">
        {(["lesson", "boards", "about"] as const).map((name) => (
          <button key={name} type="button" class="item" onClick={() => onDialog(name)}>
            <Icon name={name === "boards" ? "clock" : name} /> {say(name)}
          </button>
        ))}
        {document.fullscreenEnabled && (
          <button
            type="button"
            class="item"
            onClick={() => {
              onOpen(false);
              void document.querySelector(".stage")?.requestFullscreen();
            }}
          >
            <Icon name="full" /> {say("full")}
          </button>
        )}
        <label>
          {say("language")}
          <select
            name="language"
            value={current}
            onChange={(event) => void change(event.currentTarget.value)}
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
          <select
            name="theme"
            value={looks.theme}
            onChange={(event) => onLooks({ ...looks, theme: event.currentTarget.value })}
          >
            {["auto", "light", "dark"].map((name) => (
              <option key={name} value={name}>
                {say(`theme.${name}`)}
              </option>
            ))}
          </select>
        </label>
        {check("letters")}
        {check("patterns")}
        {check("numbers")}
      </div>
    </details>
  );
}
