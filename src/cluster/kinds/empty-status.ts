import type { Strategy } from "../registry/resource.ts";

/** For kinds whose empty status Go serializes. */
export const emptyStatusStrategy: Partial<Strategy> = {
  default: (object) => void (object["status"] ??= {}),
};
