/** Values of a JSON text, with their places for messages (`catan_cp/formats/entry.py` in the library). */

import { BadNotation } from "../../core/notation";

export type Known<T> = ReadonlyMap<unknown, T>;

export class Entry {
  constructor(
    readonly value: unknown,
    private readonly place = "",
  ) {}

  static of(text: string): Entry {
    try {
      return new Entry(JSON.parse(text));
    } catch {
      throw new BadNotation(text);
    }
  }

  reject(): never {
    throw new BadNotation(`${this.place}: ${JSON.stringify(this.value)}`);
  }

  /** The value of a key. Undefined if it is missing or null. */
  get(key: string | number): Entry | undefined {
    const { value } = this;
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    const inner = (value as Record<string | number, unknown>)[key];
    return inner == null ? undefined : new Entry(inner, this.place ? `${this.place}.${key}` : `${key}`);
  }

  at(key: string | number): Entry {
    return (!Array.isArray(this.value) && this.get(key)) || this.reject();
  }

  first(...keys: string[]): Entry | undefined {
    const key = keys.find((each) => !Array.isArray(this.value) && this.get(each));
    return key === undefined ? undefined : this.get(key);
  }

  items(): [string, Entry][] {
    if (typeof this.value !== "object" || this.value === null) this.reject();
    return Object.entries(this.value as object).map(([key, value]) => [
      key,
      new Entry(value, `${this.place}.${key}`),
    ]);
  }

  entries(): Entry[] {
    return this.items().map(([, entry]) => entry);
  }

  number(least = -1000, most = 1000): number {
    const { value } = this;
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) this.reject();
    return value as number;
  }

  numbers(length: number): number[] {
    if (!Array.isArray(this.value) || this.value.length !== length) this.reject();
    return this.entries().map((entry) => entry.number());
  }

  choice<T>(known: Known<T>): T {
    return known.has(this.value) ? known.get(this.value)! : this.reject();
  }
}

export function distinct<T>(values: T[]): T[] {
  const texts = values.map(String);
  if (new Set(texts).size < texts.length) throw new BadNotation(texts.join(" "));
  return values;
}
