/** The path of the browser: CHROMIUM, or Debian's. Undefined if none is installed. */
import { existsSync } from "node:fs";

export const chromiumPath = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path && existsSync(path));
