/** The data that Python exports for the page (see export.py). */

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
  /** The game, such as `base`. Empty if unknown. */
  game: string;
  /** Centres: x in half widths of a tile, y in quarters of its height. */
  tiles: Pair[];
  frame: Pair[];
  /** Whether the board is drawn turned by a quarter. */
  sideways: boolean;
  /** Whether the water has the shape of the frame also without harbors. */
  framed: boolean;
  /** With a frame, the triangles between the centres of three adjacent hexagons of tiles and frame. */
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
  /** The tiles of the first settlements. An empty list allows all land. */
  settle: number[];
  /** The maximum number of players. */
  players: number;
  harbors: [number, number, string][];
  /** The places of harbors that never change. */
  fixedHarbors: Pair[];
  /** The edges of the rim, which may have harbors. */
  coast: Pair[];
  /** The number of tokens in the box, per number. */
  supply: Record<string, number>;
  /** Per tile, the fixed pieces, and the maximum number of pips. */
  fixed: {
    terrain: Record<string, string>;
    markers: Record<string, number>;
    pips: Record<string, number>;
  };
  /** A river joins two tiles of `steps` if both are wet: among `tiles`, or of a terrain in `mouths`. */
  rivers: { tiles: number[]; mouths: string[]; steps: Pair[] };
  /** The places of fishing grounds: three adjacent vertices, the middle one second. */
  groundPlaces: [number, number, number][];
  /** Per preset of the library, the conflicting rules. Empty if the preset has a board. */
  presets: Record<string, string[]>;
  /** The preset that the layout opens with. */
  start: string;
  /** The fields of rules about pieces that the layout lacks. */
  hidden: string[];
  /** Per field, the values that no board satisfies, even if no other rule is set. */
  impossible: Record<string, Json[]>;
  /** Rotations and reflections: the tile to which the piece of each tile goes. */
  symmetries: number[][];
  /** What the layout itself restricts beside groups and fixed pieces. */
  requirements: Restriction[];
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
  names: Record<string, string>;
  /** The maximum number of characters of a text. */
  longest: number;
}

/** The terms of the logarithm of the odds to win, as multiples of 1 / `scale`. */
export interface Worth {
  scale: number;
  each: Record<string, number>;
  resources: string[];
  /** Numbers of pips at which the value of more pips changes. */
  steps: number[];
  /** The resources of each building. */
  buildings: Record<string, string[]>;
  /** The terms of pairs of settlements. */
  pairs: Record<string, number>;
}

export interface RulesData {
  version: string;
  /** The addresses of the project's source and documentation. */
  source: string;
  help: string;
  rules: Rule[];
  /** The words of custom constraints. */
  constraints: Language;
  worth: Worth;
  presets: Record<string, Chosen>;
}

export interface LayoutEntry {
  name: string;
  title: string;
  tiles: number;
  /** The number of tiles per row, if the notation does not name the layout. */
  rows: number[] | null;
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
  /** By symmetry of the layout, the new vertex of each vertex. */
  vertexSymmetries: number[][];
}

export type Models = Record<string, string>;

export async function get(path: string): Promise<Response> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return answer;
}

export const read = async <T>(path: string): Promise<T> => (await (await get(path)).json()) as T;

const files = new Map<string, Promise<unknown>>();

/** Reads a file once. After a failure the next call tries again. */
function readOnce<T>(path: string): Promise<T> {
  const file = files.get(path) ?? read<T>(path);
  files.set(path, file);
  file.catch(() => files.delete(path));
  return file as Promise<T>;
}

export const readLayout = (name: string): Promise<Layout> => readOnce(`data/layouts/${name}.json`);
/** The boards of a layout that come with the page, per preset. */
export const readReady = (layout: string): Promise<Record<string, string[]>> =>
  readOnce(`data/boards/${layout}.json`);
export const readRules = (): Promise<RulesData> => read("data/rules.json");
export const readLayouts = (): Promise<LayoutEntry[]> => read("data/layouts.json");

export const readEven = (): Promise<EvenData> => read("data/even.json");

/** The public address of the page, if the server names one. */
export const readSite = (): Promise<string | undefined> =>
  read<{ address: string | null }>("site.json").then(
    ({ address }) => (address && /^https?:\/\//.test(address) ? address.split("#")[0] : undefined),
    () => undefined, // an older server has no such file
  );

/** The texts of the models, by file name. */
export const readModels = (): Promise<Models> => read("data/models.json");
