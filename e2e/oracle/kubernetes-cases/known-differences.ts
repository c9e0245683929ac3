import type { ComparedCase } from "./compare.ts";

/** Classes of cases whose verdict differs, each by a part of its name, with the reason. */
const known: ReadonlyArray<readonly [part: string, reason: string]> = [
  ["too complex, exceeds cost limit", "the cost of CEL selectors of devices is not estimated"],
  [
    "this cluster is not configured for dual-stack services",
    "an update that changes nothing is no write: a stored Service for both families, which this server stores none of, stays",
  ],
  ["requestPolicy", "capacities that are stored are validated again, all or none of them"],
  ["string(self.val0)", "a timestamp of CEL does not know the zone that it was written with"],
  ["taints[…].effect", "taints that are stored are validated again, all or none of them"],
];

/** Returns the reason for which a case is known to differ. */
export function knownReason({ difference }: ComparedCase): string | undefined {
  return known.find(([part]) => difference?.name.includes(part))?.[1];
}
