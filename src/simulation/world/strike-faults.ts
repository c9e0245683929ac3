import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type ChildFault, type Fault, refOf, refText, type Scenario } from "../contract/index.ts";
import { pathOf } from "./base.ts";
import type { Replica } from "./replica.ts";
import type { World } from "./world.ts";

/** Sets the timers of the faults that strike at a given time. Faults that strike a request are looked up by the network. */
export function scheduleFaults(world: World): void {
  for (const fault of world.faults.timed)
    world.loop.after(fault.at, () => {
      if ("child" in fault)
        void world.loop.hold(actAsUser(world, fault)).then((isDone) => isDone && world.note(fault));
      else if (strike(world, fault)) world.note(fault);
    });
}

/** Carries out a fault. Returns false if the scenario has nothing that it could strike. */
function strike(world: World, fault: Exclude<Fault, ChildFault> & { readonly at: number }): boolean {
  switch (fault.fault) {
    case "upgrade":
      return upgrade(world, fault.operator);
    case "webhook":
      return world.replicas.some(({ operator }) => operator.name === fault.operator);
    default: {
      const replica = world.replicas.find(({ name }) => name === fault.process);
      if (replica) strikeProcess(world, replica, fault);
      return replica !== undefined;
    }
  }
}

/** Ends the processes of the former version; those of the present version start. */
function upgrade(world: World, name: string): boolean {
  const replicas = world.replicas.filter(({ operator }) => operator.name === name && operator.former);
  for (const replica of replicas) replica.die({ down: 500 });
  return replicas.length > 0;
}

function strikeProcess(world: World, replica: Replica, fault: ProcessFault): void {
  switch (fault.fault) {
    case "clock":
      replica.moveDate(fault.by);
      world.loop.after(fault.for, () => replica.moveDate(-fault.by));
      return;
    case "suspend":
      return replica.suspend(fault.for);
    case "break":
      return breakWatches(replica);
    case "expire":
      world.loop.after(fault.for, () => expire(world, replica));
      return;
    case "cut":
    case "lease":
    case "hold":
    case "crash":
    case "refuse":
    // The network looks these up.
  }
}

type ProcessFault = Extract<Fault, { readonly process: string }>;

function breakWatches(replica: Replica): void {
  for (const feed of replica.feeds) feed.break();
}

/** Drops the events that were held, and the server's own history of them, so that the process must list again. */
function expire(world: World, replica: Replica): void {
  world.cluster.core.store.compact();
  breakWatches(replica);
}

/** Deletes, overwrites or recreates an object in the name of a user. Returns false if nothing changes. */
async function actAsUser(world: World, fault: ChildFault): Promise<boolean> {
  const child = world.createdObjects[fault.child];
  if (!child || isLeftBehind(child, world.scenario, world.objects())) return false;
  const path = pathOf(world.cluster, child);
  if (fault.fault === "delete-child") return (await world.ask("user", "DELETE", path)).status < 300;
  const current = await objectIn(world.ask("user", "GET", path));
  if (!current) return false;
  if (fault.fault === "recreate-child") return recreate(world, path, current);
  const edited = await objectIn(
    world.ask("user", "PATCH", path, overwritingPatch(current), "application/merge-patch+json"),
  );
  return edited !== undefined && edited.metadata.resourceVersion !== current.metadata.resourceVersion;
}

/** Returns a merge patch that overwrites an operator's fields: a key of the data, all labels, and a number of the spec. */
function overwritingPatch(
  child: KubernetesObject & { readonly data?: object; readonly spec?: unknown },
): object {
  const [key] = Object.keys(child.data ?? {});
  const { labels = {} } = child.metadata;
  const spec = changedSpec(child);
  return {
    metadata: { labels: Object.fromEntries(Object.keys(labels).map((name) => [name, "changed-by-hand"])) },
    ...(key !== undefined && { data: { [key]: "Y2hhbmdlZA==" } }),
    ...(spec !== undefined && { spec }),
  };
}

/**
 * Returns a patch of a field of the spec that some field manager owns. A field without an owner is a default, or belongs to
 * another controller: an operator need not change it back.
 */
function changedSpec({ metadata, spec }: KubernetesObject & { readonly spec?: unknown }): object | undefined {
  const owned = (metadata.managedFields ?? []).filter(({ subresource }) => subresource === undefined);
  for (const { fieldsV1 } of owned) {
    const patch = incrementedField(
      spec,
      (fieldsV1 as { readonly "f:spec"?: unknown } | undefined)?.["f:spec"],
    );
    if (patch) return patch;
  }
  return undefined;
}

/** Adds one to the first number among the owned fields. Numbers in lists are left alone: a merge patch replaces whole lists. */
function incrementedField(value: unknown, fields: unknown): object | undefined {
  if (!isObject(value) || !isObject(fields)) return undefined;
  for (const [field, below] of Object.entries(fields)) {
    const name = field.startsWith("f:") ? field.slice(2) : "";
    const held = value[name];
    if (typeof held === "number") return { [name]: held + 1 };
    const patch = incrementedField(held, below);
    if (patch) return { [name]: patch };
  }
  return undefined;
}

/**
 * Returns true if an object is allowed to outlive (`mayStay`) the object that it was created for, and has: no operator
 * corrects it any more. It was created for the user's object with the longest name that its own name contains.
 */
export function isLeftBehind(
  child: KubernetesObject,
  { steps = [], mayStay }: Scenario,
  present: readonly KubernetesObject[],
): boolean {
  if (!mayStay?.(child) || child.metadata.ownerReferences) return false;
  const { namespace, name: own = "" } = child.metadata;
  const refs = steps.flatMap((step) => (step.do === "apply" ? [refOf(step.object)] : []));
  const [createdFor] = refs
    .filter((ref) => (ref.namespace ?? namespace) === namespace && own.includes(ref.name))
    .toSorted((a, b) => b.name.length - a.name.length);
  if (!createdFor) return false;
  const alive = present.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return !alive.some((object) => refText(refOf(object)) === refText(createdFor));
}

/**
 * Deletes an object and creates it again, as a restore from a backup does: with its owners, and with the managers of its
 * fields, since the operator could not remove fields that it no longer owns. An object without owners is left alone: its
 * operator would take the new one for another owner's.
 */
async function recreate(world: World, path: string, child: KubernetesObject): Promise<boolean> {
  const { name, namespace, labels, annotations, ownerReferences, managedFields } = child.metadata;
  if (!ownerReferences || (await world.ask("user", "DELETE", path)).status >= 300) return false;
  const metadata = { name, namespace, labels, annotations, ownerReferences };
  const { status } = await world.ask("user", "POST", path.slice(0, path.lastIndexOf("/")), {
    ...child,
    metadata,
  });
  await world.ask("user", "PATCH", path, { metadata: { managedFields } }, "application/merge-patch+json");
  return status < 300;
}

async function objectIn(answer: ReturnType<World["ask"]>): Promise<KubernetesObject | undefined> {
  const { status, body } = await answer;
  return status < 300 ? (JSON.parse(body.toString()) as KubernetesObject) : undefined;
}
