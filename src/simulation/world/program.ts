// One life of an operator that runs in a process of its own: it is started, reaches the cluster by a port of this machine, and ends
// when a fault kills it. `program-port.ts` has the port.

import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { OperatorProgram, StartedProgram } from "../contract/index.ts";
import { outside } from "../globals/environment.ts";
import { leaderAnnotation, pathOf } from "./base.ts";
import type { Activity } from "./paced-loop.ts";
import { ProgramPort } from "./program-port.ts";
import type { Life, Replica, RunningLife } from "./replica.ts";
import type { World } from "./world.ts";

/** The milliseconds after which a program that doesn't watch what users change isn't taken to be starting any more. */
const longestStart = 20_000;

/** Real milliseconds from the last of its first watches until the caches are filled, and the workers run. */
const warmUp = 400;

const { setTimeout: realTimeout, clearTimeout: realClear } = globalThis;

/** Begins one life of a program. */
export function programLife(
  world: World,
  replica: Replica,
  program: OperatorProgram,
  { number }: Life,
): RunningLife {
  const activity = world.activity!;
  const isAlive = (): boolean => replica.life === number;
  let port: ProgramPort | undefined;
  let started: StartedProgram | undefined;
  // A process that compiles, or loads its libraries, sends no request yet.
  const begun = activity.begin();
  const cancel = world.loop.after(longestStart, begun);
  const endStart = (): void => {
    cancel();
    begun();
  };
  let isFollowing = false;
  let warming: ReturnType<typeof setTimeout> | undefined;
  const halt = (): void => {
    realClear(warming);
    endStart();
    outside(() => {
      started?.signal("SIGKILL");
      port?.close();
    });
    started = undefined;
    port = undefined;
    void releaseLeases(world);
  };
  const live = async (): Promise<void> => {
    const opened = await ProgramPort.open(world, replica, {
      isAlive,
      onWatch: (resource) => {
        isFollowing ||= resource === program.resource;
        realClear(warming);
        if (isFollowing) warming = realTimeout(endStart, warmUp);
      },
    });
    if (!isAlive()) return opened.close();
    port = opened;
    await new Promise<void>((_, reject) => {
      const onExit = (reason: string): void => {
        if (isAlive()) reject(new Error(`the process exited ${reason}`));
      };
      program.start(opened.url, onExit).then((one) => {
        if (!isAlive()) return one.signal("SIGKILL");
        started = one;
        if (program.webhookPaths.length > 0) serveWebhooks(replica, program.webhookPaths, one, activity);
      }, reject);
    });
  };
  return {
    get isIdle() {
      return activity.isIdle && world.disturbedUntil <= world.loop.now;
    },
    start: () => outside(live),
    stop: halt,
    halt,
    freeze: (isFrozen) => started?.signal(isFrozen ? "SIGSTOP" : "SIGCONT"),
  };
}

function serveWebhooks(
  replica: Replica,
  paths: readonly string[],
  started: StartedProgram,
  activity: Activity,
): void {
  replica.webhooks = {
    paths,
    certificate: () => undefined,
    answer: ({ path, body }) => {
      const end = activity.begin();
      return outside(() => started.callWebhook(path, JSON.stringify(body))).finally(end);
    },
  };
}

/**
 * Deletes the Leases of operators, and what serves as such: a process that was killed holds its Lease for longer than it takes to start
 * another one.
 */
async function releaseLeases(world: World): Promise<void> {
  const { store } = world.cluster.core;
  const held = ["leases.coordination.k8s.io", "configmaps", "endpoints"]
    .flatMap((name) => store.collection(name).list())
    .map(({ object }) => object as unknown as KubernetesObject)
    .filter(
      ({ kind, metadata: { namespace = "", annotations = {} } }) =>
        (kind === "Lease" && !namespace.startsWith("kube-")) || leaderAnnotation in annotations,
    );
  for (const object of held) await world.ask("installer", "DELETE", pathOf(world.cluster, object));
}
