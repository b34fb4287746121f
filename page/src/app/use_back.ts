/**
 * The browser's Back closes what is open before it leaves: while something is, an entry of our own lies on top of the
 * page's in the history, with the same address.
 */

import { useEffect, useRef } from "preact/hooks";

/** Whether the entry of the history that is shown is the one on top of the page's own. */
let onTop = false;
/** Whether we go back to the page's own by ourselves, which takes a moment, because nothing is open any more. */
let leaving = false;

/** Puts the address of what is shown into that entry. */
export const showAddress = (address: string): void =>
  history.replaceState({ onTop }, "", address ? `#${address}` : "");

function putOnTop(): void {
  history.replaceState({ onTop: false }, ""); // the page's own, also where somebody has just changed the address
  onTop = true;
  history.pushState({ onTop }, "");
}

/** Has Back call `close` as long as something is open; `address` tells the page's address at that moment. */
export function useBack(nOpen: number, close: () => void, address: () => string): void {
  const now = useRef({ nOpen, close, address });
  now.current = { nOpen, close, address };
  useEffect(() => {
    const moved = ({ state }: PopStateEvent): void => {
      const [before, ours] = [onTop, leaving];
      leaving = false;
      onTop = (state as { onTop?: boolean } | null)?.onTop === true;
      if (!before || onTop || state === null) return; // another address, which hashchange sees to
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
