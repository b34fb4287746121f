/** Language and looks, which the device stores. */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Looks } from "../board/look";
import { choose, current, say } from "../core/language";
import { keep, recall } from "../core/memory";
import { Button } from "../widgets/button";
import { Icon } from "../widgets/icons";
import type { Dialog } from "../widgets/sheet";

export function useLooks(): [Looks, (looks: Looks) => void] {
  const [looks, setLooks] = useState<Looks>(() => ({
    theme: recall("theme") ?? "auto",
    letters: recall("letters") === "yes",
    patterns: recall("patterns") !== "no",
    numbers: recall("numbers") === "yes",
  }));
  useEffect(() => {
    document.documentElement.dataset.theme = looks.theme;
  }, [looks]);
  const change = (next: Looks) => {
    for (const [name, value] of Object.entries(next))
      if (value !== looks[name as keyof Looks]) keep(name, value === true ? "yes" : value || "no");
    setLooks(next);
  };
  return [looks, change];
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

export function Menu({ languages, looks, onLooks, onLanguage, onDialog, open, onOpen }: Props) {
  const change = async (name: string): Promise<void> => {
    await choose(name);
    keep("language", name);
    onLanguage(name);
  };
  const check = (name: "letters" | "patterns" | "numbers") => (
    <label class="check">
      <input
        type="checkbox"
        checked={looks[name]}
        onChange={(event) => onLooks({ ...looks, [name]: event.currentTarget.checked })}
      />
      {say(name)}
    </label>
  );
  const details = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    // The focus would vanish with the closed menu.
    if (!open && details.current?.contains(document.activeElement))
      details.current.querySelector("summary")?.focus();
  }, [open]);
  return (
    <details ref={details} class="menu" open={open} onToggle={(event) => onOpen(event.currentTarget.open)}>
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
        {(["day", "lesson", "boards", "about"] as const).map((name) => (
          <Button
            text={name}
            icon={name === "boards" ? "clock" : name}
            key={name}
            class="item"
            onClick={() => onDialog(name)}
          />
        ))}
        {document.fullscreenEnabled && (
          <Button
            text="full"
            icon="full"
            class="item"
            onClick={() => {
              onOpen(false);
              void document.querySelector(".stage")?.requestFullscreen();
            }}
          />
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
