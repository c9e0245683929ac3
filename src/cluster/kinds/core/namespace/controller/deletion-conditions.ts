import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { LooseCondition } from "../../../../control-loop/api/core.ts";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";

type Finding = readonly [type: string, holds: boolean, reason: string, message: string];

/** What is left in a namespace, by resource; resources without objects are omitted. */
export type Remaining = ReadonlyMap<ResourceName, readonly KubernetesObject[]>;

/** The conditions by which a terminating namespace reports what is left in it. */
export function deletionConditions(
  before: readonly LooseCondition[],
  remaining: Remaining,
  now: string,
): LooseCondition[] {
  const finalizers = countFinalizers(remaining);
  const findings: readonly Finding[] = [
    [
      "NamespaceDeletionDiscoveryFailure",
      false,
      "ResourcesDiscovered",
      "All resources successfully discovered",
    ],
    [
      "NamespaceDeletionGroupVersionParsingFailure",
      false,
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ],
    [
      "NamespaceDeletionContentFailure",
      false,
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ],
    remaining.size > 0
      ? [
          "NamespaceContentRemaining",
          true,
          "SomeResourcesRemain",
          `Some resources are remaining: ${list(remaining)}`,
        ]
      : ["NamespaceContentRemaining", false, "ContentRemoved", "All content successfully removed"],
    finalizers.size > 0
      ? [
          "NamespaceFinalizersRemaining",
          true,
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${listCounts(finalizers)}`,
        ]
      : [
          "NamespaceFinalizersRemaining",
          false,
          "ContentHasNoFinalizers",
          "All content-preserving finalizers finished",
        ],
  ];
  return findings.map(([type, holds, reason, message]) => {
    const status = holds ? "True" : "False";
    const last = before.find((condition) => condition.type === type);
    const lastTransitionTime = last?.status === status ? (last.lastTransitionTime ?? now) : now;
    return { type, status, lastTransitionTime, reason, message };
  });
}

function countFinalizers(remaining: Remaining): Map<string, number> {
  const counts = new Map<string, number>();
  for (const object of [...remaining.values()].flat()) {
    for (const finalizer of object.metadata.finalizers ?? []) {
      counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
    }
  }
  return counts;
}

function list(remaining: Remaining): string {
  return [...remaining]
    .map(([resource, objects]) => {
      const qualified = resource.includes(".") ? resource : `${resource}.`;
      return `${qualified} has ${objects.length} resource instances`;
    })
    .sort()
    .join(", ");
}

function listCounts(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .map(([finalizer, count]) => `${finalizer} in ${count} resource instances`)
    .sort()
    .join(", ");
}
