/** The maximum number of characters of an address, in links and on the device. */
export const MOST_ADDRESS = 100_000;
/** The maximum number of bytes in a QR code: version 40 with the least error correction. */
export const MOST_CODE = 2953;
/** A text that each file of another program has. */
export const FOREIGN = /"tileHexStates"|"boardInfo"|catanlog v|"adjacent_tiles"/;
