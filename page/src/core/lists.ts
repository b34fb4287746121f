/** Sums and random orders. */

export const sumOf = (numbers: Iterable<number>): number =>
  [...numbers].reduce((sum, number) => sum + number, 0);

/** A copy in a random order. */
export function shuffled<Item>(items: Item[]): Item[] {
  const copy = [...items];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [copy[i], copy[j]] = [copy[j], copy[i]];
  }
  return copy;
}
