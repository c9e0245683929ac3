import type { Duplex } from "node:stream";

/** Makes two connections one: what arrives at either goes out of the other, and both end together. */
export function joinStreams(a: Duplex, b: Duplex): void {
  a.pipe(b).pipe(a);
  // An error also closes a stream, and with it the other one.
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    one.on("error", () => undefined).once("close", () => other.destroy());
    if (one.destroyed) other.destroy();
  }
}
