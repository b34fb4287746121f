/** Values that the device stores, if it stores any. */

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
    // private windows store nothing
  }
}

/** A stored list; empty if nothing readable is stored. */
export function recallList(name: string): unknown[] {
  try {
    const list: unknown = JSON.parse(recall(name) ?? "[]");
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/** The stored language, otherwise the first one of the browser that is among the names, otherwise English. */
export function preferredLanguage(names: object): string {
  const codes = [recall("language"), ...navigator.languages.map((name) => name.slice(0, 2))];
  return codes.find((code) => code !== null && code in names) ?? "en";
}
