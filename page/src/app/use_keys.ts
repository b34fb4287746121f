/** Keys and taps that concern the whole page: undo, redo, and closing what is open. */

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface Handlers {
  undo: () => void;
  redo: () => void;
  /** Closes the topmost open part; undefined if none is open. */
  close: (() => void) | undefined;
  /** Selects what a tap may touch without closing that part. */
  inside: string;
}

const isText = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && ["text", "search"].includes(target.type));

/** Handles Ctrl+Z, Ctrl+Shift+Z, Ctrl+Y and Escape; and taps outside of an open part, which close it and do nothing else. */
export function useKeys(handlers: Handlers): void {
  const now = useRef(handlers);
  now.current = handlers;
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const key = event.key.toLowerCase();
      if (key === "escape") now.current.close?.();
      const isUndo = key === "z" || key === "y";
      if (!isUndo || !(event.ctrlKey || event.metaKey) || event.altKey || isText(event.target)) return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) now.current.redo();
      else now.current.undo();
    };
    const tapped = (event: MouseEvent): void => {
      const { close, inside } = now.current;
      // Keys, and labels of inputs, click too: those have no place.
      if (!close || event.detail === 0 || (event.target as Element).closest(inside)) return;
      event.preventDefault();
      event.stopPropagation();
      close();
    };
    addEventListener("keydown", pressed);
    addEventListener("click", tapped, true);
    return () => {
      removeEventListener("keydown", pressed);
      removeEventListener("click", tapped, true);
    };
  }, []);
}

/** Buttons that vanish when they are pressed, with others like them that take their place. */
const VANISHING = ["[data-group=vertex]", ".move", ".piece"];

/** Where a button is on the screen. */
function middleOf(button: Element): [number, number] {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  return [left + right, top + bottom];
}

/**
 * When the focused button vanishes, moves the focus to the nearest button like it. If there is none, pieces give it back
 * to the place on the board that was touched, and others to the main button.
 */
export function useNextFocus(): void {
  const last = useRef<{ kind: string; at: [number, number] } | undefined>(undefined);
  const touched = useRef<Element | null>(null);
  const active = document.activeElement;
  const kind = VANISHING.find((each) => active?.matches(each));
  if (active?.matches("[data-group]")) touched.current = active;
  if (kind) last.current = { kind, at: middleOf(active!) };
  else if (active !== document.body) last.current = undefined;
  useLayoutEffect(() => {
    const lost = last.current;
    if (!lost || document.activeElement !== document.body) return;
    const away = (button: Element): number => {
      const [x, y] = middleOf(button);
      return Math.hypot(x - lost.at[0], y - lost.at[1]);
    };
    const alike = [...document.querySelectorAll<HTMLElement | SVGElement>(lost.kind)];
    const nearest = alike.sort((a, b) => away(a) - away(b))[0];
    if (!nearest && document.querySelector("#panel progress")) return; // the next moves are searched
    const place = lost.kind === ".piece" && touched.current?.isConnected ? touched.current : undefined;
    const next = nearest ?? place ?? document.querySelector("button.main");
    (next as HTMLElement | null)?.focus({ preventScroll: true });
  });
}
