/**
 * Runs before the other scripts. It chooses theme and language, and hides the stored board if another one follows. A page
 * opened from a file says why it does not work.
 */

import { MOST_ADDRESS } from "../core/limits";
import { preferredLanguage, recall } from "../core/memory";

/** By language, the texts of first.tsx. */
declare const WORDS: Record<string, Record<string, string>>;

// A long fragment slows each request and each step of the page: it is cut before anything else (see readAddress).
if (location.hash.length > MOST_ADDRESS) history.replaceState(null, "", `#long=${location.hash.length}`);

const root = document.documentElement;
root.dataset.theme = recall("theme") ?? "auto";
root.lang = preferredLanguage(WORDS);
for (const element of document.querySelectorAll<HTMLElement>("[data-say]"))
  element.textContent = WORDS[root.lang][element.dataset.say!];
if (location.hash || recall("asked") || recall("visited"))
  document.querySelector("[data-board]")?.classList.add("other");
if (location.protocol === "file:") {
  document.getElementById("file")!.hidden = false;
  document.querySelector(".actions")?.remove();
}
