/** What Python exports for the page (see export.py), and reading it. */

/** The layout and the preset if an address contains neither. */
export const START_LAYOUT = "base";
/** The preset that the boards of the store of even boards keep, but for the order of harbors. */
export const EVEN_RULES = "tournament";

export type Pair = [number, number];
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type ModelData = Record<string, Json>;

export interface Layout {
  name: string;
  title: string;
  /** Whether the notation of its boards names no layout. */
  classic: boolean;
  /** The game, such as `base`; empty if unknown. */
  game: string;
  /** Centres: x in half widths of a tile, y in quarters of its height. */
  tiles: Pair[];
  frame: Pair[];
  /** Whether the board is drawn turned by a quarter. */
  sideways: boolean;
  /** Whether the water has the shape of the frame also without harbors; if not, it follows the coast. */
  framed: boolean;
  /** The triangles between the centres of three adjacent hexagons of tiles and frame, where there is a frame. */
  water: Pair[][];
  /** Tile numbers per row, from top to bottom. */
  rows: number[][];
  vertices: Pair[];
  vertexTiles: number[][];
  vertexNeighbors: number[][];
  adjacency: Pair[];
  /** How many connected sets of tiles there are. */
  parts: number;
  /** Terrain names by code - 1. */
  terrains: string[];
  letters: Record<string, string>;
  unnumbered: string[];
  counts: Record<string, number>;
  targets: Record<string, number>;
  /** n * log2(n), rounded as in Python, so that sums are exact. */
  xlogx: number[];
  second: Record<string, number>;
  pips: Record<string, number>;
  /** Tiles at which the first settlements are founded; none: anywhere on land. */
  settle: number[];
  /** The most that can play. */
  players: number;
  harbors: [number, number, string][];
  /** The places of harbors that are never dealt anew. */
  fixedHarbors: Pair[];
  /** The ways from the corners inwards, and the markers in the rule book's order. */
  spirals: { paths: number[][]; order: number[] };
  /** The edges of the rim, where harbors may lie. */
  coast: Pair[];
  /** How many of each marker the box holds. */
  supply: Record<string, number>;
  /** By tile, what never moves there, and the most pips that a marker there may have. */
  fixed: {
    terrain: Record<string, string>;
    markers: Record<string, number>;
    pips: Record<string, number>;
  };
  /** A river joins two tiles of `steps` where both are wet: among `tiles`, or of a terrain in `mouths`. */
  rivers: { tiles: number[]; mouths: string[]; steps: Pair[] };
  /** Where fishing grounds may lie: three vertices in a row, the middle one second. */
  groundPlaces: [number, number, number][];
  /** The presets of the library: of each that no board keeps, the rules that exclude each other. */
  presets: Record<string, string[]>;
  /** The preset that the layout opens with. */
  start: string;
  /** The fields of rules about pieces that the layout lacks. */
  hidden: string[];
  /** By field, the values that no board satisfies, even if no other rule is set. */
  impossible: Record<string, Json[]>;
  /** Rotations and reflections: the tile to which the piece of each tile goes. */
  symmetries: number[][];
  base: ModelData;
  rules: Record<string, Record<string, number>>;
  /** What values of rules change in the data of the model, and their restrictions if these are the whole rule. */
  changes: [ModelData, Restriction[]?][];
}

/**
 * A restriction of the library as tables, by its class there. A marker 0 is a tile without one. The places
 * of barred markers are products: a terrain, markers and tiles.
 */
export type Restriction =
  | { kind: "Barred"; places: [number, string][] }
  | { kind: "TerrainsApart"; pairs: Pair[]; terrains: string[][] }
  | { kind: "ClusterMax"; size: number; pairs: Pair[] }
  | { kind: "Rising"; tiles: number[] }
  | { kind: "FirstOfOrbit"; symmetries: number[] }
  | { kind: "MarkersApart"; pairs: Pair[]; excluded: Pair[] }
  | { kind: "VertexBounds"; values: number[]; least: number; most: number }
  | { kind: "ApartOnTerrain"; excluded: Pair[] }
  | { kind: "TerrainQuota"; markers: number[]; most: number }
  | {
      kind: "TerrainPips";
      least: Record<string, number>;
      most: Record<string, number>;
      absent: string[];
    }
  | { kind: "BarredMarkers"; places: [string, number[], number[]][] }
  | { kind: "FixedOrder"; paths: number[][]; order: number[] }
  | { kind: "FixedMarkers"; markers: Pair[] };

export interface Option {
  value: Json;
  says: string[];
}

export interface Rule {
  field: string;
  /** The heading that it stands below. */
  group: string;
  about: string[];
  needs: string[];
  asks: string;
  neutral: Json;
  options: Option[];
}

export type Chosen = Record<string, Json>;

/** The words of constraints (see `Constraint` in the library). */
export interface Language {
  keywords: string[];
  refused: string[];
  functions: string[];
  /** Global constraints, each with the file that declares it. */
  globals: Record<string, string>;
  /** What the models declare: each name, and the model that does. */
  names: Record<string, string>;
  /** The most characters of a text. */
  longest: number;
}

/** What each feature of settlements adds to the logarithm of the odds to win, in whole numbers. */
export interface Worth {
  /** What stands for 1. */
  scale: number;
  each: Record<string, number>;
  resources: string[];
  /** Numbers of pips at which the value of more pips changes. */
  steps: number[];
  /** The resources of what is bought. */
  buildings: Record<string, string[]>;
  /** What each feature of a first and a second settlement adds to the logarithm of the odds. */
  pairs: Record<string, number>;
}

export interface RulesData {
  version: string;
  /** The addresses of the project's source and documentation. */
  source: string;
  help: string;
  rules: Rule[];
  /** What a user's own constraints may say. */
  constraints: Language;
  /** What each feature of two settlements adds to the logarithm of the odds to win. */
  worth: Worth;
  presets: Record<string, Chosen>;
}

export interface LayoutEntry {
  name: string;
  title: string;
  tiles: number;
  /** How many tiles each row has, where the notation names no layout. */
  rows: number[] | null;
  /** The box that it comes from. */
  box: string;
  sideways: boolean;
  /** Its tiles on a small picture: centres, and a terrain for the colour. */
  picture: [number, number, string][];
}

/** The boards of `START_LAYOUT` whose seats are even in games. */
export interface EvenData {
  games: number;
  players: number;
  /** Notations, each with the games that each seat won. */
  boards: [string, number[]][];
  /** Rotations and reflections: where the pieces of each tile go, and those of each vertex. */
  symmetries: { tiles: number[]; vertices: number[] }[];
}

export type Models = Record<string, string>;

async function get(path: string): Promise<Response> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer;
}

const read = async <T>(path: string): Promise<T> => (await (await get(path)).json()) as T;

const layouts = new Map<string, Promise<Layout>>();

export const readLayout = (name: string): Promise<Layout> => {
  let found = layouts.get(name);
  if (!found) {
    found = read<Layout>(`data/layouts/${name}.json`);
    layouts.set(name, found);
    found.catch(() => layouts.delete(name));
  }
  return found;
};
export const readRules = (): Promise<RulesData> => read("data/rules.json");
export const readLayouts = (): Promise<LayoutEntry[]> => read("data/layouts.json");

const readyBoards = new Map<string, Promise<Record<string, string[]>>>();

/** The boards of that layout that travel with the page, by preset. */
export function readReady(layout: string): Promise<Record<string, string[]>> {
  let found = readyBoards.get(layout);
  if (!found) {
    found = read<Record<string, string[]>>(`data/boards/${layout}.json`);
    readyBoards.set(layout, found);
    found.catch(() => readyBoards.delete(layout));
  }
  return found;
}

export const readEven = (): Promise<EvenData> => read("data/even.json");

/** The public address of the page, where whoever serves it names one. */
export const readSite = (): Promise<string | undefined> =>
  read<{ address: string | null }>("site.json").then(
    ({ address }) => (address && /^https?:\/\//.test(address) ? address.split("#")[0] : undefined),
    () => undefined, // an older server has no such file
  );

/** The models' own files, by name. */
export async function readModels(): Promise<Models> {
  const names = await read<string[]>("data/models.json");
  const texts = await Promise.all(names.map(async (name) => await (await get(`data/models/${name}`)).text()));
  return Object.fromEntries(names.map((name, i) => [name, texts[i]]));
}
