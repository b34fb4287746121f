/** Keeps the page on the device, so that it works without a network from then on; a page from a file has no need. */
export function keepOffline(): void {
  if ("serviceWorker" in navigator && location.protocol.startsWith("http")) {
    navigator.serviceWorker.register("sw.js").catch((reason: unknown) => {
      console.warn(`the page is not kept for later: ${reason}`); // it works all the same
    });
  }
}
