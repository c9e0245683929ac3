import { createRequire } from "node:module";
import type ts from "typescript";

export type { ts };

let loaded: typeof ts | undefined;

/**
 * The TypeScript compiler's API, from tsbuilder's own dependency: version 7 has none, and the user's project may use
 * any version. It is loaded on first use, because it costs more than everything else a command does.
 */
export function typescript(): typeof ts {
  loaded ??= createRequire(import.meta.url)("typescript") as typeof ts;
  return loaded;
}
