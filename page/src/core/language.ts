/** The texts of the page, one file per language in languages/. */

import english from "../../languages/en.json";
import { read } from "./data";

type Words = Record<string, string>;

let words: Words = english;
export let current = "en";

/** The names of the languages by their codes, which the build inserts. */
declare const LANGUAGES: Words;
export const languages = (): Words => LANGUAGES;

/** Adds English texts of a part that loads later. The files of other languages contain them. */
export const addEnglish = (texts: Words) => Object.assign(english, texts);

export async function choose(name: string): Promise<void> {
  words = name === "en" ? english : { ...english, ...(await read<Words>(`data/languages/${name}.json`)) };
  current = name;
}

const humble = (key: string): string => {
  const last = key.split(".").at(-1)!.replaceAll("_", " ");
  return last[0].toUpperCase() + last.slice(1);
};

/** The text of a key, with {names} filled in. Without a text, the key itself in words. */
export function say(key: string, values: Record<string, string | number> = {}): string {
  const text = words[key] ?? humble(key);
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

export const has = (key: string): boolean => key in words;

/** A rule's English sentence in the page's language. In the files, # replaces the numbers, in the same order. */
export function sentence(english: string): string {
  const numbers = english.match(/\d+/g) ?? [];
  const text = words[`says.${english.replace(/\d+/g, "#")}`];
  if (text === undefined) return english.replace(/\bmarker(s?)\b/g, "number$1"); // the library's term is for programs
  let i = 0;
  return text.replace(/#/g, () => numbers[i++] ?? "#");
}

/** A chance in per cent with one decimal, without the sign. */
export const tenths = (chance: number): string => decimal(100 * chance, 1);

/** A number with these many decimals. */
export const decimal = (value: number, digits: number): string =>
  value.toLocaleString(current, { minimumFractionDigits: digits, maximumFractionDigits: digits });
