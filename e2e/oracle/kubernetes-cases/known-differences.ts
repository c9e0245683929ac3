import type { ComparedCase } from "./compare.ts";

/** Classes of cases whose verdict differs, each by a part of its name, with the reason. */
const known: ReadonlyArray<readonly [part: string, reason: string]> = [
  ["too complex, exceeds cost limit", "the cost of CEL selectors of devices is not estimated"],
  [
    "this cluster is not configured for dual-stack services",
    "an update that changes nothing is no write: a stored Service for both families, which this server stores none of, stays",
  ],
  [
    "webhookClientConfig.caBundle",
    "a CRD is established at once, and from then on its bundle must be usable",
  ],
  [
    "gang.minCount",
    "a stored Job has `scheduling` only if that feature was on, and its rules are not followed here",
  ],
  [
    "nodeAllocatableResourceClaimStatuses",
    "stored statuses of a feature that is off are dropped by an update, not kept and validated",
  ],
  ["must be 'RollingUpdate' or 'OnDelete'", "a stored `Recreate`, whose feature is off, does not stay valid"],
  ["requestPolicy", "capacities that are stored are validated again, all or none of them"],
  ["taints[…].effect", "taints that are stored are validated again, all or none of them"],
  ["only cpu and memory resources are mutable", "since 1.37, a resize defaults the resources of the pod"],
  [
    "Pod QOS Class may not change as a result of resizing",
    "since 1.37, a resize defaults the resources of the pod",
  ],
  [
    "must not be empty for specified object fields",
    "CRDs of v1beta1, which this server has never stored, may keep a schema that is not structural",
  ],
];

/** Returns the reason for which a case is known to differ. */
export function knownReason({ difference }: ComparedCase): string | undefined {
  return known.find(([part]) => difference?.name.includes(part))?.[1];
}
