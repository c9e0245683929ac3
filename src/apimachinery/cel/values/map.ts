import { CelDouble } from "./double.ts";
import { EvalError } from "./eval-error.ts";
import { isInt } from "./int.ts";
import { CelUint } from "./uint.ts";
import type { Value } from "./value.ts";

/** A map with keys that are strings, bools or numbers. */
export abstract class CelMap {
  abstract readonly size: number;
  abstract find(key: Value): Value | undefined;
  abstract keys(): Value[];
}

/** A map of CEL values. Equal numbers of different types are the same key. */
export class NativeMap extends CelMap {
  readonly #entries = new Map<unknown, { readonly key: Value; readonly value: Value }>();

  constructor(entries: Iterable<readonly [Value, Value]> = []) {
    super();
    for (const [key, value] of entries) this.insert(key, value);
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: Value): Value | undefined {
    return this.#entries.get(normalizeKey(key))?.value;
  }

  keys(): Value[] {
    return Array.from(this.#entries.values(), ({ key }) => key);
  }

  /** Adds an entry; only for a map that nobody else references yet. */
  insert(key: Value, value: Value): void {
    const normalized = normalizeKey(key);
    if (normalized === undefined) throw new EvalError("unsupported key type");
    if (this.#entries.has(normalized))
      throw new EvalError(`insert failed: key ${keyText(key)} already exists`);
    this.#entries.set(normalized, { key, value });
  }
}

/** Returns a JavaScript value that is identical for equal keys; undefined for an invalid key. */
export function normalizeKey(key: Value): unknown {
  if (typeof key === "string" || typeof key === "boolean" || isInt(key)) return key;
  if (key instanceof CelUint) return key.value;
  if (!(key instanceof CelDouble)) return undefined;
  const { value } = key;
  if (!Number.isInteger(value)) return undefined;
  return Number.isSafeInteger(value) ? value + 0 : BigInt(value);
}

/** Formats a key as in messages. */
export function keyText(key: Value): string {
  if (key instanceof CelUint || key instanceof CelDouble) return String(key.value);
  return typeof key === "object" ? "" : String(key);
}
