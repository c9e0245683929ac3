import type { Exploration, ExploreOptions } from "../explore/index.ts";

/** What an exploration did, for a person to read. */
export function summaryOf({ runs, crashPoints }: Exploration, { from = 1 }: ExploreOptions): string {
  const { all, missed } = crashPoints;
  const died = `processes died at ${all.length - missed.length} of ${all.length} kinds of writes`;
  const rest = missed.length > 0 ? `, but not at ${missed.join(", ")}` : "";
  return `explored ${runs} disturbed runs from seed ${from}; ${died}${rest}`;
}
