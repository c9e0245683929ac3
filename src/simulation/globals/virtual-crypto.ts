import type { Random } from "../random/random.ts";
import { environment } from "./environment.ts";

export function randomBytes(random: Random, size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => random.integer(0, 255)));
}

/** A UUID of version 4. */
function randomUUID(random: Random): string {
  const bytes = randomBytes(random, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

type Anything = (...args: never[]) => unknown;
type Drawing = (random: Random, ...args: never[]) => unknown;

/** Functions of `node:crypto` that draw from the environment' randomness. Calls with a callback stay real. */
export const virtualCrypto: { readonly [name: string]: Drawing } = {
  randomUUID,
  randomBytes,
  randomInt: (random: Random, first: number, end?: number) =>
    end === undefined ? random.integer(0, first - 1) : random.integer(first, end - 1),
};

/** Those of the global `crypto`. */
export const virtualWebCrypto: { readonly [name: string]: Drawing } = {
  randomUUID,
  getRandomValues(random: Random, view: Uint8Array) {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    bytes.set(randomBytes(random, bytes.length));
    return view;
  },
};

/** A function that draws from the environment within a simulation, and is the real one elsewhere. */
export function drawn(real: Anything, virtual: Drawing): Anything {
  return function (this: unknown, ...args: never[]) {
    const around = environment();
    return around && typeof args.at(-1) !== "function"
      ? virtual(around.random, ...args)
      : real.apply(this, args);
  };
}
