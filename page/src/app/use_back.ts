/**
 * The browser's Back closes open parts before it leaves. While a part is open, the history has one more entry, with the
 * same address.
 */

import { useEffect, useRef } from "preact/hooks";

/** Whether the current entry of the history is that additional one. */
let onTop = false;
/** Whether the page goes back to its first entry because nothing is open any more. */
let leaving = false;

/** Writes an address into the current entry. */
export const showAddress = (address: string) =>
  history.replaceState({ onTop }, "", address ? `#${address}` : "");

function putOnTop(): void {
  history.replaceState({ onTop: false }, ""); // also after the user has just changed the address
  onTop = true;
  history.pushState({ onTop }, "");
}

/** Lets Back call `close` while something is open. */
export function useBack(nOpen: number, close: () => void, address: () => string): void {
  const now = useRef({ nOpen, close, address });
  now.current = { nOpen, close, address };
  useEffect(() => {
    const moved = ({ state }: PopStateEvent) => {
      const [before, ours] = [onTop, leaving];
      leaving = false;
      onTop = (state as { onTop?: boolean } | null)?.onTop === true;
      if (!before || onTop || state === null) return; // another address, which hashchange handles
      showAddress(now.current.address());
      if (!now.current.nOpen) return;
      if (ours)
        putOnTop(); // something was opened meanwhile
      else now.current.close();
    };
    if (history.state === null) showAddress("");
    addEventListener("popstate", moved);
    return () => removeEventListener("popstate", moved);
  }, []);
  useEffect(() => {
    if (nOpen && !onTop) putOnTop();
    else if (!nOpen && onTop && !leaving) {
      leaving = true;
      history.back();
    }
  }, [nOpen]);
}
