import { type CustomResource, defineKind } from "@tsbuilder/apimachinery/meta";
import { afterAll, beforeAll } from "vitest";
import { createClient, type LiveClient } from "../../src/runtime/client/live-client.ts";
import { loadConfig } from "../../src/runtime/config/load-config.ts";
import { type ClusterUnderTest, startClusterUnderTest } from "./cluster-under-test.ts";

/** A kind for tests of clients and caches. */
export interface Widget
  extends CustomResource<
    { size?: number; color?: string; parts?: string[] },
    { ready?: number; note?: string }
  > {}
export const Widget = defineKind<Widget>(
  { group: "example.com", version: "v1" },
  { kind: "Widget", plural: "widgets" },
);
export const Namespace = defineKind(
  { group: "", version: "v1" },
  { kind: "Namespace", plural: "namespaces", scope: "Cluster" },
);

export const widgetDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.ready" },
        },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** A cluster that serves widgets, and a client that reads from the server. */
export interface WidgetCluster {
  readonly kubeconfig: ClusterUnderTest["kubeconfig"];
  readonly installCRD: ClusterUnderTest["installCRD"];
  readonly client: LiveClient;
  /** A unique name for a test. */
  readonly key: () => { readonly namespace: string; readonly name: string };
  readonly create: (spec?: Widget["spec"]) => Promise<Widget>;
}

/** Files that share a real server must not use the same objects. */
let serial = 0;

/** Starts one for the tests of a file. */
export function useWidgetCluster(): WidgetCluster {
  let cluster: ClusterUnderTest;
  let client: LiveClient;
  beforeAll(async () => {
    cluster = await startClusterUnderTest(widgetDefinition);
    client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig }), {
      fieldManager: "widget-test",
    });
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });

  const key = (): { namespace: string; name: string } => ({ namespace: "default", name: `w${serial++}` });
  return {
    get kubeconfig() {
      return cluster.kubeconfig;
    },
    installCRD: (crd) => cluster.installCRD(crd),
    get client() {
      return client;
    },
    key,
    create: (spec = {}) => client.create(Widget, { metadata: key(), spec }),
  };
}
