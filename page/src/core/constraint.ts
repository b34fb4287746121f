/**
 * Custom constraints in MiniZinc. Their words are checked before MiniZinc reads them. The library accepts the same texts,
 * so a stranger's link cannot print or change the form of a result. Python exports the words and names.
 */

import type { Chosen, Json, Language, Layout } from "./data";
import { say } from "./language";
import { keep, recallList } from "./memory";
import { short } from "./notation";

export interface Constraint {
  text: string;
  says?: string;
}

/** A fault in a text: a key of the language file, the word, and its position from 0. */
export interface Fault {
  key: string;
  word: string;
  at: number;
  message?: string;
  /** A known name that is similar to the unknown one. */
  similar?: string;
}

interface Token {
  kind: "keyword" | "number" | "word" | "sign";
  text: string;
  at: number;
}

const ITEMS = ["constraint", "predicate", "function"];
const OPENING: Record<string, string> = { "(": ")", "[": "]", "{": "}" };
const CLOSING = Object.values(OPENING);
const TOKEN =
  /(?<space>[ \t\r\n\f]+|%[^\r\n]*)|(?<number>[0-9]+(?:\.[0-9]+)?[A-Za-z0-9_]*)|(?<word>[A-Za-z][A-Za-z0-9_]*)|(?<sign><->|->|<-|\\\/|\/\\|<=|>=|==|!=|\.\.|\+\+|(?!::|\/\*|\*\/)[-+*/()[\]{},;:=<>|^])/y;
/** Pairs of signs that MiniZinc reads as one: an annotation, and the ends of a comment. */
const NOT_A_TOKEN = ["::", "/*", "*/"];

class Refused extends Error {
  constructor(readonly fault: Fault) {
    super(fault.key);
  }
}

function refuse(key: string, word: string, at: number, similar?: string): never {
  throw new Refused({ key: `own.bad.${key}`, word, at, similar });
}

function tokensOf(text: string, language: Language): Token[] {
  const result: Token[] = [];
  for (let at = 0; at < text.length; ) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) refuse("sign", NOT_A_TOKEN.find((signs) => text.startsWith(signs, at)) ?? text[at], at);
    const { number, word, space } = match!.groups!;
    const token = match![0];
    if (word !== undefined && language.refused.includes(token)) refuse("word", token, at);
    if (number !== undefined && !/^\d+$/.test(token)) refuse("whole", token, at);
    if (space === undefined) {
      const kind = language.keywords.includes(token) ? "keyword" : number ? "number" : word ? "word" : "sign";
      result.push({ kind, text: token, at });
    }
    at += token.length;
  }
  return result;
}

function checkBrackets(tokens: Token[]): void {
  const opened: Token[] = [];
  for (const token of tokens) {
    if (token.text in OPENING) opened.push(token);
    else if (CLOSING.includes(token.text)) {
      const last = opened.pop();
      if (!last || OPENING[last.text] !== token.text) refuse("closes", token.text, token.at);
    }
  }
  const last = opened.at(-1);
  if (last) refuse("open", last.text, last.at);
}

const depthBy = ({ text }: Token): number => Number(text in OPENING) - Number(CLOSING.includes(text));

const hasItems = (tokens: Token[]): boolean => ITEMS.includes(tokens[0].text);

function checkItems(tokens: Token[]): void {
  let [depth, begins, before] = [0, true, ""];
  for (const token of tokens) {
    const { text, at } = token;
    if (begins && hasItems(tokens) && !ITEMS.includes(text)) refuse("item", text, at);
    if (ITEMS.includes(text) && !begins) {
      const insideLet = text === "constraint" && depth > 0 && ["{", ";", ","].includes(before);
      if (!insideLet) refuse("place", text, at);
    }
    depth += depthBy(token);
    begins = text === ";" && depth === 0;
    if (begins && !hasItems(tokens)) refuse("semicolon", text, at);
    before = text;
  }
}

/** The predicates and functions that the text defines. */
function definedIn(tokens: Token[]): Set<string> {
  const result = new Set<string>();
  let depth = 0;
  tokens.forEach((token, i) => {
    depth += depthBy(token);
    const named = token.kind === "word" && ["predicate", ":"].includes(tokens[i - 1]?.text);
    if (depth === 0 && named) result.add(token.text);
  });
  return result;
}

/** The names that the text declares: of generators, in `let`, and of parameters. */
function boundIn(tokens: Token[]): Set<string> {
  const result = new Set<string>();
  let run: string[] = [];
  tokens.forEach((token, i) => {
    if (token.kind === "word") {
      run.push(token.text);
      if (tokens[i - 1]?.text === ":") result.add(token.text);
      if (tokens[i + 1]?.text === "in") for (const name of run) result.add(name);
    } else if (token.text !== ",") run = [];
  });
  return result;
}

/** The terrains of a layout as texts write them, each with its code. */
const terrainWords = (layout: Layout): Map<string, number> =>
  new Map(layout.terrains.map((name, i) => [name.toUpperCase().replaceAll("-", "_"), i + 1]));

const CAPITALS = /^[A-Z][A-Z0-9_]*$/;

/** The distance of two letters. Many letters that differ in case are closer than one other letter. */
const change = (a: string, b: string): number =>
  a.toLowerCase() !== b.toLowerCase() ? 1 : a === b ? 0 : 0.001;

/** The known name with the fewest changed letters. Undefined if each differs in more than two. */
function nearest(word: string, names: string[]): string | undefined {
  let [best, least] = [undefined as string | undefined, Math.min(3, word.length)];
  for (const name of names) {
    let row = [...name, ""].map((_, i) => i);
    for (const letter of word) {
      const next = [row[0] + 1];
      for (let i = 1; i < row.length; i++)
        next.push(Math.min(next[i - 1] + 1, row[i] + 1, row[i - 1] + change(name[i - 1], letter)));
      row = next;
    }
    if (row.at(-1)! < least) [best, least] = [name, row.at(-1)!];
  }
  return best;
}

/** Names in capitals may be terrains of the layout. As in the library, they are checked after all others. */
function checkNames(tokens: Token[], layout: Layout, harbors: boolean, language: Language): void {
  const [defined, bound, terrains] = [definedIn(tokens), boundIn(tokens), terrainWords(layout)];
  const words = tokens.filter(({ kind, text }) => kind === "word" && !defined.has(text));
  const called = new Set(words.filter((token) => tokens[tokens.indexOf(token) + 1]?.text === "("));
  const isKnown = (token: Token): boolean =>
    Object.hasOwn(language.names, token.text) ||
    (called.has(token)
      ? language.functions.includes(token.text) || Object.hasOwn(language.globals, token.text)
      : bound.has(token.text) || terrains.has(token.text));
  const unknown = words.filter((token) => !isKnown(token));
  const isLater = (token: Token): boolean => CAPITALS.test(token.text) && !called.has(token);
  const first = unknown.find((token) => !isLater(token)) ?? unknown[0];
  if (first) {
    const functions = [...language.functions, ...Object.keys(language.globals), ...defined];
    const names = [...Object.keys(language.names), ...terrains.keys(), ...bound];
    const similar = nearest(first.text, called.has(first) ? functions : names);
    refuse(called.has(first) ? "function" : "name", first.text, first.at, similar);
  }
  const isLocal = (token: Token): boolean =>
    bound.has(token.text) && tokens[tokens.indexOf(token) + 1]?.text !== "[";
  const unplaced = words.find((token) => language.names[token.text] === "harbors" && !isLocal(token));
  if (unplaced && !harbors) refuse("harbors", unplaced.text, unplaced.at);
}

/** The fault of a text on this layout. Undefined if MiniZinc may read it. */
export function faultOf(
  text: string,
  layout: Layout,
  harbors: boolean,
  language: Language,
): Fault | undefined {
  try {
    if (text.length > language.longest) refuse("long", String(language.longest), 0);
    const tokens = tokensOf(text, language);
    if (!tokens.length) refuse("empty", "", 0);
    checkBrackets(tokens);
    checkItems(tokens);
    checkNames(tokens, layout, harbors, language);
    return undefined;
  } catch (reason) {
    if (reason instanceof Refused) return reason.fault;
    throw reason;
  }
}

/** The conditions of an accepted text, and its predicates and functions. */
export function splitItems(text: string, language: Language): { expressions: string[]; others: string[] } {
  const tokens = tokensOf(text, language);
  if (!hasItems(tokens)) return { expressions: [text], others: [] };
  let [depth, from] = [0, 0];
  const items: string[] = [];
  for (const token of tokens) {
    depth += depthBy(token);
    if (token.text !== ";" || depth) continue;
    items.push(text.slice(from, token.at));
    from = token.at + 1;
  }
  items.push(text.slice(from));
  const written = items.map((each) => each.replace(/^(\s|%.*\n?)+/, "")).filter(Boolean);
  return {
    expressions: written.filter((each) => /^constraint\b/.test(each)).map((each) => each.slice(10)),
    others: written.filter((each) => !/^constraint\b/.test(each)),
  };
}

export const ownOf = (chosen: Chosen): Constraint[] => (chosen.constraints ?? []) as unknown as Constraint[];

export function withOwn(chosen: Chosen, own: Constraint[]): Chosen {
  const { constraints, ...others } = chosen;
  return own.length ? { ...others, constraints: own as unknown as Json } : others;
}

/** Constraints are named by their number, rules by their fields. */
export const itemOf = (i: number): string => `constraint ${i}`;
export const ownItem = (item: string, chosen: Chosen): Constraint | undefined =>
  ownOf(chosen).find((_, i) => itemOf(i) === item);

/** A constraint in MiniZinc, with its author's words as a quotation, since they may claim anything. */
export const constraintText = ({ text, says }: Constraint): string =>
  text.replace(/\s+/g, " ").trim() + (says ? ` (“${short(says, MOST_WORDS)}”)` : "");

/** The maximum number of shown characters of an author's words, and of remembered constraints. */
export const MOST_WORDS = 160;
const REMEMBERED = 100;
const keyOf = ({ text, says }: Constraint): string => JSON.stringify([text, says]);

let accepted = new Set(recallList("accepted"));

/** Whether the reader wrote or accepted the constraint. Until then, a constraint from a link gets no tick. */
export const isAccepted = (own: Constraint): boolean => accepted.has(keyOf(own));

export function accept(own: Constraint): void {
  accepted = new Set([...recallList("accepted"), ...accepted, keyOf(own)]); // other tabs store theirs as well
  keep("accepted", JSON.stringify([...accepted].slice(-REMEMBERED)));
}

/** Reads the constraints of an address or a file. Undefined if one is invalid. */
export const readOwn = (given: Json | undefined): Constraint[] | undefined => {
  if (!Array.isArray(given)) return undefined;
  const result = given.map((each) => {
    const { text, says, ...more } = (typeof each === "string" ? { text: each } : (each ?? {})) as Record<
      string,
      Json
    >;
    const good = typeof text === "string" && ["string", "undefined"].includes(typeof says);
    return good && !Object.keys(more).length
      ? ({ text, ...(says ? { says } : {}) } as Constraint)
      : undefined;
  });
  return result.every((each) => each !== undefined) ? (result as Constraint[]) : undefined;
};

/** Constraints as one text for MiniZinc, and the way back from its lines to their places. */
export class OwnText {
  readonly text: string;
  private readonly places: { line: number; own: number; at: number }[] = [];

  constructor(own: Constraint[], layout: Layout, language: Language) {
    const all = own.map(({ text }) => tokensOf(text, language));
    const words = new Set(all.flat().map(({ text }) => text));
    const files = [...words].flatMap((word) =>
      Object.hasOwn(language.globals, word) ? [language.globals[word]] : [],
    );
    for (const model of ["terrain_measures", "measures"])
      if ([...words].some((word) => language.names[word] === model)) files.push(`${model}.mzn`);
    const lines = [...new Set(files)].map((file) => `include "${file}";`);
    for (const [name, number] of terrainWords(layout))
      if (words.has(name) && !Object.hasOwn(language.names, name)) lines.push(`int: ${name} = ${number};`);
    all.forEach((tokens, number) => {
      const [items, defined] = [hasItems(tokens), definedIn(tokens)];
      lines.push(items ? "" : "constraint (");
      tokens.forEach(({ text, at }, i) => {
        // One token per line, so every place is known. Only the brackets of a table, [| and |], stay together.
        const before = tokens[i - 1];
        const isTable = before?.at === at - 1 && ["[|", "|]"].includes(before.text + text);
        if (isTable) lines.push(lines.pop() + text);
        else lines.push(defined.has(text) ? `${text}__own${number}` : text);
        this.places.push({ line: lines.length, own: number, at });
      });
      lines.push(items ? (tokens.at(-1)?.text === ";" ? "" : ";") : ");");
    });
    this.text = `${lines.join("\n")}\n`;
  }

  /** The constraint that contains a line, and the position in it. */
  place(line: number): { own: number; at: number } {
    const { own, at } = this.places.findLast((each) => each.line <= line) ?? this.places[0];
    return { own, at };
  }
}

/** MiniZinc's message about an index out of range, in the page's language. Undefined for other messages. */
export function outOfRange(message: string): string | undefined {
  const result = /index set (?:is )?(\S+), but given index is ([^\s)]+)/.exec(message);
  return result ? say("own.bad.index", { range: result[1], word: result[2] }) : undefined;
}

/** A position in a text, from line 1 and column 1, with that line and a caret under the column. */
export function excerptAt(text: string, at: number): { line: number; column: number; sample: string } {
  const before = text.slice(0, at);
  const from = before.lastIndexOf("\n") + 1;
  const column = at - from;
  const whole = text.slice(from).split("\n")[0];
  const cut = Math.max(0, column - 24);
  return {
    line: before.split("\n").length,
    column: column + 1,
    sample: `${whole.slice(cut, column + 24)}\n${" ".repeat(column - cut)}^`,
  };
}
