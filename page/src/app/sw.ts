/** Keeps the whole page on the device after the first visit; a new version replaces the old one as a whole. */

declare const VERSION: string;
declare const FILES: string[];
const worker = self as unknown as ServiceWorkerGlobalScope;
const CACHE = `catan-cp-${VERSION}`;

worker.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => worker.skipWaiting()),
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

const kept = (request: Request): Promise<Response | undefined> =>
  caches.match(request, { ignoreSearch: true });

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  // Browsers keep what they compiled of WebAssembly beside their own cache, where servers let that keep the file; and
  // whoever serves the page may name another public address from one time to the next.
  const answer = /(\.wasm|\/site\.json)$/.test(request.url)
    ? fetch(request).catch(async (reason: unknown) => (await kept(request)) ?? Promise.reject(reason))
    : kept(request).then((found) => found ?? fetch(request));
  event.respondWith(answer);
});
