import type { Random } from "../random/random.ts";
import { environment } from "./environment.ts";
import { inContext } from "./in-context.ts";

export function randomBytes(random: Random, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at < size; at++) bytes[at] = random.integer(0, 255);
  return bytes;
}

/** A UUID of version 4. */
function randomUUID(random: Random): string {
  const bytes = randomBytes(random, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

type Anything = (...args: never[]) => unknown;
type Drawing = (random: Random, ...args: never[]) => unknown;

/** Fills a part of a buffer, counted as Node does: in bytes, or in items of a typed array. */
function randomFill<V extends ArrayBufferView>(random: Random, view: V, offset = 0, size?: number): V {
  const width = "BYTES_PER_ELEMENT" in view ? (view.BYTES_PER_ELEMENT as number) : 1;
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const from = offset * width;
  const length = size === undefined ? bytes.length - from : size * width;
  bytes.set(randomBytes(random, length), from);
  return view;
}

function getRandomValues<V extends ArrayBufferView>(random: Random, view: V): V {
  return randomFill(random, view);
}

/** Functions of `node:crypto` that draw from the environment's randomness. */
export const virtualCrypto: { readonly [name: string]: Drawing } = {
  randomUUID,
  randomBytes,
  randomInt: (random: Random, first: number, end?: number) =>
    end === undefined ? random.integer(0, first - 1) : random.integer(first, end - 1),
  randomFill,
  randomFillSync: randomFill,
};

/** Those of the global `crypto`, which `node:crypto` takes `getRandomValues` from. */
export const virtualWebCrypto: { readonly [name: string]: Drawing } = {
  randomUUID,
  getRandomValues,
};

/** A function that draws from the environment within a simulation, and is the real one elsewhere. */
export function drawn(real: Anything, virtual: Drawing): Anything {
  return function (this: unknown, ...args: never[]) {
    const around = environment();
    if (!around) return real.apply(this, args);
    const callback: unknown = args.at(-1);
    if (typeof callback !== "function") return virtual(around.random, ...args);
    const value = virtual(around.random, ...args.slice(0, -1));
    around.enqueue(inContext(() => void callback(null, value)));
    return undefined;
  };
}
