/**
 * Runs before the page's scripts are there, also on a page opened from a file: chooses theme and language, hides the ready
 * board if another one is to be shown, and explains why a page from a file does not work.
 */

import { MOST_ADDRESS } from "../core/limits";
import { recall } from "../core/memory";

/** By language, the texts of first.tsx. */
declare const WORDS: Record<string, Record<string, string>>;

// A long fragment slows each request and each step of the page: it is cut before anything else (see readAddress).
if (location.hash.length > MOST_ADDRESS) history.replaceState(null, "", `#long=${location.hash.length}`);

const root = document.documentElement;
root.dataset.theme = recall("theme") ?? "auto";
const wanted = [recall("language"), ...navigator.languages.map((each) => each.slice(0, 2))];
const language = wanted.find((each) => each !== null && each in WORDS) ?? "en";
for (const each of document.querySelectorAll<HTMLElement>("[data-say]"))
  each.textContent = WORDS[language!][each.dataset.say!];
root.lang = language!;
if (location.hash || recall("asked") || recall("visited"))
  document.querySelector("[data-board]")?.classList.add("other");
if (location.protocol === "file:") {
  document.getElementById("file")!.hidden = false;
  document.querySelector(".actions")?.remove();
}
