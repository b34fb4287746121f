/** The library's colours, motifs and sizes (look.json, which export.py writes). */

import type { Pair } from "../core/data";
import data from "./look.json";

export type Theme = (typeof data.themes)["light"];
export const SIZES = data.sizes;

export interface Looks {
  theme: string;
  letters: boolean;
  patterns: boolean;
  /** Whether each tile shows its number. */
  numbers: boolean;
}

/** The theme of a name. "auto" follows the system. */
export function themeOf(name = "light"): Theme {
  const dark = name === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : name === "dark";
  return dark ? data.themes.dark : data.themes.light;
}

/** Terrains of a layout look alike by the first part of their names: castle-knights as a castle. */
const kind = (terrain: string): string => terrain.split("-")[0];
export const fill = (terrain: string, theme: Theme = data.themes.light): string =>
  (theme.terrain as Record<string, string>)[kind(terrain)] ?? theme.other;
/** The same as a variable of the style sheet (see build.mjs), which is light or dark like the page. */
export const themedFill = (terrain: string): string =>
  `var(--terrain-${kind(terrain)}, var(--terrain-other))`;
/** The terrains that are known by their looks. Others show their names. */
export const NAMED = new Set(["sea", "desert", "brick", "grain", "wool", "ore", "lumber", "gold", "unlaid"]);

/** The colour of rings around violations. */
export const RING = "#d4111b";
/** The colour of rings around touched or changed pieces. */
export const CHANGED = "#0b57d0";

/** The attributes of lines above each other, which are seen on all terrain. */
export const lines = (...pairs: [stroke: string, width: number][]) =>
  pairs.map(([stroke, width]) => ({ key: stroke, stroke, "stroke-width": width, fill: "none" }));
export const LOCKED = lines(["#111", 4], ["#fff", 2]);
export const TOUCHED = lines(["#fff", 10], [CHANGED, 6]);

const channels = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** A colour mixed with a share of another. */
export function blend(color: string, target: string, share: number): string {
  const targets = channels(target);
  const mixed = channels(color).map((part, i) => Math.round(part + (targets[i] - part) * share));
  return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** Dark or white ink, whichever can be read on a colour. */
export function inkOn(color: string): string {
  const [red, green, blue] = channels(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.45 * 255 ? data.themes.light.text : "#ffffff";
}

export const PLAYERS = data.themes.light.players;
export const PLAYER_INK = PLAYERS.map(inkOn);

/** A step of the heat scale, from low to high. */
export const heat = (share: number, { heat: scale }: Theme): string =>
  scale[Math.min(scale.length - 1, Math.floor(share * scale.length))];

/** Outlines that have one tone, in tile edges round the middle with y upwards. */
export interface Layer {
  tone: string;
  outlines: Pair[][];
}
type Part = [tone: string, outline: Pair[]];
const motifs = data.motifs as unknown as Record<string, Part[]>;
const scenes = data.scenes as Record<string, string[]>;

/** The motifs towards the six edges of a tile, the lowest layers first. */
export function scene(terrain: string, flat: boolean): Layer[] {
  const names = scenes[kind(terrain)] ?? [];
  const layers: Layer[] = [];
  for (const name of new Set(names)) {
    for (const [tone, outline] of motifs[name] ?? []) {
      if (layers.at(-1)?.tone !== tone) layers.push({ tone, outlines: [] });
      names.forEach((each, i) => {
        if (each !== name) return;
        const angle = (Math.PI / 3) * (2 - i) - (flat ? Math.PI / 6 : 0);
        const [x, y] = [data.slot * Math.cos(angle), data.slot * Math.sin(angle)];
        layers.at(-1)!.outlines.push(outline.map(([px, py]) => [x + px, y + py]));
      });
    }
  }
  return layers;
}

/** A terrain's first motif round the origin. */
export const icon = (terrain: string, size: number): Layer[] =>
  (motifs[scenes[kind(terrain)]?.[0]] ?? []).map(([tone, outline]) => ({
    tone,
    outlines: [outline.map(([x, y]) => [x * size, y * size])],
  }));

export function toneColor(color: string, tone: string, theme: Theme): string {
  const white = (data.lighter as Record<string, number>)[tone];
  return white === undefined
    ? blend(color, data.themes.light.text, theme.stroke)
    : blend(color, "#ffffff", white);
}

const glyphs = data.glyphs as unknown as Record<
  string,
  { width: number; advance: number; start: number; outline: [string, number[]][] }
>;

/** A number, as the path of its outlines round a point, with digits of a height. */
export function numberPath(text: string, [x, y]: Pair, height: number): string {
  const starts: number[] = [];
  let pen = -glyphs[text[0]].start;
  for (const character of text) {
    starts.push(pen + glyphs[character].start);
    pen += glyphs[character].advance;
  }
  const width = starts.at(-1)! + glyphs[text.at(-1)!].width;
  return [...text]
    .flatMap((character, i) =>
      glyphs[character].outline.map(
        ([code, numbers]) =>
          code +
          numbers
            .map((part, k) =>
              (k % 2 ? y + (0.5 - part) * height : x + (starts[i] + part - width / 2) * height).toFixed(2),
            )
            .join(" "),
      ),
    )
    .join("");
}

/** How wide a number is with digits of height 1. */
export const numberWidth = (text: string): number =>
  [...text].reduce((sum, character) => sum + glyphs[character].advance, 0);
