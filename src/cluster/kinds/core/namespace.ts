import { invalid } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import { type LooseCondition, type Namespace, namespaces, pods } from "../../control-loop/api/core.ts";
import { nextTurn } from "../../control-loop/control-loop.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { text } from "../cells.ts";
import { forbidden } from "../../contract/status-error.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { labelName } from "../../registry/validate-metadata.ts";
import { resetStatusAlone } from "../../registry/default-strategy.ts";
import { fillIn } from "../fill-in.ts";
import { type Problems, checked } from "../checks/problems.ts";

const undeletableNamespaces = new Set(["default", "kube-system", "kube-public"]);

export const namespace: BuiltInKind<"namespace"> = {
  resource: "namespaces",
  metadataChecks: { update: ["new", "update"] },
  /**
   * Namespaces are kept by `spec.finalizers`: deletion sets the phase Terminating, and they are removed once
   * the namespace controller has emptied and finalized them.
   */
  strategy: {
    statusWritesMetadata: true,
    validateName: labelName,
    prepareForCreate(object) {
      const finalizers = finalizersOf(object);
      const kept = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
      object["spec"] = { finalizers: kept };
      object["status"] = { phase: "Active" };
    },
    default(object) {
      const { metadata } = object;
      if (metadata.name) {
        metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
      }
      fillIn(object["status"], () => ({ phase: "Active" }));
    },
    prepareForUpdate(object, old, { subresource }) {
      if (subresource === "") object["spec"] = old["spec"];
    },
    validate: (object) => finalizersOf(object).flatMap((name) => [...nameProblems("spec.finalizers", name)]),
    validateUpdate: (object, _old, { subresource }) => [...finalizerChangeProblems(object, subresource)],
    resetFields(object, old, subresource) {
      if (subresource === "finalize") {
        const spec = object["spec"];
        Object.assign(object, { ...old, metadata: { ...old!.metadata }, spec });
        return;
      }
      resetStatusAlone(object, old, subresource);
    },
    isHeld: (object) => finalizersOf(object).length > 0,
    markDeleted: (object) => ({
      ...object,
      status: { ...(object["status"] as object | undefined), phase: "Terminating" },
    }),
    beforeDelete(object) {
      const { name } = object.metadata;
      if (undeletableNamespaces.has(name!)) {
        throw forbidden(
          { group: "", plural: "namespaces", kind: "Namespace" },
          name!,
          "this namespace may not be deleted",
        );
      }
    },
  },
  cells: { Status: text("status.phase") },
  controllers: { namespace: namespaceController },
};

function finalizersOf({ spec }: ApiObject): string[] {
  return (spec as { finalizers?: string[] } | undefined)?.finalizers ?? [];
}

function* finalizerChangeProblems(object: ApiObject, subresource: string): Problems {
  if (subresource === "status") return yield* phaseProblems(object);
  for (const [index, name] of finalizersOf(object).entries()) {
    yield* nameProblems(subresource === "finalize" ? `spec.finalizers[${index}]` : "spec.finalizers", name);
  }
}

/** The names that a finalizer without a domain may have. */
const standardFinalizers = new Set(["foregroundDeletion", "kubernetes", "orphan"]);

function* nameProblems(field: string, name: string): Problems {
  yield* checked(field, name, checkQualifiedName);
  if (name.includes("/") || standardFinalizers.has(name)) return;
  yield invalid(field, name, "name is neither a standard finalizer name nor is it fully qualified");
}

function* phaseProblems(object: ApiObject): Problems {
  const { phase = "" } = (object["status"] ?? {}) as { phase?: string };
  const isDeleted = object.metadata.deletionTimestamp !== undefined;
  const [expectedPhase, not] = isDeleted ? ["Terminating", " not"] : ["Active", ""];
  if (phase === expectedPhase) return;
  yield invalid(
    "status.Phase",
    phase,
    `may only be '${expectedPhase}' if \`deletionTimestamp\` is${not} empty`,
  );
}

const user = userOf("namespace");

/** The maximum number of event loop turns to wait for changes in a namespace to stop. */
const mostTurns = 200;

/** The objects left in a namespace, by resource; resources without objects are omitted. */
type NamespaceContent = ReadonlyMap<ResourceName, readonly KubernetesObject[]>;

/** Deletes the content of terminating namespaces, pods first, and finalizes them once nothing is left. */
function namespaceController({ objects, clock }: ControllerContext): Controller {
  /** The number of events in terminating namespaces. */
  let changes = 0;
  return {
    keysOf({ resource, object }) {
      if (resource === namespaces) return [keyOf(object)];
      const name = object.metadata.namespace;
      const found = name ? objects.get(namespaces, undefined, name) : undefined;
      if (!found?.metadata.deletionTimestamp) return [];
      changes++;
      return [keyOf(found)];
    },

    async reconcile(key) {
      const found = findByKey(objects, namespaces, key);
      if (!found?.metadata.deletionTimestamp) return undefined;
      await deleteContent(contentOf(found));
      await waitForQuiet();
      const remaining = contentOf(found);
      await writeConditions(key, remaining);
      if (remaining.size === 0) await finalize(key);
      return undefined;
    },
  };

  /**
   * Waits until changes stop: each sweep lists everything that is left, and a namespace with thousands of
   * objects must not be listed for each one that is deleted.
   */
  async function waitForQuiet(): Promise<void> {
    let before = -1;
    for (let turns = 0; turns < mostTurns && before !== changes; turns++) {
      before = changes;
      await nextTurn();
    }
  }

  async function deleteContent(content: NamespaceContent): Promise<void> {
    const first: ResourceName[] = content.has(pods) ? [pods] : [...content.keys()];
    for (const object of first.flatMap((resource) => content.get(resource) ?? [])) {
      if (object.metadata.deletionTimestamp) continue;
      await objects.delete(user, object, { uid: object.metadata.uid, propagationPolicy: "Background" });
    }
  }

  function contentOf({ metadata }: Namespace): NamespaceContent {
    const deletable = objects
      .resources()
      .filter(({ namespaced, verbs }) => namespaced && verbs.includes("list") && verbs.includes("delete"));
    return new Map(
      deletable
        .map(({ resource }) => [resource, objects.list(resource, metadata.name)] as const)
        .filter(([, found]) => found.length > 0),
    );
  }

  async function writeConditions(key: string, remaining: NamespaceContent): Promise<void> {
    const found = findByKey(objects, namespaces, key);
    if (!found) return;
    const now = formatTime(clock.now());
    const conditions = deletionConditions(found.status?.conditions ?? [], remaining, now);
    const status = { ...found.status, phase: "Terminating", conditions };
    if (!isEqual(status, found.status)) await objects.update(user, { ...found, status }, "status");
  }

  async function finalize(key: string): Promise<void> {
    const found = findByKey(objects, namespaces, key);
    if (!found?.spec?.finalizers?.includes("kubernetes")) return;
    const finalizers = found.spec.finalizers.filter((name) => name !== "kubernetes");
    await objects.update(user, { ...found, spec: { ...found.spec, finalizers } }, "finalize");
  }
}

type ConditionFinding = readonly [type: string, holds: boolean, reason: string, message: string];

/** The conditions in which a terminating namespace reports the objects and finalizers left in it. */
function deletionConditions(
  before: readonly LooseCondition[],
  remaining: NamespaceContent,
  now: string,
): LooseCondition[] {
  const left = [...remaining].map(describe).sort().join(", ");
  const finalizers = [...countFinalizers(remaining)]
    .map(([finalizer, count]) => `${finalizer} in ${count} resource instances`)
    .sort()
    .join(", ");
  const findings: readonly ConditionFinding[] = [
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
      ? ["NamespaceContentRemaining", true, "SomeResourcesRemain", `Some resources are remaining: ${left}`]
      : ["NamespaceContentRemaining", false, "ContentRemoved", "All content successfully removed"],
    finalizers !== ""
      ? [
          "NamespaceFinalizersRemaining",
          true,
          "SomeFinalizersRemain",
          `Some content in the namespace has finalizers remaining: ${finalizers}`,
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

function countFinalizers(remaining: NamespaceContent): Map<string, number> {
  const counts = new Map<string, number>();
  for (const object of [...remaining.values()].flat()) {
    for (const finalizer of object.metadata.finalizers ?? []) {
      counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
    }
  }
  return counts;
}

function describe([resource, objects]: [resource: ResourceName, objects: readonly unknown[]]): string {
  const qualified = resource.includes(".") ? resource : `${resource}.`;
  return `${qualified} has ${objects.length} resource instances`;
}
