import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { eventually } from "../eventually.ts";

/** The kubeconfig of a real cluster that suites run against in place of the embedded one. */
export const realKubeconfig = "TSBUILDER_TEST_KUBECONFIG";

/** A cluster for a suite, embedded or real. */
export interface ClusterUnderTest {
  readonly kubeconfig: Exclude<Parameters<typeof loadConfig>[0], undefined>["kubeconfig"];
  /** Creates a CRD; resolves when it is served. */
  installCRD(crd: CustomResourceDefinition): Promise<void>;
  stop(): Promise<void>;
}

interface CustomResourceDefinition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/**
 * Starts the embedded cluster, or uses the real one of `TSBUILDER_TEST_KUBECONFIG`: one suite for two servers, so
 * that the embedded one can't drift from the real one.
 */
export async function startClusterUnderTest(...crds: CustomResourceDefinition[]): Promise<ClusterUnderTest> {
  const path = process.env[realKubeconfig];
  const cluster = path ? await realCluster(path) : await embeddedCluster();
  for (const crd of crds) await cluster.installCRD(crd);
  return cluster;
}

async function embeddedCluster(): Promise<ClusterUnderTest> {
  const cluster = await startTestCluster();
  return {
    kubeconfig: cluster.kubeconfig,
    installCRD: (crd) => cluster.installCRDs(crd),
    stop: () => cluster.stop(),
  };
}

async function realCluster(path: string): Promise<ClusterUnderTest> {
  const client = createClient(await loadConfig({ kubeconfig: path }));
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  return {
    kubeconfig: path,
    async installCRD(crd) {
      const { group, names, versions } = crd.spec;
      const exists = await client.request({ path: `${crds}/${crd.metadata.name}` }).catch(() => undefined);
      if (!exists) await client.request({ method: "POST", path: crds, body: crd });
      await eventually(() => client.request({ path: `/apis/${group}/${versions[0]?.name}/${names.plural}` }));
    },
    stop: () => client.close(),
  };
}
