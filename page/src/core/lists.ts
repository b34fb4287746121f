/** Sums and random orders. */

export const sumOf = (numbers: Iterable<number>): number =>
  [...numbers].reduce((sum, number) => sum + number, 0);

/** A random integer from 0 to `n` - 1. */
export type Below = (n: number) => number;
const anyBelow: Below = (n) => Math.floor(Math.random() * n);

/** A copy in a random order. */
export function shuffled<Item>(items: Item[], below = anyBelow): Item[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}
