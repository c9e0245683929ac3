import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Admission } from "./admission/admission.ts";
import { namespaceLifecycle } from "./admission/namespace-lifecycle.ts";
import { type Clock, systemClock } from "./clock/index.ts";
import { authenticationFilter } from "./filters/authentication.ts";
import { errorsFilter } from "./filters/errors.ts";
import { type Kubeconfig, kubeconfigOf } from "./kubeconfig.ts";
import { addBuiltIns } from "./registry/built-in/add-built-ins.ts";
import { bootstrap } from "./registry/bootstrap.ts";
import type { Core, User } from "./registry/core.ts";
import { Definitions } from "./registry/custom/definitions.ts";
import { Registry } from "./registry/registry.ts";
import { apiHandler } from "./server/api-handler.ts";
import { compose } from "./server/request-context.ts";
import { serve } from "./server/serve.ts";
import { Store } from "./storage/store.ts";

export interface ClusterOptions {
  /** 0, the default, takes a free port. The server listens on loopback only. */
  readonly port?: number;
  readonly clock?: Clock;
  /** Gets what the server could not foresee; by default it goes to standard error. */
  readonly onError?: (error: unknown) => void;
}

/** A running cluster. */
export interface Cluster {
  readonly url: string;
  /** Of an administrator. */
  readonly kubeconfig: Kubeconfig;
  readonly core: Core;
  /** A kubeconfig for a user of any name and groups. */
  addUser(name: string, groups?: readonly string[]): Kubeconfig;
  stop(): Promise<void>;
}

/** Starts an API server on loopback, in this process. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const { port = 0, clock = systemClock, onError = reportError } = options;
  const store = new Store();
  const registry = new Registry(store);
  addBuiltIns(registry);
  const admission = new Admission([namespaceLifecycle(store)]);
  const core: Core = { store, registry, clock, admission };
  await bootstrap(core);
  const definitions = new Definitions(registry, store, clock);

  const tokens = new Map<string, User>();
  const handler = compose(
    [errorsFilter(onError), authenticationFilter((token) => tokens.get(token))],
    apiHandler(core),
  );
  const server = createServer({ keepAliveTimeout: 60_000 }, serve(handler));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const addUser = (name: string, groups: readonly string[] = []) => {
    const token = randomBytes(24).toString("base64url");
    tokens.set(token, { name, groups });
    return kubeconfigOf({ server: url, user: name, token });
  };
  void definitions;
  return {
    url,
    core,
    kubeconfig: addUser("kubernetes-admin", ["system:masters"]),
    addUser,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function reportError(error: unknown): void {
  process.stderr.write(`cluster: ${error instanceof Error ? error.stack : String(error)}\n`);
}
