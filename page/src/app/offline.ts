/** Milliseconds for a new version to take over. */
const PATIENCE = 1000;

/**
 * Starts a new version that waits, if this is the only tab: at its start, a page has nothing to lose. Otherwise it resolves,
 * and the new version waits until the last tab is closed.
 */
export async function startNewVersion(): Promise<void> {
  const workers = navigator.serviceWorker as ServiceWorkerContainer | undefined; // undefined without https
  const registration = await workers?.getRegistration().catch(() => undefined); // private windows may refuse
  const waiting = registration?.waiting;
  if (!waiting) return;
  const reload = () => location.reload();
  workers?.addEventListener("controllerchange", reload);
  await new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    setTimeout(resolve, PATIENCE);
    waiting.postMessage("take over", [port2]);
  });
  workers?.removeEventListener("controllerchange", reload);
}

/** Stores the page on the device, so that it works without a network. */
export function keepOffline(): void {
  if ("serviceWorker" in navigator && location.protocol.startsWith("http")) {
    navigator.serviceWorker.register("sw.js").catch((reason: unknown) => {
      console.warn(`the page is not stored for later: ${reason}`); // it works with a network
    });
  }
}
