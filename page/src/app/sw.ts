/**
 * Stores the whole page on the device after the first visit. A new version replaces the old one as a whole, after its last
 * tab was closed, or when its only tab is loaded again.
 */

declare const VERSION: string;
declare const FILES: string[];
const worker = self as unknown as ServiceWorkerGlobalScope;
const CACHE = `catan-cp-${VERSION}`;

worker.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      // Servers are asked whether each file is current, since all must have one version.
      .then((cache) => cache.addAll(FILES.map((name) => new Request(name, { cache: "no-cache" })))),
  );
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names
            .filter((name) => name.startsWith("catan-cp-") && name !== CACHE)
            .map((name) => caches.delete(name)),
        ),
      )
      .then(() => worker.clients.claim()),
  );
});

// A page asks at its start. With several tabs it is answered, and the others keep their version.
worker.addEventListener("message", (event) => {
  const tabs = worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  event.waitUntil(
    tabs.then(({ length }) => (length > 1 ? event.ports[0].postMessage("wait") : worker.skipWaiting())),
  );
});

const cached = (request: Request): Promise<Response | undefined> =>
  caches.match(request, { cacheName: CACHE, ignoreSearch: true });

async function answer(request: Request): Promise<Response> {
  // Browsers store compiled WebAssembly if the server lets them store the file. The public address may change.
  if (/(\.wasm|\/site\.json)$/.test(request.url))
    return fetch(request).catch(async (reason: unknown) => (await cached(request)) ?? Promise.reject(reason));
  return (await cached(request)) ?? fetch(request);
}

worker.addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
});
