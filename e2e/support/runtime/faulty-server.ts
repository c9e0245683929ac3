import type http from "node:http";
import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { onTestFinished } from "vitest";
import type { CacheOptions, ObjectCache } from "../../../src/runtime/cache/cache.ts";
import { createCache } from "../../../src/runtime/cache/create-cache.ts";
import { createClient } from "../../../src/runtime/client/live-client.ts";
import type { ClusterConfig } from "../../../src/runtime/http/config.ts";
import {
  answerJSON,
  answerStatus,
  type StubAnswer,
  type StubRequest,
  type StubServer,
  startStubServer,
} from "../../../src/runtime/testing/stub-server.ts";

export interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
export const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);

export type Response = http.ServerResponse;
/** A faulty response. */
export type Fault = (response: Response, request: StubRequest) => void;

export function configMap(
  name: string,
  resourceVersion: string,
  data: { [key: string]: string } = {},
): ConfigMap {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion },
    data,
  };
}

export const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
export const added = event("ADDED", configMap("b", "11", { text: "größe 🦭" }));
export const expired = event("ERROR", {
  kind: "Status",
  code: 410,
  reason: "Expired",
  message: "too old resource version",
});

export function open(response: Response): Response {
  response.writeHead(200, { "content-type": "application/json" });
  response.flushHeaders();
  return response;
}

/**
 * Starts a server that lists ConfigMap a and watches b, after it has responded to its first requests with the given
 * faults.
 */
export async function startFaultyServer({
  list = [],
  watch = [],
  port,
}: {
  list?: Fault[];
  watch?: Fault[];
  port?: number;
}): Promise<StubServer> {
  let lists = 0;
  let watches = 0;
  const answer: StubAnswer = (request, response) => {
    const isWatch = request.query.get("watch") === "true";
    const fault = isWatch ? watch[watches++] : list[lists++];
    if (fault) fault(response, request);
    else if (isWatch) open(response).write(request.query.get("resourceVersion") === "10" ? added : "");
    else if (request.path.endsWith("configmaps")) {
      answerJSON(response, {
        kind: "ConfigMapList",
        metadata: { resourceVersion: "10" },
        items: [configMap("a", "10")],
      });
    }
  };
  const server = await startStubServer(answer, port === undefined ? {} : { port });
  onTestFinished(() => server.close());
  return server;
}

/** Starts a cache of ConfigMaps that lists instead of streaming. */
export function startCache(
  config: ClusterConfig,
  options: CacheOptions & { readonly clock: Clock },
): ObjectCache {
  const client = createClient(config, { clock: options.clock });
  const cache = createCache(client, { watchList: false, ...options });
  onTestFinished(async () => {
    await cache.stop();
    await client.close();
  });
  cache.informer(ConfigMap);
  cache.start();
  return cache;
}

/** The names of the cached objects, sorted. */
export function names(cache: ObjectCache): string[] {
  return cache
    .informer(ConfigMap)
    .list()
    .map(({ metadata }) => metadata.name ?? "")
    .sort();
}

/** The resource versions of the requests to the server. */
export function queries(server: StubServer, what: "list" | "watch"): (string | null)[] {
  return server.requests
    .filter(({ query }) => (query.get("watch") === "true") === (what === "watch"))
    .map(({ query }) => query.get("resourceVersion"));
}

export const status =
  (code: number, reason: string, options?: { headers?: object; details?: object }): Fault =>
  (response) =>
    answerStatus(response, code, reason, options);
export const reset: Fault = (_, { socket }) => socket.resetAndDestroy();
export const silence: Fault = () => {};
export const text =
  (body: string): Fault =>
  (response) => {
    open(response).end(body);
  };
