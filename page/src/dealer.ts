/** Deals boards, and the next one ahead: while people look at a board, the one after it is made. */

import type { Chosen, Layout, Models, RulesData } from "./data";
import { constraints, deal, type World } from "./dealing";
import type { Pattern } from "./notation";

/** What boards are asked for. */
export interface Asked {
  layout: Layout;
  chosen: Chosen;
  kept: Pattern;
}

type Dealt = ReturnType<typeof deal>;

const keyOf = ({ layout, chosen, kept }: Asked): string =>
  JSON.stringify([layout.name, chosen, constraints(layout, kept)]);

export class Dealer {
  private ahead: { key: string; control: AbortController; found: Dealt } | undefined;

  constructor(
    private readonly rules: RulesData,
    private readonly models: Models,
  ) {}

  world(layout: Layout): World {
    return { layout, rules: this.rules, models: this.models };
  }

  /** A board; the one that was dealt ahead where it is what is asked for. */
  deal(asked: Asked, signal: AbortSignal): Dealt {
    const ready = this.ahead;
    this.ahead = undefined;
    if (ready?.key === keyOf(asked)) {
      signal.addEventListener("abort", () => ready.control.abort());
      return ready.found;
    }
    ready?.control.abort();
    return deal(this.world(asked.layout), asked.chosen, asked.kept, signal);
  }

  prepare(asked: Asked): void {
    const key = keyOf(asked);
    if (this.ahead?.key === key) return;
    this.ahead?.control.abort();
    const control = new AbortController();
    const found = deal(this.world(asked.layout), asked.chosen, asked.kept, control.signal);
    found.catch(() => undefined); // it is told when somebody asks for the board
    this.ahead = { key, control, found };
  }
}
