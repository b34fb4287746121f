/** A few choices of looks, kept on the device; where it keeps nothing, the page goes without. */

/** Workers have no such storage, and the types of core/ are those of workers. */
declare const localStorage: {
  getItem: (name: string) => string | null;
  setItem: (name: string, value: string) => void;
};

export function recall(name: string): string | null {
  try {
    return localStorage.getItem(`catan-cp.${name}`);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`catan-cp.${name}`, value);
  } catch {
    // private windows keep nothing
  }
}
