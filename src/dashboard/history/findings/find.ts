import type { Recorded } from "../../../dev/record/recorded.ts";
import { type Finding, Findings } from "../findings.ts";

/** For tests: what is found in a record. */
export function find(recorded: readonly Recorded[], now?: number): readonly Finding[] {
  const findings = new Findings();
  for (const one of recorded) findings.add(one);
  return findings.list(now);
}

/** One record for each of several indices. */
export function each<Of>(count: number, make: (index: number) => Of): Of[] {
  return Array.from({ length: count }, (_, i) => make(i));
}
