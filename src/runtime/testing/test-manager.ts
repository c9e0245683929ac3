import { settled } from "@tsbuilder/apimachinery/time";
import type { ObjectMeta } from "@tsbuilder/apimachinery/meta";
import type { Client } from "../client/client.ts";
import type { KubeconfigFile } from "../config/kubeconfig-file.ts";
import { loadConfig } from "../config/load-config.ts";
import { createLogger } from "../log/logger.ts";
import { Manager } from "../manager/manager.ts";
import type { ManagerOptions } from "../manager/manager-options.ts";
import { type EventuallyOptions, eventually } from "./eventually.ts";
import { claimsAnnotation } from "../leader-election/member-leases.ts";
import { hasRange, noRanges, parseRanges, rangeOf } from "../shards/ranges.ts";

/** A manager that runs in a test. */
export interface TestManager {
  readonly manager: Manager;
  /** Reads from the server, so that a test can read any kind without a watch. `manager.client` reads from the cache. */
  readonly client: Client;
  /** Stops the manager and waits for it; rejects with its failures since the start. */
  readonly stop: () => Promise<void>;
}

/** Adds controllers and webhooks to a manager, like the setup functions of a project. */
export type Setup = (manager: Manager) => void;

/**
 * Starts a manager with the given setup functions on any cluster, such as the embedded one with its `kubeconfig`.
 * Resolves when its controllers have enqueued the existing objects. Errors are logged. It opens no port except for
 * webhooks, takes no lease and handles no signals.
 */
export async function startTestManager(
  cluster:
    | KubeconfigFile
    | string
    | ({ readonly kubeconfig: KubeconfigFile | string } & Partial<ManagerOptions>),
  ...setups: readonly Setup[]
): Promise<TestManager> {
  const { kubeconfig, ...options } =
    typeof cluster === "object" && "kubeconfig" in cluster ? cluster : { kubeconfig: cluster };
  const manager = new Manager({
    name: "test",
    config: () => loadConfig({ kubeconfig, env: {} }),
    logger: createLogger({ level: "error", encoder: "console", clock: options.clock }),
    gracefulShutdownTimeout: "5s",
    ...options,
  });
  for (const setup of setups) setup(manager);
  const run = manager.start();
  // A failure before the start rejects `started`, a later one rejects `stop`.
  run.catch(() => {});
  await manager.started;
  return {
    manager,
    client: manager.client.with({ live: true }),
    async stop() {
      manager.stop();
      await run;
    },
  };
}

/**
 * Resolves when all controllers of a manager are idle: no request is ready or being reconciled, and nothing is going on
 * in this process that would lead to one. Delayed requests don't count. If the cluster runs in another process, an event
 * may still be on its way from there. Rejects after the timeout.
 */
export async function untilIdle(manager: Manager, options?: EventuallyOptions): Promise<void> {
  await eventually(async () => {
    if (!manager.isIdle) return false;
    await settled();
    return manager.isIdle;
  }, options);
}

/** Returns the claims in the Lease of a process that shares the objects; undefined for other Leases. */
export function shardClaims({ metadata }: { readonly metadata: ObjectMeta }): string | undefined {
  return metadata.annotations?.[claimsAnnotation];
}

/** Returns true if such a claim covers the objects with a uid, or in a namespace. */
export function isClaimed(claims: string, uidOrNamespace: string): boolean {
  return hasRange(parseRanges(claims) ?? noRanges, rangeOf(uidOrNamespace));
}
