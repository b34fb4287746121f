/** What the page says: one file a language in languages/. */

import english from "../../languages/en.json";

type Words = Record<string, string>;

let words: Words = english;
export let current = "en";

export const languages = async (): Promise<Record<string, string>> =>
  (await (await fetch("data/languages.json")).json()) as Record<string, string>;

export async function choose(name: string): Promise<void> {
  words =
    name === "en"
      ? english
      : { ...english, ...((await (await fetch(`data/languages/${name}.json`)).json()) as Words) };
  current = name;
}

const humble = (key: string): string => {
  const last = key.split(".").at(-1)!.replaceAll("_", " ");
  return last[0].toUpperCase() + last.slice(1);
};

/** The text of that key, with {names} filled in; a key that nobody wrote a text for says itself. */
export function say(key: string, values: Record<string, string | number> = {}): string {
  const text = words[key] ?? humble(key);
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

export const has = (key: string): boolean => key in words;

/** A rule's sentence, which Python wrote, in this language: # replaces numbers in the files, in the same order. */
export function sentence(english: string): string {
  const numbers = english.match(/\d+/g) ?? [];
  const text = words[`says.${english.replace(/\d+/g, "#")}`];
  if (text === undefined) return english.replace(/\bmarker(s?)\b/g, "number$1"); // the library's term is for programs
  let i = 0;
  return text.replace(/#/g, () => numbers[i++] ?? "#");
}

/** A number with so many digits behind the point, or the comma. */
export const decimal = (value: number, digits: number): string =>
  value.toLocaleString(current, { minimumFractionDigits: digits, maximumFractionDigits: digits });
