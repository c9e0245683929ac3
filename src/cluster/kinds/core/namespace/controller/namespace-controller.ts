import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { type Namespace, namespaces, pods } from "../../../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../../../control-loop/keys.ts";
import { nextTurn } from "../../../../control-loop/next-turn.ts";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import { deletionConditions, type Remaining } from "./deletion-conditions.ts";

const user = userOf("namespace");

/** The maximum number of event loop turns to wait for changes in a namespace to stop. */
const patience = 200;

/** What the steps of the controller work with. */
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

async function finalize(context: NamespaceContext, key: string): Promise<void> {
  const { objects } = context;
  const namespace = findByKey(objects, namespaces, key);
  if (!namespace?.spec?.finalizers?.includes("kubernetes")) return;
  const finalizers = namespace.spec.finalizers.filter((finalizer) => finalizer !== "kubernetes");
  await objects.update(user, { ...namespace, spec: { ...namespace.spec, finalizers } }, "finalize");
}
