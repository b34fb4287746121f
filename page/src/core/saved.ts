/** Stored boards and rules: addresses, which are read as strictly as links. */

import { MOST_ADDRESS } from "./limits";
import { keep, recall, recallList } from "./memory";

export type List = "favourites" | "recent";
const MOST: Record<List, number> = { favourites: 60, recent: 20 };
const boardIn = (address: string): string => address.split("&")[0];

/** The addresses of a list, the latest first. */
export function saved(list: List): string[] {
  const texts = recallList(list).filter((address) => typeof address === "string" && address !== "");
  return (texts as string[]).filter(({ length }) => length <= MOST_ADDRESS).slice(0, MOST[list]);
}

export const isSaved = (list: List, address: string): boolean =>
  saved(list).some((each) => boardIn(each) === boardIn(address));

/** Puts a board in front of a list, or removes it. */
export function save(list: List, address: string, yes = true): void {
  const rest = saved(list).filter((each) => boardIn(each) !== boardIn(address));
  keep(list, JSON.stringify([...(yes ? [address] : []), ...rest].slice(0, MOST[list])));
}

/** The address of the last layout and rules. Empty at the first visit, and for its default. */
export function lastAsked(): string {
  const address = recall("asked") ?? "";
  return address.length <= MOST_ADDRESS ? address : "";
}

export const keepAsked = (address: string) => keep("asked", address);
