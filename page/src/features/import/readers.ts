/**
 * Boards and openings of other programs: colonist.io, JSettlers2, catanlog and Catanatron. Twins of the readers in
 * `catan_cp/formats`, which state the sources. They are loaded with the first file.
 */

import type { Pair } from "../../core/data";
import { BadNotation } from "../../core/notation";
import { distinct, Entry, type Known } from "./entry";

/** What a file states, in positions: x in half widths of a tile, y in quarters of its height. */
export interface Game {
  /** Terrain and number, 0 for none, by centre. */
  tiles: Map<string, [string, number]>;
  harbors: { ends: Pair[]; trade: string }[];
  players: number;
  /** The player, from 0, and the position of its settlement or the ends of its road. */
  pieces: Iterable<Piece>;
}

interface Piece {
  player: number;
  points: Pair[];
}

const known = <T>(pairs: [unknown, T][]): Known<T> => new Map(pairs);
const numbered = <T>(list: readonly T[], from = 0): Known<T> =>
  known(list.map((item, i) => [i + from, item]));

const NUMBERS = [2, 3, 4, 5, 6, 8, 9, 10, 11, 12];
const STEPS: Record<string, Pair> = {
  NE: [1, -1],
  SE: [1, 1],
  S: [0, 2],
  SW: [-1, 1],
  NW: [-1, -1],
  N: [0, -2],
};
const EDGES: Record<string, Pair[]> = {
  NE: [STEPS.N, STEPS.NE],
  E: [STEPS.NE, STEPS.SE],
  SE: [STEPS.SE, STEPS.S],
  SW: [STEPS.S, STEPS.SW],
  W: [STEPS.SW, STEPS.NW],
  NW: [STEPS.NW, STEPS.N],
};
const WORDS = { wood: "lumber", brick: "brick", sheep: "wool", wheat: "grain", ore: "ore" };
const RESOURCES = Object.entries(WORDS);

/** Steps to the east and to the south-east as a centre. */
const axial = (x: number, y: number): Pair => [2 * x + y, 3 * y];
const beside = ([x, y]: Pair, steps: Pair[]): Pair[] => steps.map(([dx, dy]): Pair => [x + dx, y + dy]);

// colonist.io

const TERRAIN = numbered(["desert", "lumber", "brick", "wool", "grain", "ore"]);
const TRADE = numbered(["3:1", "lumber", "brick", "wool", "grain", "ore"], 1);
const AROUND = ["data", "payload", "eventHistory", "initialState", "gameState"];

function colonist(text: string): Game {
  const top = Entry.of(text);
  const game = top.first("data") ?? top;
  let state: Entry | undefined = top;
  let inner: Entry | undefined = top;
  while (inner && !inner.get("mapState")) {
    inner = inner.first(...AROUND);
    state = inner ?? state;
  }
  const map = state.first("mapState") ?? state;
  const spot = (entry: Entry): Pair => axial(entry.at("x").number(-20, 20), entry.at("y").number(-20, 20));
  const corner = (entry: Entry) => beside(spot(entry), [[STEPS.N, STEPS.S][entry.at("z").number(0, 1)]]);
  const edge = (entry: Entry) =>
    beside(spot(entry), [EDGES.NW, EDGES.W, EDGES.SW][entry.at("z").number(0, 2)]);
  const hexes = map.at("tileHexStates").entries();
  const centres = distinct(hexes.map(spot));
  const tiles = new Map(
    hexes.map((tile, i) => [
      String(centres[i]),
      [tile.at("type").choice(TERRAIN), tile.get("diceNumber")?.number(0, 12) ?? 0] as [string, number],
    ]),
  );
  const ports = map.first("portEdgeStates")?.entries() ?? [];
  const harbors = ports.map((port) => ({ ends: edge(port), trade: port.at("type").choice(TRADE) }));
  const events = game.first("eventHistory")?.first("events");
  const owned = (kind: string) =>
    map
      .get(kind)
      ?.entries()
      .some((piece) => piece.first("owner"));
  if (!events || owned("tileCornerStates") || owned("tileEdgeStates"))
    return { tiles, harbors, players: 0, pieces: [] };
  const order = distinct(
    game
      .at("playOrder")
      .entries()
      .map((entry) => entry.number(0, 20)),
  );
  const seats = known(order.map((color, seat) => [color, seat]));
  function* pieces(): Generator<Piece> {
    let settled = 0;
    for (const event of events!.entries()) {
      const change = event.first("stateChange")?.first("mapState");
      for (const [kind, place] of [
        ["tileCornerStates", corner],
        ["tileEdgeStates", edge],
      ] as const)
        for (const [key, piece] of change?.first(kind)?.items() ?? []) {
          if (!piece.first("owner")) continue;
          if (kind === "tileCornerStates")
            piece.at("buildingType").choice(numbered(++settled <= 2 * order.length ? [1] : [1, 2], 1));
          yield { player: piece.at("owner").choice(seats), points: place(map.at(kind).at(key)) };
        }
    }
  }
  return { tiles, harbors, players: order.length, pieces: pieces() };
}

// Coordinates of two hexadecimal digits, of JSettlers2 and old logs of catanlog

const MOST = 0xef;
const digits = (place: number): Pair => [Math.floor(place / 16), place % 16];
const hexagon = (place: number): Pair => {
  const [a, b] = digits(place);
  return [(a + b) / 2, (3 * (a - b)) / 2];
};
const node = (place: number): Pair => {
  const [a, b] = digits(place);
  return [(a + b - 1) / 2, (3 * (a - b) + (b % 2 ? 1 : -1)) / 2];
};
const side = (place: number): Pair[] => {
  const [a, b] = digits(place);
  return a % 2 === 0 && b % 2 === 0
    ? [node(place + 0x01), node(place + 0x10)]
    : [node(place), node(place + 0x11)];
};

const HEXES = [0x17, 0x15, 0x13, 0x11, 0x31, 0x51, 0x71].flatMap((first, row) =>
  Array.from({ length: 7 - Math.abs(3 - row) }, (_, i) => first + 0x22 * i),
);
const PORTS = [0, 2, 8, 21, 32, 35, 33, 22, 9];
const PORT_EDGES = [0x27, 0x5a, 0x9c, 0xcc, 0xc9, 0xa5, 0x72, 0x42, 0x24];
const LARGE_EDGES = [0x07, 0x3a, 0x7c, 0xac, 0xca, 0xc7, 0xa3, 0x70, 0x30, 0x00, 0x03];
const SOC_TERRAIN = ["desert", "brick", "ore", "wool", "grain", "lumber"];
const SOC_TRADES = ["3:1", ...SOC_TERRAIN.slice(1)];
const SOC_TRADE = numbered(SOC_TRADES);
/** The trade of a harbor of the classic board: 7 to 12, or 16 times its facing and the kind. */
const PORT_CODES = known([
  ...[7, 8, 9, 10, 11, 12].map((code): [unknown, string] => [code, "3:1"]),
  ...[1, 2, 3, 4, 5, 6].flatMap((facing) =>
    SOC_TRADES.slice(1).map((name, i): [unknown, string] => [16 * facing + i + 1, name]),
  ),
]);
const KINDS = known(
  ["ROAD", "SETTLEMENT", "CITY"].flatMap((word, i) => [[word, i] as [unknown, number], [i, i]]),
);

function jsettlers(text: string): Game {
  const game = Entry.of(text);
  game.at("modelVersion").choice(
    known([
      [2300, 0],
      [2400, 0],
    ]),
  );
  const options = game.get("gameOptions");
  if (options && `,${options.value}`.includes(",SC=")) options.reject();
  const info = game.at("boardInfo");
  const layout = info.first("layout1");
  const large = layout ? undefined : info.at("layout2");
  large?.at("boardEncodingFormat").choice(known([[2, 0]]));
  const parts = layout ?? large!.at("layoutParts");
  const [hexes, numbers] = layout
    ? [parts.at("hexLayout"), parts.at("numberLayout")]
    : [parts.at("HL"), parts.at("NL")];
  const codes = hexes.numbers(HEXES.length);
  numbers.numbers(HEXES.length);
  const kinds = layout ? PORTS.map((k) => new Entry(codes[k], `hexLayout.${k}`)) : parts.at("PL").entries();
  const edges = layout ? PORT_EDGES : LARGE_EDGES;
  const markers = layout
    ? known([[-1, 0], ...NUMBERS.map((n, i): [unknown, number] => [i, n])])
    : known([[-1, 0], [0, 0], ...NUMBERS.map((n): [unknown, number] => [n, n])]);
  const sea: [unknown, string][] = [6, ...(layout ? PORTS.map((k) => codes[k]) : [])].map((code) => [
    code,
    "",
  ]);
  const land = known([...sea, ...SOC_TERRAIN.map((name, i): [unknown, string] => [i, name])]);
  const tiles: Game["tiles"] = new Map();
  const spots = numbers.entries();
  hexes.entries().forEach((code, i) => {
    const terrain = code.choice(land);
    if (terrain) tiles.set(String(hexagon(HEXES[i])), [terrain, spots[i].choice(markers)]);
  });
  if (kinds.length !== edges.length) hexes.reject();
  const harbors = kinds.map((kind, i) => ({
    ends: side(edges[i]),
    trade: kind.choice(layout ? PORT_CODES : SOC_TRADE),
  }));
  const chairs = game.at("playerSeats").entries();
  const first = game
    .at("elements")
    .at("FIRST_PLAYER")
    .number(0, chairs.length - 1);
  const taken = [...chairs.slice(first), ...chairs.slice(0, first)].filter((chair) => !isVacant(chair));
  distinct(taken.map((chair) => chair.at("name").text()));
  const openings = taken.map((chair) => opening(chair.at("pieces").entries()));
  const turns = [...openings.keys()];
  const pieces = [...turns, ...turns.toReversed()].flatMap((player, turn) =>
    (openings[player][turn < turns.length ? 0 : 1] ?? []).map((points) => ({ player, points })),
  );
  return { tiles, harbors, players: taken.length, pieces };
}

function isVacant(chair: Entry): boolean {
  const vacant = chair.at("isSeatVacant");
  if (typeof vacant.value !== "boolean") vacant.reject();
  const pieces = chair.get("pieces");
  if (vacant.value && pieces?.entries().length) pieces.reject();
  return vacant.value as boolean;
}

/** A player's first two settlements, each with its road if there is one. */
function opening(pieces: Entry[]): Pair[][][] {
  const built = pieces.map(
    (piece) => [piece.at("pieceType").choice(KINDS), piece.at("coord").number(0, MOST)] as const,
  );
  const free = new Set(built.filter(([kind]) => kind).map(([, place]) => String(node(place))));
  const roads = built.filter(([kind]) => !kind).slice(0, 2);
  const spots = roads.map(([, place]) => {
    const road = side(place);
    const ends = road.filter((end) => free.has(String(end)));
    if (ends.length !== 1) throw new BadNotation(`pieces: ${road}`);
    free.delete(String(ends[0]));
    return [ends, road];
  });
  const settled = built.filter(([kind, place]) => kind === 1 && free.has(String(node(place))));
  return [...spots, ...settled.map(([, place]) => [[node(place)]])].slice(0, 2);
}

// catanlog

/** The tiles in the order of a log: a spiral from the upper left, counter-clockwise. */
const SPIRAL: Pair[] = [
  ...[0x37, 0x35, 0x33, 0x53, 0x73, 0x95, 0xb7, 0xb9, 0xbb, 0x9b, 0x7b, 0x59],
  ...[0x57, 0x55, 0x75, 0x97, 0x99, 0x79, 0x77],
].map(hexagon);
const TILES = known(SPIRAL.map((centre, i) => [String(i + 1), centre]));
const LOG_NUMBERS = known([["None", 0], ...NUMBERS.map((n): [unknown, number] => [String(n), n])]);
const LOG_TERRAIN = known<string>([...RESOURCES, ["desert", "desert"]]);
const LOG_TRADE = known<string>([...RESOURCES, ["3:1", "3:1"]]);
const BUYS = ["buys city, ", "buys dev card", "buys road, ", "buys settlement, "];
const VERBS = [...BUYS, "ends turn", "moves robber", "plays ", "rolls ", "trades ", "wins"];

function catanlog(text: string): Game {
  const lines = text
    .trim()
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim());
  let number = 0;
  const entry = (value: string) => new Entry(value, `line ${number}`);
  const after = (start: string): string => {
    const line = lines[number++] ?? "";
    return line.startsWith(start) ? line.slice(start.length).trim() : entry(line).reject();
  };
  const points = (place: string, steps: Record<string, Pair[]>): Pair[] => {
    if (/^[0-9]{1,3}$/.test(place)) {
      const found = new Entry(Number(place), `line ${number}`).number(0, MOST);
      return steps === EDGES ? side(found) : [node(found)];
    }
    const [, tile, direction] = /^\(([0-9]{1,2}) ([A-Z]{1,2})\)$/.exec(place) ?? entry(place).reject();
    return beside(entry(tile).choice(TILES), entry(direction).choice(known(Object.entries(steps))));
  };
  after("catanlog v");
  after("timestamp:");
  const players = entry(after("players:")).choice(
    known(["1", "2", "3", "4", "5", "6"].map((n) => [n, Number(n)])),
  );
  const seats: string[] = [];
  for (let seat = 1; seat <= players; seat++) {
    const line = after("name:");
    const [, , color, at] = /^(.*), color: ([^,]{1,40}), seat: ([0-9])$/.exec(line) ?? entry(line).reject();
    if (Number(at) !== seat || seats.includes(color)) entry(line).reject();
    seats.push(color);
  }
  const words = (start: string) => after(start).split(/\s+/).filter(Boolean).map(entry);
  const terrain = words("terrain:").map((word) => word.choice(LOG_TERRAIN));
  const markers = words("numbers:").map((word) => word.choice(LOG_NUMBERS));
  if (terrain.length !== SPIRAL.length || markers.length !== SPIRAL.length) entry(text).reject();
  const line = after("ports:");
  const ports = /([^\s()]{1,9})(\([^()]{1,9}\)) */g;
  if (line.replace(ports, "")) entry(line).reject();
  const harbors = [...line.matchAll(ports)].map(([, word, place]) => ({
    ends: points(place, EDGES),
    trade: entry(word).choice(LOG_TRADE),
  }));
  after("...CATAN!");
  const nodes = Object.fromEntries(Object.entries(STEPS).map(([name, step]) => [name, [step]]));
  function* pieces(): Generator<Piece> {
    for (const each of lines.slice(number)) {
      number++;
      const player = seats.findIndex((color) => each.startsWith(`${color} `));
      const action = each.slice((seats[player]?.length ?? 0) + 1);
      if (player < 0 || !VERBS.some((verb) => action.startsWith(verb))) entry(each).reject();
      const bought = /^(settlement|road), builds at (.+)$/.exec(action.replace(/^buys /, ""));
      if (bought) yield { player, points: points(bought[2], bought[1] === "road" ? EDGES : nodes) };
    }
  }
  const tiles = new Map(SPIRAL.map((at, i) => [String(at), [terrain[i], markers[i]] as [string, number]]));
  return { tiles, harbors, players, pieces: pieces() };
}

// Catanatron

const FULL: Record<string, string> = { N: "NORTH", S: "SOUTH", E: "EAST", W: "WEST" };
const inFull = <T>(table: Record<string, T>): Known<T> =>
  known(Object.entries(table).map(([name, value]) => [name.replace(/./g, (letter) => FULL[letter]), value]));
const CORNERS = inFull(STEPS);
const SIDES = inFull(EDGES);
const YIELDS = known(RESOURCES.map(([word, name]) => [word.toUpperCase(), name]));
const COLORS = known(["RED", "BLUE", "ORANGE", "WHITE"].map((color) => [color, color]));
const TYPES = known(["WATER", "DESERT", "RESOURCE_TILE", "PORT"].map((type) => [type, type]));

function catanatron(text: string): Game {
  const game = Entry.of(text);
  const cube = (entry: Entry): Pair => {
    const [east, between, south] = entry.numbers(3);
    return east + between + south ? entry.reject() : axial(east, south);
  };
  const places = game.at("tiles").entries();
  const centres = distinct(places.map((place) => cube(place.at("coordinate"))));
  const tiles: Game["tiles"] = new Map();
  const harbors: Game["harbors"] = [];
  places.forEach((place, i) => {
    const tile = place.at("tile");
    const type = tile.at("type").choice(TYPES);
    const at = String(centres[i]);
    if (type === "DESERT") tiles.set(at, ["desert", 0]);
    if (type === "RESOURCE_TILE")
      tiles.set(at, [
        tile.at("resource").choice(YIELDS),
        tile.at("number").choice(known(NUMBERS.map((n) => [n, n]))),
      ]);
    if (type === "PORT")
      harbors.push({
        ends: beside(centres[i], tile.at("direction").choice(SIDES)),
        trade: tile.get("resource")?.choice(YIELDS) ?? "3:1",
      });
  });
  const colors = distinct(
    game
      .at("colors")
      .entries()
      .map((color) => color.choice(COLORS)),
  );
  const seats = known(colors.map((color, seat) => [color, seat]));
  const nodes = game.at("nodes");
  const point = (spot: Entry): Pair => {
    const entry = nodes.at(String(spot.number(0)));
    return beside(cube(entry.at("tile_coordinate")), [entry.at("direction").choice(CORNERS)])[0];
  };
  function* pieces(): Generator<Piece> {
    for (const record of (game.get("action_records") ?? game.at("actions")).entries()) {
      let items = record.entries();
      if (Array.isArray(items[0]?.value)) items = items[0].entries(); // with its outcome, from version 3.3
      if (items.length !== 3) record.reject();
      const [color, kind, value] = items;
      if (typeof kind.value !== "string") kind.reject();
      if (kind.value !== "BUILD_SETTLEMENT" && kind.value !== "BUILD_ROAD") continue;
      const spots = kind.value === "BUILD_ROAD" ? value.entries() : [value];
      if (kind.value === "BUILD_ROAD" && spots.length !== 2) value.reject();
      yield { player: color.choice(seats), points: spots.map(point) };
    }
  }
  return { tiles, harbors, players: colors.length, pieces: pieces() };
}

/** The readers by a text that each file has. */
const READERS: [string, (text: string) => Game][] = [
  ['"tileHexStates"', colonist],
  ['"boardInfo"', jsettlers],
  ["catanlog v", catanlog],
  ['"adjacent_tiles"', catanatron],
];

export const readGame = (text: string): Game => {
  const reader = READERS.find(([mark]) => text.includes(mark));
  if (!reader) throw new BadNotation(text);
  return reader[1](text);
};
