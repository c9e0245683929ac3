import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ChildFault, Fault } from "../contract/index.ts";
import { pathOf } from "./base.ts";
import { isLeftBehind } from "./left-behind.ts";
import { overwrite } from "./overwrite.ts";
import type { Replica } from "./replica.ts";
import type { World } from "./world.ts";

/** Sets the timers of the faults that strike at a time. */
export function scheduleFaults(world: World): void {
  for (const fault of world.faults.timed)
    world.loop.after(fault.at, () => {
      if ("child" in fault)
        void world.loop.hold(meddle(world, fault)).then((isDone) => isDone && world.note(fault));
      else if (strike(world, fault)) world.note(fault);
    });
}

/** Returns false if there is nothing to strike. */
function strike(world: World, fault: Fault & { readonly at: number }): boolean {
  if (fault.fault === "upgrade") return upgrade(world, fault.operator);
  if (fault.fault === "webhook")
    return world.replicas.some(({ operator }) => operator.name === fault.operator);
  const replica = world.replicas.find(({ name }) => "process" in fault && name === fault.process);
  if (!replica) return false;
  if (fault.fault === "clock") {
    replica.moveDate(fault.by);
    world.loop.after(fault.for, () => replica.moveDate(-fault.by));
  } else if (fault.fault === "suspend") replica.suspend(fault.for);
  else if (fault.fault === "break") breakWatches(replica);
  else if (fault.fault === "expire") world.loop.after(fault.for, () => expire(world, replica));
  return true;
}

/** The processes of the former version end, and those of the present one start. */
function upgrade(world: World, name: string): boolean {
  const replicas = world.replicas.filter(({ operator }) => operator.name === name && operator.former);
  for (const replica of replicas) replica.die({ down: 500 });
  return replicas.length > 0;
}

function breakWatches(replica: Replica): void {
  for (const feed of replica.feeds) feed.break();
}

/** What was held is lost, and the server no longer has it either: the process must list again. */
function expire(world: World, replica: Replica): void {
  world.cluster.core.store.compact();
  breakWatches(replica);
}

/** Somebody's hands on an object that a process created. Returns false if they change nothing. */
async function meddle(world: World, fault: ChildFault): Promise<boolean> {
  const child = world.children[fault.child];
  if (!child || isLeftBehind(child, world.scenario, world.objects())) return false;
  const path = pathOf(world.cluster, child);
  if (fault.fault === "delete-child") return (await world.ask("user", "DELETE", path)).status < 300;
  const current = await objectIn(world.ask("user", "GET", path));
  if (!current) return false;
  if (fault.fault === "recreate-child") return recreate(world, path, current);
  const edited = await objectIn(
    world.ask("user", "PATCH", path, overwrite(current), "application/merge-patch+json"),
  );
  return edited !== undefined && edited.metadata.resourceVersion !== current.metadata.resourceVersion;
}

/**
 * As from a backup, with the owners that it had, and the managers of its fields: else what its operator no longer applies
 * would stay. What nobody owns would be a stranger's from now on.
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
