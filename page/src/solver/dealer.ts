/**
 * Generates boards. While a board is shown, the next one is generated and stored on the device, so the next visit does not
 * wait for the solver. The first visit starts with a board that comes with the page.
 */

import { ownOf } from "../core/constraint";
import { type Layout, type Models, type RulesData, readReady } from "../core/data";
import type { EvenBoards } from "../core/even";
import { shuffled } from "../core/lists";
import { keep, recall, recallList } from "../core/memory";
import { type Board, isOpen, notation, readNotation } from "../core/notation";
import { type Asked, modelData, presetOf } from "../core/rules";
import { constraints, deal, type World } from "./dealing";
import { abortable } from "./solver";

type Dealt = ReturnType<typeof deal>;

const keyOf = ({ layout, chosen, kept }: Asked): string =>
  JSON.stringify([layout.name, chosen, constraints(layout, kept)]);

export class Dealer {
  private readonly shown = new Set<string>();
  private ahead: { key: string; control: AbortController; answer: Dealt; done: boolean } | undefined;

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

  /** A board: the one that was generated in advance for this task, or one that comes with the page, or a new one. */
  async deal(asked: Asked, signal: AbortSignal): Dealt {
    if (asked.even) return { board: this.nextEven() };
    const ready = this.ahead;
    if (ready?.key === keyOf(asked)) {
      const other = ready.done ? undefined : await this.takeReady(asked);
      if (other) return other;
      if (this.ahead === ready) this.ahead = undefined;
      ready.answer.then(
        () => this.forget(asked),
        () => undefined,
      );
      return await abortable(ready.answer, signal, () => ready.control.abort());
    }
    this.ahead = undefined;
    ready?.control.abort();
    const given = this.takeStored(asked) ?? (await this.takeReady(asked));
    return given ?? (await deal(this.world(asked.layout), asked.chosen, asked.kept, signal));
  }

  /** A board that comes with the page, each once. Undefined if the task has none. */
  private async takeReady({ layout, chosen, kept }: Asked): Promise<{ board: Board } | undefined> {
    const preset = isOpen(kept) && !ownOf(chosen).length ? presetOf(chosen, layout, this.rules) : undefined;
    if (preset === undefined) return undefined;
    try {
      const boards = (await readReady(layout.name))[preset] ?? [];
      const [line] = shuffled(boards.filter((board) => !this.shown.has(board)));
      if (line === undefined) return undefined;
      const board = readNotation(line, layout);
      this.shown.add(line);
      return { board };
    } catch {
      return undefined; // the file did not arrive, so the solver makes a board
    }
  }

  /** The first visit begins with the board in index.html. */
  private nextEven(): Board {
    const { first, evenBoards } = this;
    const isFirst = first !== undefined && recall("visited") === null;
    this.first = undefined;
    keep("visited", "yes");
    return isFirst ? readNotation(first, evenBoards.layout) : evenBoards.next();
  }

  prepare(asked: Asked): void {
    if (asked.even) return;
    const key = keyOf(asked);
    if (this.ahead?.key === key) return;
    this.ahead?.control.abort();
    const control = new AbortController();
    const answer = deal(this.world(asked.layout), asked.chosen, asked.kept, control.signal);
    const ahead = { key, control, answer, done: false };
    answer.then(
      (answer) => {
        ahead.done = true;
        if ("board" in answer) this.store(asked, notation(answer.board));
      },
      () => {
        ahead.done = true; // the request for the board reports it
      },
    );
    this.ahead = ahead;
  }

  /** The name of a task: a hash of the models and their data, without the random values. */
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
    const rest = stored().filter(([name]) => name !== this.nameOf(asked));
    keep("next", JSON.stringify([[this.nameOf(asked), line], ...rest].slice(0, STORED)));
  }

  /** The stored board of the task, which is then removed, so each is shown once. */
  private takeStored(asked: Asked): { board: Board } | undefined {
    const name = this.nameOf(asked);
    const line = stored().find((each) => each[0] === name)?.[1];
    if (line === undefined) return undefined;
    this.forget(asked);
    try {
      return { board: readNotation(line, asked.layout) };
    } catch {
      return undefined; // the solver makes a board
    }
  }

  private forget(asked: Asked): void {
    const name = this.nameOf(asked);
    keep("next", JSON.stringify(stored().filter((each) => each[0] !== name)));
  }
}

const STORED = 4;

/** Names of tasks, each with a board, the last one first. */
const stored = () => recallList("next").filter((entry) => Array.isArray(entry)) as [string, string][];

/** FNV-1a, in two halves of 32 bits with different starts. */
function hash(text: string): string {
  let [a, b] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    a = Math.imul(a ^ text.charCodeAt(i), 0x01000193);
    b = Math.imul(b ^ text.charCodeAt(i), 0x01000193);
  }
  return [a, b].map((half) => (half >>> 0).toString(16)).join("-");
}
