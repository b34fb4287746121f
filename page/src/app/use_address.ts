/** The address of the page. It contains the state, and a changed address changes the state. */

import { useEffect, useRef } from "preact/hooks";
import { addressOf } from "../core/address";
import type { RulesData } from "../core/data";
import { open, patternText } from "../core/notation";
import { rulesText } from "../core/rules";
import { keepAsked, save } from "../core/saved";
import { keptOn, type Work } from "./store";
import { showAddress } from "./use_back";

/** Returns the address of the work, empty without a board, and a function for the current address. */
export function useAddress(
  { dealt, asked, draft, pending }: Work,
  openAddress: (address: string) => Promise<void>,
  rules: RulesData,
): [string, () => string] {
  const own = useRef("");
  useEffect(() => {
    const changed = () => {
      if (location.hash.slice(1) !== own.current) void openAddress(location.hash.slice(1));
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const address =
    dealt && asked
      ? addressOf(dealt.board, asked.chosen, keptOn(dealt, asked), draft, rules, asked.even)
      : "";
  useEffect(() => {
    if (!address) return;
    own.current = address;
    showAddress(address);
    save("recent", address);
  }, [address]);
  const chosen = asked && rulesText(asked.chosen, asked.layout, rules);
  const task = asked && (asked.even ? "" : `${patternText(open(asked.layout), asked.layout)}&${chosen}`);
  useEffect(() => {
    if (task !== undefined && !pending) keepAsked(task);
  }, [task, pending]);

  return [address, () => own.current];
}
