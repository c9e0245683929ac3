import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type LeftOut, refOf, refText, type Run } from "../contract/index.ts";

/**
 * What the cluster's own controllers made in two runs: revisions of a StatefulSet, its volumes and pods, the status of a
 * Job. It follows from what operators and users wrote, and from the way to it. What an operator wrote to in one of the
 * runs counts.
 */
export function derivedIn(one: Run, other: Run): LeftOut {
  const statuses = new Set([one, other].flatMap(({ derived }) => [...derived.statuses].map(refTextOf)));
  const all = [...one.state.objects, ...other.state.objects];
  return {
    objects: new Set([...derivedBeside(one, other), ...derivedBeside(other, one)]),
    statuses: new Set(all.filter((object) => statuses.has(refTextOf(object)))),
    formerUids: new Map([...formerUids(one), ...formerUids(other)]),
  };
}

/** Of all objects that there were: what outlives one may name its uid. */
function formerUids({ trace }: Run): (readonly [string, string])[] {
  return trace.flatMap((event) =>
    event.type === "change" && event.change === "ADDED"
      ? [[event.uid, `uid of a former ${event.resource} ${event.key}`] as const]
      : [],
  );
}

function derivedBeside({ derived }: Run, other: Run): KubernetesObject[] {
  const counted = new Set(
    other.state.objects.filter((object) => !other.derived.objects.has(object)).map(refTextOf),
  );
  return [...derived.objects].filter((object) => !counted.has(refTextOf(object)));
}

function refTextOf(object: KubernetesObject): string {
  return refText(refOf(object));
}
