/**
 * Stores the whole page on the device after the first visit. A new version replaces the old one as a whole, after the last
 * tab of the old one was closed.
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
