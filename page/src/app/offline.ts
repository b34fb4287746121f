/** Stores the page on the device, so that it works without a network. */
export function keepOffline(): void {
  if ("serviceWorker" in navigator && location.protocol.startsWith("http")) {
    navigator.serviceWorker.register("sw.js").catch((reason: unknown) => {
      console.warn(`the page is not stored for later: ${reason}`); // it works with a network
    });
  }
}
