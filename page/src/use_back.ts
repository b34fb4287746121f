/**
 * The browser's Back closes what is open before it leaves: while something is, an entry of our own lies on top of the
 * page's in the history, with the same address.
 */

import { useEffect, useRef } from "preact/hooks";

/** Whether the entry of the history that is shown is the one on top of the page's own. */
let onTop = false;

/** Puts the address of what is shown into that entry. */
export const showAddress = (address: string): void =>
  history.replaceState({ onTop }, "", address ? `#${address}` : "");

/** Has Back call `close` as long as something is open; `address` tells the page's address at that moment. */
export function useBack(nOpen: number, close: () => void, address: () => string): void {
  const now = useRef({ nOpen, close, address });
  now.current = { nOpen, close, address };
  useEffect(() => {
    const moved = ({ state }: PopStateEvent): void => {
      const before = onTop;
      onTop = (state as { onTop?: boolean } | null)?.onTop === true;
      if (!before || onTop || state === null) return; // another address, which hashchange sees to
      showAddress(now.current.address());
      if (now.current.nOpen) now.current.close();
    };
    if (history.state === null) showAddress("");
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
  useEffect(() => {
    if (nOpen && !onTop) {
      onTop = true;
      history.pushState({ onTop }, "");
    } else if (!nOpen && onTop) history.back();
  }, [nOpen]);
}
