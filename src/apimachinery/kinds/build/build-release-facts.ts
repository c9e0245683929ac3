import type { Lifetime, ReleaseFacts } from "../release-facts.ts";
import { type Release, releases } from "../releases.ts";
import { readFacts } from "./model.ts";

/** Builds what releases say about features and the ends of kinds, from facts/gates.txt and facts/lifetimes.txt. */
export function buildReleaseFacts(): ReleaseFacts {
  const gates: Record<string, Release[]> = {};
  const lifetimes: Record<string, Lifetime> = {};
  for (const release of releases) {
    for (const [name, [line = ""]] of readFacts("gates.txt", release))
      gates[name] = [...(gates[name] ?? []), ...(line.split(" ")[1] === "on" ? [release] : [])];
    // The newest release that knows a kind decides.
    for (const [kind, [line = ""]] of readFacts("lifetimes.txt", release)) {
      const words = line.split(" ").slice(1);
      lifetimes[kind] = Object.fromEntries(words.map((word) => word.split("="))) as Lifetime;
    }
  }
  return { gates, lifetimes };
}
