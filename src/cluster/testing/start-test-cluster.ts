import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Kubeconfig } from "../kubeconfig.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../start-cluster.ts";
import { loadObjects } from "./load-objects.ts";
import { putObject } from "./put-object.ts";

export interface TestClusterOptions extends ClusterOptions {
  /** CRDs to install: objects, YAML texts, or paths of files and folders; one, or several. */
  readonly crds?: string | ReadonlyArray<string | object>;
}

/** A cluster of one test suite: on a port of its own, gone when it is stopped. */
export interface TestCluster extends Cluster {
  /** The path of a file with the administrator's kubeconfig, or with another one. */
  kubeconfigFile(kubeconfig?: Kubeconfig): Promise<string>;
  /** Creates CRDs, or replaces those that are there; served when it resolves. */
  installCRDs(...sources: ReadonlyArray<string | object>): Promise<void>;
  /** Creates objects of any kind, or replaces those that are there, past all authorization. */
  install(...sources: ReadonlyArray<string | object>): Promise<KubernetesObject[]>;
}

/** Starts a cluster for tests. Suites may run side by side: each has a port and a store of its own. */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const cluster = await startCluster(options);
  const folders: string[] = [];
  const install = async (...sources: ReadonlyArray<string | object>) => {
    const objects = await loadObjects(sources);
    const stored: KubernetesObject[] = [];
    for (const object of objects) stored.push(await putObject(cluster.core, object));
    return stored;
  };
  const test: TestCluster = {
    ...cluster,
    async kubeconfigFile(kubeconfig = cluster.kubeconfig) {
      const folder = await mkdtemp(join(tmpdir(), "tsbuilder-cluster-"));
      folders.push(folder);
      const path = join(folder, "kubeconfig");
      await writeFile(path, stringify(kubeconfig), { mode: 0o600 });
      return path;
    },
    install,
    async installCRDs(...sources) {
      await install(...sources);
      await settled();
    },
    async stop() {
      await cluster.stop();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
  if (options.crds) await test.installCRDs(...[options.crds].flat());
  return test;
}

/** What a commit sets off in this process is done in the microtasks after it. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
