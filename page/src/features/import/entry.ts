/** Values of a JSON text, with their places for messages (`catan_cp/formats/entry.py` in the library). */

import { BadNotation } from "../../core/notation";

export type Known<T> = ReadonlyMap<unknown, T>;

const LINE_END = /[\p{Cc}\p{Zl}\p{Zp}]/u;

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

  /** The value of a key of an object. Undefined if it is missing or null. */
  get(key: string): Entry | undefined {
    const { value } = this;
    if (typeof value !== "object" || value === null || Array.isArray(value)) this.reject();
    const inner = Object.hasOwn(value as object, key) ? (value as Record<string, unknown>)[key] : null;
    return inner == null ? undefined : new Entry(inner, this.place ? `${this.place}.${key}` : `${key}`);
  }

  at(key: string): Entry {
    return this.get(key) ?? this.reject();
  }

  first(...keys: string[]): Entry | undefined {
    const key = keys.find((each) => this.get(each));
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

  /** A name of one line. */
  text(): string {
    if (typeof this.value !== "string" || LINE_END.test(this.value)) this.reject();
    return (this.value as string).slice(0, 40);
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
