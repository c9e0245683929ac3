// Clusters for tests: embedded, or with `TSBUILDER_TEST_ASSETS` a real API server from the folder `real`. `send.ts` is the
// HTTP client of this repository's own tests.

import { setImmediate } from "node:timers";
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { type KubernetesObject, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { copyJSON } from "@tsbuilder/apimachinery/json";
import type { Kubeconfig } from "../auth/credentials.ts";
import { type Cluster, type ClusterOptions, startCluster } from "../start-cluster.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { OpenCluster } from "./open-cluster.ts";
import type { Core } from "../registry/core.ts";
import { createObject } from "../registry/create-object.ts";
import { updateObject } from "../registry/update-object.ts";
import { keyOfWrite, ownWrite } from "../registry/write.ts";

/** Options of `startTestCluster`. */
export interface TestClusterOptions extends ClusterOptions {
  /** CRDs to install: one or several objects, YAML texts, or paths of files and folders. */
  readonly crds?: string | ReadonlyArray<string | object>;
}

/** The cluster of one test suite, on its own port. */
export interface TestCluster extends Cluster {
  /** Writes a kubeconfig to a file and returns its path. Default: the administrator's. */
  kubeconfigFile(kubeconfig?: Kubeconfig): Promise<string>;
  /** Creates or replaces CRDs, and resolves when they are served. */
  installCRDs(...sources: ReadonlyArray<string | object>): Promise<void>;
  /** Creates or replaces objects of any kind, without authorization. */
  install(...sources: ReadonlyArray<string | object>): Promise<KubernetesObject[]>;
}

/** The environment variable with the folder of a real kube-apiserver and etcd; `tsbuilder test --real` sets it. */
const assetsVariable = "TSBUILDER_TEST_ASSETS";

/**
 * Starts a cluster for tests. Suites can run side by side: each cluster has its own port and store. It is the embedded
 * cluster, or a real API server if `TSBUILDER_TEST_ASSETS` is set.
 */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { crds = [], ...clusterOptions } = options;
  const assets = process.env[assetsVariable];
  const { cluster, put, served } = assets
    ? await (await import("./real/start-real-cluster.ts")).startRealCluster(assets, clusterOptions)
    : await startEmbedded(clusterOptions);
  const folders: string[] = [];
  const install = async (...sources: ReadonlyArray<string | object>): Promise<ApiObject[]> => {
    const stored: ApiObject[] = [];
    for (const object of await loadObjects(sources)) stored.push(await put(object));
    return stored;
  };
  const testCluster: TestCluster = {
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
      for (const definition of await install(...sources)) await served(definition);
    },
    async stop() {
      await cluster.stop();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await testCluster.installCRDs(...[crds].flat());
    return testCluster;
  } catch (error) {
    await testCluster.stop();
    throw error;
  }
}

/** Loads objects from values, YAML texts, files and folders; the files of a folder are sorted by name. */
export async function loadObjects(sources: ReadonlyArray<string | object>): Promise<ApiObject[]> {
  const objects: ApiObject[] = [];
  for (const source of sources) {
    if (typeof source === "object") objects.push(structuredClone(source) as ApiObject);
    else if (source.includes("\n")) objects.push(...parseObjects(source));
    else for (const text of await readPath(source)) objects.push(...parseObjects(text));
  }
  return objects;
}

/** Reads a file, or the manifests of a folder. */
async function readPath(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [await readFile(path, "utf8")];
  const names = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
  return Promise.all(names.map((name) => readFile(join(path, name), "utf8")));
}

/** Parses the objects of a YAML text, without Kustomizations and documents without an apiVersion, such as empty ones. */
function parseObjects(text: string): ApiObject[] {
  const values = parseYaml(text) as (ApiObject | null)[];
  return values.filter(
    (value): value is ApiObject => typeof value?.apiVersion === "string" && value.kind !== "Kustomization",
  );
}

/** Parses the documents of a YAML text. */
export function parseYaml(text: string): unknown[] {
  return parseAllDocuments(text).map((document) => document.toJS() as unknown);
}

async function startEmbedded(options: ClusterOptions): Promise<OpenCluster> {
  const cluster = await startCluster(options);
  return {
    cluster,
    put: (object) => putObject(cluster.core, object),
    // The CRD is served by the microtasks after the commit.
    served: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

/** Creates or replaces an object, in this process and without authorization. */
async function putObject(core: Core, object: ApiObject): Promise<ApiObject> {
  const { group } = parseApiVersion(object.apiVersion);
  const resource = core.registry.findKind(group, object.kind);
  if (!resource)
    throw new Error(`no resource serves ${object.apiVersion} ${object.kind}; is its CRD installed?`);
  const metadata = { ...object.metadata, namespace: object.metadata.namespace ?? "default" };
  const write = ownWrite(core, { ...object, metadata }, { fieldManager: "tsbuilder-testing" });
  const stored = resource.collection.get(keyOfWrite(write));
  if (!stored) return (await createObject(write, copyJSON(object))).object;
  const { entry } = await updateObject(write, {
    next: (current) => {
      const next = copyJSON(object);
      next.metadata.resourceVersion = current!.metadata.resourceVersion!;
      return next;
    },
    retry: true,
  });
  return entry.object;
}
