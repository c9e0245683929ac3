import { startTestCluster } from "@tsbuilder/cluster/testing";
import {
  Children,
  createClient,
  type Desired,
  type KubernetesObject,
  loadConfig,
  type Stored,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { transformSync } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { Cart } from "../../../e2e/golden/store-operator/api/v1/cart_types.ts";
import {
  deploymentFor,
  nameOf,
  serviceFor,
} from "../../../e2e/golden/store-operator/src/controller/cart_resources.ts";
import { ownedKindsContext } from "./owned-kinds.ts";

const kinds = [
  "apps/v1/Deployment",
  "apps/v1/StatefulSet",
  "apps/v1/DaemonSet",
  "batch/v1/Job",
  "batch/v1/CronJob",
  "v1/Service",
  "v1/ConfigMap",
  "v1/Secret",
  "v1/ServiceAccount",
  "v1/PersistentVolumeClaim",
  "networking.k8s.io/v1/NetworkPolicy",
  "policy/v1/PodDisruptionBudget",
  "apps/v1/ReplicaSet",
  "v1/Pod",
  "v1/ResourceQuota",
  "autoscaling/v2/HorizontalPodAutoscaler",
  "networking.k8s.io/v1/Ingress",
  "rbac.authorization.k8s.io/v1/Role",
  "rbac.authorization.k8s.io/v1/RoleBinding",
];
const owner = { kind: "Shop", variable: "shop", namespaced: true, ofClusterRole: "" };

test("an API server accepts what the scaffolded functions return", async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  onTestFinished(() => client.close());
  const labels = 'const INSTANCE = "instance"; const labelsOf = () => ({ [INSTANCE]: "shop" });';
  const { ownedBodies, ownedFunctions } = ownedKindsContext(kinds, owner);
  const source = `${labels}\n${ownedBodies.replaceAll("export ", "")}\nreturn { ${ownedFunctions} };`;
  const { code } = transformSync(`function make() {\n${source}\n}`, { loader: "ts" });
  // eslint-disable-next-line typescript/no-implied-eval -- The text is ours.
  const functions = new Function(`${code}; return make();`)() as { [name: string]: () => object };
  expect(Object.keys(functions)).toHaveLength(kinds.length);
  for (const [at, make] of Object.values(functions).entries()) {
    const slash = kinds[at]!.lastIndexOf("/");
    const gvk = { apiVersion: kinds[at]!.slice(0, slash), kind: kinds[at]!.slice(slash + 1) };
    const kind = await client.mapper.kindFor(gvk);
    const desired = make() as Desired<KubernetesObject>;
    const metadata = { ...desired.metadata, name: "shop", namespace: "default" };
    await client.apply(kind, { ...desired, metadata });
  }
});

test("an API server accepts the children of an owner with the longest name", async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  onTestFinished(() => client.close());
  const metadata = { namespace: "default", name: "c".repeat(253) };
  const cart = { ...Cart, metadata, spec: {} } as unknown as Stored<Cart>;
  const name = nameOf(cart);
  const children = new Children(client, await client.create(ConfigMap, { metadata }));
  children.add(Deployment, name, deploymentFor(cart));
  children.add(Service, name, serviceFor(cart));
  await children.apply();
  expect(children.rejections).toEqual([]);
  expect(nameOf({ ...cart, metadata: { ...cart.metadata, name: `${metadata.name.slice(1)}d` } })).not.toBe(
    name,
  );
});

test("the children of a cluster-scoped owner have a namespace, and its markers a role", () => {
  const context = ownedKindsContext(["v1/ConfigMap"], {
    ...owner,
    namespaced: false,
    ofClusterRole: ",roleName=manager-cluster-role",
  });
  expect(context).toMatchObject({
    ownedImports: 'import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";',
    ownedChildren: '    children.add(ConfigMap, { namespace: "default", name }, configMapFor(shop));',
    ownedMarkers:
      '// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;patch;delete,roleName=manager-cluster-role',
    ownedExpectations:
      '  await eventually(() => client.get(ConfigMap, { namespace: "default", name: key.name }));',
  });
});

test("a kind without a body of its own gets a note, and modules are imported once", () => {
  const context = ownedKindsContext(["v1/Service", "coordination.k8s.io/v1/Lease", "v1/Pod"], owner);
  expect(context.ownedImports.split("\n")).toEqual([
    'import { Lease } from "@tsbuilder/runtime/k8s/coordination/v1";',
    'import { Pod, Service } from "@tsbuilder/runtime/k8s/core/v1";',
  ]);
  expect(context.ownedBodies).toContain("    // Add what the API server requires of it.\n  };");
});
