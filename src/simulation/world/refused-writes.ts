import type { InProcessOptions } from "@tsbuilder/cluster";
import type { RefusalFault } from "../contract/index.ts";
import { refusalAnswers } from "./refusal-answers.ts";
import type { World } from "./world.ts";

type ClusterObjects = Parameters<NonNullable<InProcessOptions["wrapObjects"]>>[0];

/** The cluster's objects for its controllers, some of whose writes fail, as the faults say. */
export function refusing(world: World, objects: ClusterObjects): ClusterObjects {
  const attempt = async <R>(write: () => Promise<R>): Promise<R> => {
    const refusal = world.faults.refusalOf("controllers", ++world.controllerWrites);
    if (!refusal) return write();
    world.note(refusal);
    if (refusal.done) await write();
    throw errorOf(refusal);
  };
  return {
    ...objects,
    create: (...write) => attempt(() => objects.create(...write)),
    update: (...write) => attempt(() => objects.update(...write)),
    delete: (...write) => attempt(() => objects.delete(...write)),
  };
}

/** As the server's own errors; the plan of the faults admits no others. */
function errorOf({ with: how }: RefusalFault): Error {
  const [code, reason, message] = refusalAnswers[how as keyof typeof refusalAnswers];
  return Object.assign(new Error(message), { status: { code, reason } });
}
