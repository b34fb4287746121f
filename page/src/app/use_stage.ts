/** Keeps the board in sight on phones: it shrinks while the page is scrolled, and then stays (see `.stage` in style.css). */

import { useEffect, useLayoutEffect } from "preact/hooks";
import type { Box } from "../board/geometry";

/** Gives the style sheet the shape of the board (height by width), and how far its top is scrolled out of the window. */
export function useStage(box: Box | undefined): void {
  const { style } = document.documentElement;
  const ratio = box ? (box.height / box.width).toFixed(3) : "";
  useLayoutEffect(() => style.setProperty("--ratio", ratio), [ratio]);
  useEffect(() => {
    const scrolled = (): void => {
      const top = document.querySelector("main")?.offsetTop ?? 0;
      style.setProperty("--scrolled", `${Math.max(0, scrollY - top)}px`);
    };
    addEventListener("scroll", scrolled, { passive: true });
    return () => removeEventListener("scroll", scrolled);
  }, []);
}
