/** Keys and taps of the whole page: undo, redo, and closing open parts. */

import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

interface Handlers {
  undo: () => void;
  redo: () => void;
  /** Closes the topmost open part. Undefined if none is open. */
  close: (() => void) | undefined;
  /** Selects the elements that a tap may touch without closing that part. */
  inside: string;
}

const isText = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && ["text", "search"].includes(target.type));

/** Handles Ctrl+Z, Ctrl+Shift+Z, Ctrl+Y and Escape. Taps outside of an open part close it and do nothing else. */
export function useKeys(handlers: Handlers): void {
  const now = useRef(handlers);
  now.current = handlers;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const key = event.key.toLowerCase();
      if (key === "escape") now.current.close?.();
      const isUndo = key === "z" || key === "y";
      if (!isUndo || !(event.ctrlKey || event.metaKey) || event.altKey || isText(event.target)) return;
      event.preventDefault();
      if (key === "y" || event.shiftKey) now.current.redo();
      else now.current.undo();
    };
    const tapped = (event: MouseEvent) => {
      const { close, inside } = now.current;
      // Keys and labels of inputs send clicks without a position.
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
 * When the focused button vanishes, moves the focus to the nearest similar button. Without one, pieces return the focus to
 * the touched place on the board, and others to the main button.
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
    const vanished = last.current;
    if (!vanished || document.activeElement !== document.body) return;
    const away = (button: Element): number => {
      const [x, y] = middleOf(button);
      return Math.hypot(x - vanished.at[0], y - vanished.at[1]);
    };
    const alike = [...document.querySelectorAll<HTMLElement | SVGElement>(vanished.kind)];
    const nearest = alike.sort((a, b) => away(a) - away(b))[0];
    if (!nearest && document.querySelector("#panel progress")) return; // the next moves are searched
    const place = vanished.kind === ".piece" && touched.current?.isConnected ? touched.current : undefined;
    const next = nearest ?? place ?? document.querySelector("button.main");
    (next as HTMLElement | null)?.focus({ preventScroll: true });
  });
}
