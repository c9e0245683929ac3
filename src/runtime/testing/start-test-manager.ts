import type { Client } from "../client/client.ts";
import type { KubeconfigFile } from "../config/kubeconfig-file.ts";
import { loadConfig } from "../config/load-config.ts";
import { createLogger } from "../log/create-logger.ts";
import { Manager } from "../manager/manager.ts";
import type { ManagerOptions } from "../manager/manager-options.ts";

/** A manager that runs for a test. */
export interface TestManager {
  readonly manager: Manager;
  /** Reads from the server, so that a test sees any kind without a watch. `manager.client` reads from the cache. */
  readonly client: Client;
  /** Stops the manager and waits for it; throws what failed in it since its start. */
  readonly stop: () => Promise<void>;
}

/** Adds controllers and webhooks to a manager, as a project's setup functions do. */
export type Setup = (manager: Manager) => void;

/**
 * Starts a manager with the given setups on any cluster: the embedded one gives its `kubeconfig`. Resolves when its
 * controllers have seen what is there. Errors are logged; no port is opened but for webhooks, no lease taken, no signal
 * caught.
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
  const end = manager.start();
  // A failure is told by `started` now, or by `stop` later.
  end.catch(() => {});
  await manager.started;
  return {
    manager,
    client: manager.client.with({ live: true }),
    async stop() {
      manager.stop();
      await end;
    },
  };
}
