import type { Strategy } from "../registry/resource.ts";

/** For kinds of which Go prints a status that nobody has written yet. */
export const emptyStatusStrategy: Partial<Strategy> = {
  default: (object) => void (object["status"] ??= {}),
};
