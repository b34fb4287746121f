/** Keeps the board visible on phones. It shrinks while the page is scrolled (see `.stage` in style.css). */

import { useEffect, useLayoutEffect } from "preact/hooks";
import type { Box } from "../board/geometry";

/** Passes to the style sheet the height of the board by its width, the distance scrolled, and the space below it. */
export function useStage(box: Box | undefined): void {
  const { style } = document.documentElement;
  const ratio = box ? (box.height / box.width).toFixed(3) : "";
  useLayoutEffect(() => style.setProperty("--ratio", ratio), [ratio]);
  useEffect(() => {
    const scrolled = () => {
      const height = (selector: string) => document.querySelector<HTMLElement>(selector)?.offsetHeight ?? 0;
      const top = document.querySelector("main")?.offsetTop ?? 0;
      style.setProperty("--scrolled", `${Math.max(0, scrollY - top)}px`);
      style.setProperty("--verdict", `${height(".stage") - height(".stage .view")}px`);
    };
    addEventListener("scroll", scrolled, { passive: true });
    return () => removeEventListener("scroll", scrolled);
  }, []);
}
