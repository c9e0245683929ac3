import { createRequire } from "node:module";
import type ts from "typescript";

export type { ts };

let loaded: typeof ts | undefined;

/**
 * The TypeScript compiler's API, from tsbuilder's own dependency: version 7 has none, and the user's project may use
 * any version. Loaded on first use, because it takes longer than everything else in a command.
 */
export function typescript(): typeof ts {
  loaded ??= createRequire(import.meta.url)("typescript") as typeof ts;
  return loaded;
}
