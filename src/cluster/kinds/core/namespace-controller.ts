import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type LooseCondition, type Namespace, namespaces, pods } from "../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import { nextTurn } from "../../control-loop/control-loop.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";

const user = userOf("namespace");

/** The maximum number of event loop turns to wait for changes in a namespace to stop. */
const patience = 200;

interface NamespaceContext extends ControllerContext {
  /** The number of events in terminating namespaces. */
  readonly activity: { changes: number };
}

/** Deletes the content of terminating namespaces, pods first, and finalizes them once nothing is left. */
export function namespaceController({ objects, clock }: ControllerContext): Controller {
  const steps = { objects, clock, activity: { changes: 0 } };
  return {
    keysOf({ resource, object }) {
      if (resource === namespaces) return [keyOf(object)];
      const name = object.metadata.namespace;
      const namespace = name ? objects.get(namespaces, undefined, name) : undefined;
      if (!namespace?.metadata.deletionTimestamp) return [];
      steps.activity.changes++;
      return [keyOf(namespace)];
    },

    async reconcile(key) {
      const namespace = findByKey(objects, namespaces, key);
      if (!namespace?.metadata.deletionTimestamp) return undefined;
      await empty(steps, contentOf(steps, namespace));
      await quiet(steps);
      const remaining = contentOf(steps, namespace);
      await writeConditions(steps, key, remaining);
      if (remaining.size === 0) await finalize(steps, key);
      return undefined;
    },
  };
}

/**
 * Waits until changes stop: each sweep lists everything that is left, and a namespace with thousands of
 * objects must not be listed for each one that is deleted.
 */
async function quiet(context: NamespaceContext): Promise<void> {
  const { activity } = context;
  let before = -1;
  for (let turns = 0; turns < patience && before !== activity.changes; turns++) {
    before = activity.changes;
    await nextTurn();
  }
}

async function empty(context: NamespaceContext, content: Remaining): Promise<void> {
  const { objects } = context;
  const first: ResourceName[] = content.has(pods) ? [pods] : [...content.keys()];
  for (const object of first.flatMap((resource) => content.get(resource) ?? [])) {
    if (object.metadata.deletionTimestamp) continue;
    await objects.delete(user, object, { uid: object.metadata.uid, propagationPolicy: "Background" });
  }
}

function contentOf(context: NamespaceContext, { metadata }: Namespace): Remaining {
  const { objects } = context;
  const deletable = objects
    .resources()
    .filter(({ namespaced, verbs }) => namespaced && verbs.includes("list") && verbs.includes("delete"));
  return new Map(
    deletable
      .map(({ resource }) => [resource, objects.list(resource, metadata.name)] as const)
      .filter(([, found]) => found.length > 0),
  );
}

async function writeConditions(context: NamespaceContext, key: string, remaining: Remaining): Promise<void> {
  const { objects, clock } = context;
  const namespace = findByKey(objects, namespaces, key);
  if (!namespace) return;
  const now = formatTime(clock.now());
  const conditions = deletionConditions(namespace.status?.conditions ?? [], remaining, now);
  const status = { ...namespace.status, phase: "Terminating", conditions };
  if (!isEqual(status, namespace.status)) await objects.update(user, { ...namespace, status }, "status");
}

type Finding = readonly [type: string, holds: boolean, reason: string, message: string];

/** The objects left in a namespace, by resource; resources without objects are omitted. */
type Remaining = ReadonlyMap<ResourceName, readonly KubernetesObject[]>;

/** The conditions in which a terminating namespace reports the objects and finalizers left in it. */
function deletionConditions(
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

async function finalize(context: NamespaceContext, key: string): Promise<void> {
  const { objects } = context;
  const namespace = findByKey(objects, namespaces, key);
  if (!namespace?.spec?.finalizers?.includes("kubernetes")) return;
  const finalizers = namespace.spec.finalizers.filter((finalizer) => finalizer !== "kubernetes");
  await objects.update(user, { ...namespace, spec: { ...namespace.spec, finalizers } }, "finalize");
}
