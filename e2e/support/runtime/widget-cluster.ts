import type { Stored } from "@tsbuilder/runtime";
import { afterAll, beforeAll } from "vitest";
import { createClient, type LiveClient } from "../../../src/runtime/client/live-client.ts";
import { loadConfig } from "../../../src/runtime/config/load-config.ts";
import { type ClusterUnderTest, startClusterUnderTest } from "./cluster-under-test.ts";
import { Widget, widgetDefinition } from "./widget-kinds.ts";

export { Namespace, Widget, widgetDefinition } from "./widget-kinds.ts";

/** A cluster that serves widgets, and a client that reads from the server. */
export interface WidgetCluster {
  readonly kubeconfig: ClusterUnderTest["kubeconfig"];
  readonly installCRD: ClusterUnderTest["installCRD"];
  readonly client: LiveClient;
  /** A unique name for a test. */
  readonly key: () => { readonly namespace: string; readonly name: string };
  readonly create: (spec?: Widget["spec"]) => Promise<Stored<Widget>>;
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
