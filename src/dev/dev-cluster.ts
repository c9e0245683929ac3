import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { explainStart } from "./explain-start.ts";

/** The cluster of a session, in this process. */
export interface DevCluster {
  readonly url: string;
  /** A kubeconfig of the administrator, for kubectl and for dev itself. */
  readonly kubeconfig: string;
  /** A kubeconfig that may do what a ServiceAccount may, and no more. */
  actAs(namespace: string, serviceAccount: string): string;
  stop(): Promise<void>;
}

/** Starts the embedded cluster with all its controllers, and writes its kubeconfigs into the project's own folder. */
export async function startDevCluster(
  folder: string,
  { port, persist }: { port: number | undefined; persist: boolean },
): Promise<DevCluster> {
  const { controllerNames, startCluster } = await import("@tsbuilder/cluster");
  mkdirSync(folder, { recursive: true });
  const cluster = await startCluster({
    controllers: controllerNames,
    ...(port ? { port } : {}),
    ...(persist ? { dataDir: join(folder, "data") } : {}),
  }).catch(explainStart);
  const write = (name: string, content: object): string => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(content, undefined, 2), { mode: 0o600 });
    return file;
  };
  return {
    url: cluster.url,
    kubeconfig: write("kubeconfig", cluster.kubeconfig),
    actAs: (namespace, serviceAccount) =>
      write(
        "operator.kubeconfig",
        cluster.addUser(`system:serviceaccount:${namespace}:${serviceAccount}`, [
          "system:serviceaccounts",
          `system:serviceaccounts:${namespace}`,
          "system:authenticated",
        ]),
      ),
    stop: () => cluster.stop(),
  };
}
