import { ConfigMap, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { HorizontalPodAutoscaler } from "@tsbuilder/runtime/k8s/autoscaling/v2";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect } from "vitest";
import { AppService } from "../../../golden/app-operator/api/v1/appservice_types.ts";
import { Memcached } from "../../../golden/app-operator/api/v1/memcached_types.ts";
import { type Scenario, type ScenarioContext } from "./context.ts";
import { made, expectContent } from "./make-app.ts";

/** Children that users and other controllers edit, own, or delete. */
export const handEditScenarios: readonly Scenario[] = [
  {
    id: "U02",
    title: "edits of children that a server-side apply merges badly are reverted",
    run: badMerges,
  },
  { id: "U03", title: "fields that others add to children stay", run: additions },
  { id: "U07", title: "an app with other owners and finalizers is left as it is", run: heldByOthers },
  {
    id: "U09",
    title: "an immutable ConfigMap is reported, and the rest goes on",
    run: immutableConfig,
  },
  {
    id: "U11",
    title: "two kinds with one name: the first keeps it, the second reports the conflict",
    run: twoKinds,
  },
  {
    id: "U12",
    title: "what is deleted while the operator is down is created again when it is back",
    run: deletedWhileAway,
  },
];

async function badMerges(context: ScenarioContext, namespace: string): Promise<void> {
  const { client } = context;
  const ports = [{ name: "web", port: 80 }];
  const spec = { image: "nginx", replicas: 2, ports, envs: [{ name: "LEVEL", value: "1" }] };
  const key = await made(context, { namespace, name: "merged" }, spec);
  const template = async () => (await client.get(Deployment, key)).spec!.template.spec!;
  const before = await template();
  const [app] = before.containers;
  // As an editor sends it: one field is removed, and another one added in its place.
  const valueFrom = { fieldRef: { fieldPath: "metadata.name" } };
  const containers = [
    {
      ...app!,
      env: [{ name: "LEVEL", valueFrom }],
      readinessProbe: { httpGet: { path: "/", port: 80 } },
    },
  ];
  await client.patch(Deployment, key, { merge: { spec: { template: { spec: { containers } } } } });
  await context.eventually(async () => {
    const [now] = (await template()).containers;
    expect(now!.env).toEqual(app!.env);
    expect(now!.readinessProbe).toMatchObject({ tcpSocket: { port: 80 } });
    expect(now!.readinessProbe).not.toHaveProperty("httpGet");
  });
  await client.patch(PodDisruptionBudget, key, {
    merge: { spec: { maxUnavailable: null, minAvailable: "50%" } },
  });
  await context.eventually(async () => {
    const budget = await client.get(PodDisruptionBudget, key);
    expect(budget.spec).toMatchObject({ maxUnavailable: 1 });
  });
  await expectContent(context, key);
  // After the edit was reverted, the app owns the field and can remove it.
  await context.follow(key, { ports: null, envs: null });
  const [last] = (await template()).containers;
  expect(last).not.toHaveProperty("env");
  expect(last).not.toHaveProperty("readinessProbe");
  await expectContent(context, key);
}

async function additions(context: ScenarioContext, namespace: string): Promise<void> {
  const { client } = context;
  const resources = { requests: { cpu: "10m" } };
  const spec = { image: "nginx", resources, autoscaling: { maxReplicas: 3 }, ports: [{ port: 80 }] };
  const key = await made(context, { namespace, name: "enriched" }, spec);
  const sidecar = { name: "proxy", image: "envoy" };
  const volumes = [{ name: "scratch", emptyDir: {} }];
  const extra = { spec: { template: { spec: { containers: [sidecar], volumes } } } };
  await client.patch(Deployment, key, { strategic: extra }, { fieldManager: "injector" });
  const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
  await client.patch(HorizontalPodAutoscaler, key, { merge: { spec: { behavior, maxReplicas: 9 } } });
  await context.eventually(async () => {
    expect((await client.get(HorizontalPodAutoscaler, key)).spec?.maxReplicas).toBe(3);
  });
  await context.follow(key, { image: "nginx:2" });
  const pod = (await client.get(Deployment, key)).spec!.template.spec!;
  expect(pod.containers).toHaveLength(2);
  expect(pod.containers).toContainEqual(expect.objectContaining({ name: "enriched", image: "nginx:2" }));
  expect(pod.containers).toContainEqual(expect.objectContaining(sidecar));
  expect(pod.volumes).toMatchObject(volumes);
  expect((await client.get(HorizontalPodAutoscaler, key)).spec).toMatchObject({ behavior });
  await expectContent(context, key);
}

async function heldByOthers(context: ScenarioContext, namespace: string): Promise<void> {
  const { client } = context;
  const owner = await client.create(ConfigMap, { metadata: { namespace, name: "platform" } });
  const key = { namespace, name: "held" };
  const metadata = { ...key, finalizers: ["example.com/hold"], labels: { tier: "web" } };
  await client.create(AppService, { metadata, spec: { image: "nginx" } }, { owner });
  await context.observed(key);
  const app = await client.get(AppService, key);
  expect(app.metadata).toMatchObject({ finalizers: metadata.finalizers, labels: metadata.labels });
  expect(app.metadata.ownerReferences).toMatchObject([{ kind: "ConfigMap", name: "platform" }]);
  expect((await client.get(Deployment, key)).metadata.ownerReferences).toMatchObject([{ name: "held" }]);
  await client.delete(AppService, key, { propagationPolicy: "Background" });
  await context.settled();
  // While a finalizer holds it, nothing is created or changed for it.
  const writes = context.writesFromNow();
  await client.delete(Deployment, key);
  await context.settled();
  expect(writes()).toEqual([]);
  expect((await client.get(AppService, key)).metadata.finalizers).toEqual(metadata.finalizers);
  await client.patch(AppService, key, { merge: { metadata: { finalizers: null } } });
  expect(await client.find(AppService, key)).toBeUndefined();
}

async function immutableConfig(context: ScenarioContext, namespace: string): Promise<void> {
  const key = await made(context, { namespace, name: "sealed" }, { image: "nginx:1", config: { A: "1" } });
  const config = { namespace, name: "sealed-config" };
  await context.client.patch(ConfigMap, config, { merge: { immutable: true } });
  await context.change(key, { image: "nginx:2", config: { A: "2" } });
  await context.until(AppService, key, "Degraded", "True/ConfigMapRejected");
  const deployment = await context.client.get(Deployment, key);
  expect(deployment.spec?.template.spec?.containers[0]?.image).toBe("nginx:2");
  // The message names the ConfigMap, and deleting it is enough.
  await context.client.delete(ConfigMap, config);
  await expectContent(context, key);
  expect((await context.client.get(ConfigMap, config)).data).toEqual({ A: "2" });
}

async function twoKinds(context: ScenarioContext, namespace: string): Promise<void> {
  const { client } = context;
  const key = await made(context, { namespace, name: "shared" }, { image: "nginx", ports: [{ port: 80 }] });
  await client.create(Memcached, { metadata: key, spec: {} });
  await context.eventually(async () => {
    const { status } = await client.get(Memcached, key);
    const degraded = status?.conditions?.find(({ type }) => type === "Degraded");
    expect(degraded).toMatchObject({
      reason: "NameConflict",
      message: expect.stringContaining('controlled by AppService "shared"'),
    });
  });
  expect((await client.get(Deployment, key)).spec?.template.spec?.containers[0]?.image).toBe("nginx");
  await client.delete(Memcached, key, { propagationPolicy: "Background" });
  await client.get(Service, key);
}

async function deletedWhileAway(context: ScenarioContext, namespace: string): Promise<void> {
  const { client } = context;
  const spec = { image: "nginx", replicas: 2, ports: [{ port: 80 }], config: { A: "1" } };
  const key = await made(context, { namespace, name: "robbed" }, spec);
  const config = { namespace, name: "robbed-config" };
  await context.stop();
  await client.delete(Deployment, key);
  await client.delete(Service, key);
  await client.delete(PodDisruptionBudget, key);
  await client.patch(ConfigMap, config, { merge: { data: { A: "2", B: "3" } } });
  await context.start();
  await context.eventually(async () => {
    await client.get(Deployment, key);
    await client.get(Service, key);
    await client.get(PodDisruptionBudget, key);
    // Fields that others added are not ours to remove.
    expect((await client.get(ConfigMap, config)).data).toEqual({ A: "1", B: "3" });
  });
}
