import type { InProcessOptions } from "@tsbuilder/cluster";
import type { RefusalFault, Scenario, SimulatedOperator } from "../contract/index.ts";
import { refusalAnswers } from "./fault-plan.ts";
import type { World } from "./world.ts";

type ClusterObjects = Parameters<NonNullable<InProcessOptions["wrapObjects"]>>[0];
type Attempt = <R>(write: () => Promise<R>) => Promise<R>;

/**
 * Gives the cluster's controllers the objects of a run. Their writes take no virtual time, and those of the scenario's
 * `controllers` fail as the faults say. Events and heartbeats of nodes that nobody can read aren't written: they would be half of
 * all writes.
 */
export function controllerWrites(world: World, objects: ClusterObjects): ClusterObjects {
  const { controllers = [] } = world.scenario;
  const held = withAttempt(objects, (write) => world.loop.hold(write()));
  const refused = controllers.length > 0 ? withAttempt(held, (write) => attempt(world, write)) : held;
  const heard = areEventsRead(world.scenario) ? refused : withoutEvents(refused);
  return areRead(world.scenario, ["coordination.k8s.io"], "leases") ? heard : withoutHeartbeats(heard);
}

/** Returns whether an operator may read Events. */
export function areEventsRead(scenario: Scenario): boolean {
  return areRead(scenario, ["", "events.k8s.io"], "events");
}

function areRead({ operators }: Scenario, groups: readonly string[], resource: string): boolean {
  return operators.some((operator) => canRead(operator, groups, resource));
}

/** Has a function make each write. */
function withAttempt(objects: ClusterObjects, make: Attempt): ClusterObjects {
  return {
    ...objects,
    create: (...write) => make(() => objects.create(...write)),
    update: (...write) => make(() => objects.update(...write)),
    delete: (...write) => make(() => objects.delete(...write)),
  };
}

/** Makes a write of the scenario's controllers, unless a fault refuses it. */
async function attempt<R>(world: World, write: () => Promise<R>): Promise<R> {
  const refusal = world.faults.refusalOf("controllers", ++world.controllerWrites);
  if (!refusal) return write();
  world.note(refusal);
  if (refusal.done) await write();
  throw refusalError(refusal);
}

/** Makes the error of a rejected write, as the server's own errors are. The fault plan has no rejection without one. */
function refusalError({ with: refusalKind }: RefusalFault): Error {
  const [code, reason, message] = refusalAnswers[refusalKind as keyof typeof refusalAnswers];
  return Object.assign(new Error(message), { status: { code, reason } });
}

/** Returns whether the role of an operator lets it read a resource; what every manager needs besides isn't in it. */
function canRead({ rules }: SimulatedOperator, groups: readonly string[], resource: string): boolean {
  const names = (list: readonly string[] | undefined, ...wanted: string[]): boolean =>
    ["*", ...wanted].some((name) => list?.includes(name));
  return (
    !rules ||
    rules.some(
      ({ apiGroups, resources, verbs }) =>
        names(apiGroups, ...groups) && names(resources, resource) && names(verbs, "get", "list", "watch"),
    )
  );
}

function withoutEvents(objects: ClusterObjects): ClusterObjects {
  return {
    ...objects,
    create: async (user, object) => (object.kind === "Event" ? object : objects.create(user, object)),
  };
}

function withoutHeartbeats(objects: ClusterObjects): ClusterObjects {
  return {
    ...objects,
    update: async (user, object, subresource) =>
      object.kind === "Lease" ? object : objects.update(user, object, subresource),
  };
}
