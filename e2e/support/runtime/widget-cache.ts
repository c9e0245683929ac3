import type { Stored } from "@tsbuilder/runtime";
import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { onTestFinished } from "vitest";
import type { CacheOptions, ObjectCache } from "../../../src/runtime/cache/cache.ts";
import { createCache } from "../../../src/runtime/cache/create-cache.ts";
import { createCachedClient } from "../../../src/runtime/cache/cached-client.ts";
import type { Client } from "../../../src/runtime/client/client.ts";
import { createClient, type LiveClient } from "../../../src/runtime/client/live-client.ts";
import { loadConfig } from "../../../src/runtime/config/load-config.ts";
import type { RequestReport } from "../../../src/runtime/http/transport.ts";
import { Namespace, useWidgetCluster, Widget, type WidgetCluster } from "./widget-cluster.ts";

export interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
export const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);

/** A cache, a client that reads from it, and the requests that were sent. */
export interface StartedCache {
  readonly cache: ObjectCache;
  readonly client: Client;
  readonly requests: RequestReport[];
}

/** Helpers for tests of caches on a cluster of widgets. */
export interface CacheTests {
  readonly cluster: WidgetCluster;
  /** Reads from the server, not from a cache. */
  readonly live: LiveClient;
  /** A separate namespace for each test. */
  readonly newNamespace: () => Promise<string>;
  readonly start: (options?: CacheOptions) => Promise<StartedCache>;
  readonly createWidget: (
    namespace: string,
    name: string,
    spec?: Widget["spec"],
    labels?: { readonly [label: string]: string },
  ) => Promise<Stored<Widget>>;
}

/** Three digits, so that names sort by creation; each file has its own range for tests on a shared real server. */
let namespaces = 100;

/** Starts a cluster for the tests of a file. */
export function useCaches(): CacheTests {
  const cluster = useWidgetCluster();
  return {
    cluster,
    get live() {
      return cluster.client;
    },
    async newNamespace() {
      const name = `test-${namespaces++}`;
      await cluster.client.create(Namespace, { metadata: { name } });
      return name;
    },
    async start(options = {}) {
      const requests: RequestReport[] = [];
      const own = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig }), {
        fieldManager: "test",
        onRequest: (report) => requests.push(report),
      });
      const cache = createCache(own, options);
      cache.start();
      onTestFinished(async () => {
        await cache.stop();
        await own.close();
      });
      return { cache, client: createCachedClient(own, cache), requests };
    },
    createWidget: (namespace, name, spec = {}, labels = {}) =>
      cluster.client.create(Widget, { metadata: { name, namespace, labels }, spec }),
  };
}

export const namesOf = (objects: readonly KubernetesObject[]): string[] =>
  objects.map(({ metadata }) => metadata.name ?? "").sort();
