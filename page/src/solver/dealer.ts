/**
 * Deals boards, and the next one ahead: while people look at a board, the one after it is made. That one stays on the
 * device, so that the next visit begins with it; the first visit begins with one that travels with the page. Neither
 * waits for a solver to start.
 */

import { ownOf } from "../core/constraint";
import { type Layout, type Models, type RulesData, readReady } from "../core/data";
import type { EvenBoards } from "../core/even";
import { keep, recall } from "../core/memory";
import { type Board, isOpen, notation, readNotation } from "../core/notation";
import { type Asked, modelData, presetOf } from "../core/rules";
import { constraints, deal, type World } from "./dealing";
import { abortable } from "./solver";

type Dealt = ReturnType<typeof deal>;

const keyOf = ({ layout, chosen, kept }: Asked): string =>
  JSON.stringify([layout.name, chosen, constraints(layout, kept)]);

export class Dealer {
  private readonly shown = new Set<string>();
  private ahead: { key: string; control: AbortController; found: Dealt; done: boolean } | undefined;

  constructor(
    private readonly rules: RulesData,
    private readonly models: Models,
    private readonly evenBoards: EvenBoards,
    /** The board in index.html, as a notation. */
    private first?: string,
  ) {}

  world(layout: Layout): World {
    return { layout, rules: this.rules, models: this.models };
  }

  /**
   * A board; the one that was dealt ahead where it is what is asked for. As long as that is not there, as where the solver
   * still starts, one that travels with the page.
   */
  async deal(asked: Asked, signal: AbortSignal): Dealt {
    if (asked.even) return { board: this.nextEven() };
    const ready = this.ahead;
    if (ready?.key === keyOf(asked)) {
      const other = ready.done ? undefined : await this.takeReady(asked);
      if (other) return other;
      if (this.ahead === ready) this.ahead = undefined;
      ready.found.then(
        () => this.forget(asked),
        () => undefined,
      );
      return await abortable(ready.found, signal, () => ready.control.abort());
    }
    this.ahead = undefined;
    ready?.control.abort();
    const given = this.takeStored(asked) ?? (await this.takeReady(asked));
    return given ?? (await deal(this.world(asked.layout), asked.chosen, asked.kept, signal));
  }

  /** A board that travels with the page, each once; undefined where there is none for what is asked. */
  private async takeReady({ layout, chosen, kept }: Asked): Promise<{ board: Board } | undefined> {
    const preset = isOpen(kept) && !ownOf(chosen).length ? presetOf(chosen, layout, this.rules) : undefined;
    if (preset !== undefined) {
      try {
        const line = await this.readyLine(layout.name, preset);
        if (line !== undefined) {
          const board = readNotation(line, layout);
          this.shown.add(line);
          return { board };
        }
      } catch {
        // what travels with the page did not arrive, and the solver does the work
      }
    }
    return undefined;
  }

  /** The first visit begins with the board in index.html. */
  private nextEven(): Board {
    const { first, evenBoards } = this;
    const isFirst = first !== undefined && recall("visited") === null;
    this.first = undefined;
    keep("visited", "yes");
    return isFirst ? readNotation(first, evenBoards.layout) : evenBoards.next();
  }

  /** A board at random that was not shown yet. */
  private async readyLine(name: string, preset: string): Promise<string | undefined> {
    const boards = ((await readReady(name))[preset] ?? []).filter((line) => !this.shown.has(line));
    return boards[Math.floor(Math.random() * boards.length)];
  }

  prepare(asked: Asked): void {
    if (asked.even) return;
    const key = keyOf(asked);
    if (this.ahead?.key === key) return;
    this.ahead?.control.abort();
    const control = new AbortController();
    const found = deal(this.world(asked.layout), asked.chosen, asked.kept, control.signal);
    const ahead = { key, control, found, done: false };
    found.then(
      (answer) => {
        ahead.done = true;
        if ("board" in answer) this.store(asked, notation(answer.board));
      },
      () => {
        ahead.done = true; // it is told when somebody asks for the board
      },
    );
    this.ahead = ahead;
  }

  /** What tells tasks apart: all that the models are given, but for the randomness; and the models themselves. */
  private nameOf({ layout, chosen, kept }: Asked): string {
    const given = [
      layout.name,
      modelData(chosen, layout, this.rules),
      constraints(layout, kept),
      ownOf(chosen),
      this.models,
    ];
    return hash(JSON.stringify(given));
  }

  private store(asked: Asked, line: string): void {
    const others = stored().filter(([name]) => name !== this.nameOf(asked));
    keep("next", JSON.stringify([[this.nameOf(asked), line], ...others].slice(0, STORED)));
  }

  /** The board that was dealt ahead for the same task, which is then no longer stored: each is shown once. */
  private takeStored(asked: Asked): { board: Board } | undefined {
    const name = this.nameOf(asked);
    const line = stored().find((each) => each[0] === name)?.[1];
    if (line === undefined) return undefined;
    this.forget(asked);
    try {
      return { board: readNotation(line, asked.layout) };
    } catch {
      return undefined; // no board that is known here: the solver makes one
    }
  }

  private forget(asked: Asked): void {
    const name = this.nameOf(asked);
    keep("next", JSON.stringify(stored().filter((each) => each[0] !== name)));
  }
}

const STORED = 4;

/** Names of tasks, and a board for each, the last one first; none where somebody else wrote there. */
function stored(): [string, string][] {
  try {
    const found = JSON.parse(recall("next") ?? "[]") as [string, string][];
    return Array.isArray(found) ? found.filter((each) => Array.isArray(each)) : [];
  } catch {
    return [];
  }
}

/** FNV-1a, in two halves of 32 bits that start apart: it tells tasks apart, and keeps no secret. */
function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x01000193);
  }
  return [a, b].map((half) => (half >>> 0).toString(16)).join("-");
}
