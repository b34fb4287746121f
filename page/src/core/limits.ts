/** The maximum number of characters of an address. */
export const MOST_ADDRESS = 100_000;
