/** The browser: Debian's, or what CHROMIUM names; undefined where there is none. */
import { existsSync } from "node:fs";

export const chromiumPath = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path && existsSync(path));
