/** Boards and rules that are kept on the device: addresses, which are read as strictly as links when they are opened. */

import { MOST_ADDRESS } from "./limits";
import { keep, recall } from "./memory";

export type List = "favourites" | "recent";
const MOST: Record<List, number> = { favourites: 60, recent: 20 };
/** The maximum number of characters of an address. */

const boardIn = (address: string): string => address.split("&")[0];

/** The addresses of a list, the latest first; none if nothing readable is stored. */
export function saved(list: List): string[] {
  try {
    const found: unknown = JSON.parse(recall(list) ?? "[]");
    if (!Array.isArray(found)) return [];
    const texts = found.filter(
      (each) => typeof each === "string" && each !== "" && each.length <= MOST_ADDRESS,
    );
    return texts.slice(0, MOST[list]);
  } catch {
    return [];
  }
}

export const isSaved = (list: List, address: string): boolean =>
  saved(list).some((each) => boardIn(each) === boardIn(address));

/** Puts a board in front of a list, or removes it. */
export function save(list: List, address: string, yes = true): void {
  const others = saved(list).filter((each) => boardIn(each) !== boardIn(address));
  keep(list, JSON.stringify([...(yes ? [address] : []), ...others].slice(0, MOST[list])));
}

/** The address of the last layout and rules; empty at the first visit, and for those of the first visit. */
export function lastAsked(): string {
  const found = recall("asked") ?? "";
  return found.length <= MOST_ADDRESS ? found : "";
}

export const keepAsked = (address: string): void => keep("asked", address);
