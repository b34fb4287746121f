/** Serves dist/ for the browser tests, with the compressed files if there are any. */
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".webmanifest": "application/manifest+json",
};

/** Files that never change under their address. */
const VERSIONED = /\/minizinc-[0-9.]+\//;

export function serve(folder) {
  let sent = 0;
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const packed = `${file}.gz`;
    const small = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "") && existsSync(packed);
    const chosen = small ? packed : file;
    const { mtime, size } = statSync(chosen);
    const headers = {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "cache-control": VERSIONED.test(path) ? "public, max-age=31536000, immutable" : "no-cache",
      "last-modified": mtime.toUTCString(),
      vary: "accept-encoding",
    };
    if (request.headers["if-modified-since"] === mtime.toUTCString()) {
      response.writeHead(304, headers).end();
      return;
    }
    const encoding = small ? { "content-encoding": "gzip" } : {};
    response.writeHead(200, { ...headers, ...encoding, "content-length": size });
    createReadStream(chosen).pipe(response);
    sent += size;
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve({ server, sent: () => sent, url: `http://127.0.0.1:${server.address().port}/` }),
    );
  });
}
