import { ConfigMap, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { HorizontalPodAutoscaler } from "@tsbuilder/runtime/k8s/autoscaling/v2";
import { Ingress } from "@tsbuilder/runtime/k8s/networking/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect } from "vitest";
import { AppService, type AppServiceSpec } from "../../golden/app-operator/api/v1/appservice_types.ts";
import { Memcached } from "../../golden/app-operator/api/v1/memcached_types.ts";
import { type Key, type Scenario, type ScenarioContext } from "./context.ts";

/** What people try who were not asked to: odd specs, hand edits of children, objects that others have a hand in. */
export const unforeseenScenarios: readonly Scenario[] = [
  { id: "U01", title: "one port for TCP and UDP, and a name of 52 characters", run: onePortTwice },
  { id: "U02", title: "edits of children that the server merges badly are taken back", run: badMerges },
  { id: "U03", title: "what others add to children stays", run: additions },
  { id: "U04", title: "a spec of 300 kB works", run: largeSpec },
  {
    id: "U05",
    title: "an autoscaler starts an app that was stopped, and goes and comes again",
    run: stoppedThenScaled,
  },
  { id: "U06", title: "paused, nothing is repaired or followed, and deletion still works", run: paused },
  { id: "U07", title: "an app that others own and hold is left as it is", run: heldByOthers },
  { id: "U08", title: "250 edits, one after the other, end in the last one", run: manyEdits },
  {
    id: "U09",
    title: "a ConfigMap that was made immutable is told, and is no reason to stop",
    run: immutableConfig,
  },
  { id: "U10", title: "kinds of Service follow each other and leave nothing behind", run: serviceTypes },
  { id: "U11", title: "two kinds that want one name: the first has it, the second is told", run: twoKinds },
  {
    id: "U12",
    title: "what is deleted while the operator is away is there again when it is back",
    run: deletedWhileAway,
  },
  { id: "U13", title: "images by digest, by port and tag, variables from the pod", run: images },
];

/** Creates an app, and waits until the operator has seen it. */
async function made(context: ScenarioContext, key: Key, spec: AppServiceSpec): Promise<Key> {
  await context.create(key, spec);
  await context.observed(key);
  await expectContent(context, key);
  return key;
}

/** Waits until nothing is wrong with an app. */
async function expectContent(context: ScenarioContext, key: Key): Promise<void> {
  await context.eventually(async () => {
    const { status } = await context.client.get(AppService, key);
    const degraded = status?.conditions?.find(({ type }) => type === "Degraded");
    expect(degraded).toMatchObject({ reason: "AsExpected", message: "" });
  });
}

async function onePortTwice(context: ScenarioContext, namespace: string): Promise<void> {
  const ports = [
    { name: "dns", port: 53, targetPort: 5353, protocol: "UDP" as const },
    { name: "dns-tcp", port: 53, targetPort: 5353, protocol: "TCP" as const, nodePort: 30053 },
  ];
  const config = { LEVEL: "1" };
  const ingress = { host: "dns.example.com", path: "/", annotations: { a: "b" } };
  const resources = { requests: { cpu: "10m" } };
  const autoscaling = { minReplicas: 2, maxReplicas: 3 };
  const spec = { image: "coredns", ports, config, ingress, resources, autoscaling };
  const key = await made(context, { namespace, name: `n${"x".repeat(51)}` }, spec);
  const { spec: service } = await context.client.get(Service, key);
  expect(service?.ports).toMatchObject(ports);
  const [container] = (await context.client.get(Deployment, key)).spec!.template.spec!.containers;
  expect(container!.ports).toHaveLength(2);
  await context.change(key, { ports: ports.slice(0, 1) });
  await context.observed(key);
  expect((await context.client.get(Service, key)).spec?.ports).toMatchObject(ports.slice(0, 1));
  const [after] = (await context.client.get(Deployment, key)).spec!.template.spec!.containers;
  expect(after!.ports).toEqual([{ name: "dns", containerPort: 5353, protocol: "UDP" }]);
  await expectContent(context, key);
}

async function badMerges(context: ScenarioContext, namespace: string): Promise<void> {
  const { client } = context;
  const ports = [{ name: "web", port: 80 }];
  const spec = { image: "nginx", replicas: 2, ports, envs: [{ name: "LEVEL", value: "1" }] };
  const key = await made(context, { namespace, name: "merged" }, spec);
  const template = async () => (await client.get(Deployment, key)).spec!.template.spec!;
  const before = await template();
  const [app] = before.containers;
  // As an editor sends it: what was there is taken out, and another field is in its place.
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
  // What was taken back is the app's to take away.
  await context.change(key, { ports: null, envs: null });
  await context.observed(key);
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
  await context.change(key, { image: "nginx:2" });
  await context.observed(key);
  const pod = (await client.get(Deployment, key)).spec!.template.spec!;
  expect(pod.containers).toHaveLength(2);
  expect(pod.containers).toContainEqual(expect.objectContaining({ name: "enriched", image: "nginx:2" }));
  expect(pod.containers).toContainEqual(expect.objectContaining(sidecar));
  expect(pod.volumes).toMatchObject(volumes);
  expect((await client.get(HorizontalPodAutoscaler, key)).spec).toMatchObject({ behavior });
  await expectContent(context, key);
}

async function largeSpec(context: ScenarioContext, namespace: string): Promise<void> {
  const value = "x".repeat(1500);
  const config = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`KEY_${at}`, value]));
  await made(context, { namespace, name: "large" }, { image: "nginx", config });
  const { data } = await context.client.get(ConfigMap, { namespace, name: "large-config" });
  expect(data).toEqual(config);
}

async function stoppedThenScaled(context: ScenarioContext, namespace: string): Promise<void> {
  const { client } = context;
  const resources = { requests: { cpu: "10m" } };
  const key = await made(context, { namespace, name: "woken" }, { image: "nginx", replicas: 0, resources });
  const replicas = async () => (await client.get(Deployment, key)).spec?.replicas;
  expect(await replicas()).toBe(0);
  for (const minReplicas of [2, 3]) {
    // An autoscaler takes a Deployment of 0 pods for one that is switched off.
    await context.change(key, { autoscaling: { minReplicas, maxReplicas: 5 } });
    await context.observed(key);
    expect(await replicas()).toBe(minReplicas);
    const scale = client.subresource(Deployment, key, "scale");
    await scale.patch({ merge: { spec: { replicas: 5 } } }, { fieldManager: "autoscaler" });
    await client.delete(HorizontalPodAutoscaler, key);
    await context.eventually(() => client.get(HorizontalPodAutoscaler, key));
    await context.settled();
    expect(await replicas()).toBe(5);
    await context.change(key, { autoscaling: null });
    await context.observed(key);
    expect(await replicas()).toBe(0);
    expect(await client.find(HorizontalPodAutoscaler, key)).toBeUndefined();
  }
  await expectContent(context, key);
}

async function paused(context: ScenarioContext, namespace: string): Promise<void> {
  const { client } = context;
  const key = await made(context, { namespace, name: "paused" }, { image: "nginx:1", ports: [{ port: 80 }] });
  await context.change(key, { paused: true });
  await context.settled();
  const writes = context.writesFromNow();
  await client.delete(Service, key);
  await client.patch(Deployment, key, { merge: { spec: { replicas: 7 } } });
  await context.change(key, { image: "nginx:2" });
  await context.settled();
  expect(writes()).toEqual([]);
  await context.change(key, { paused: false });
  await context.eventually(async () => {
    await client.get(Service, key);
    const { spec } = await client.get(Deployment, key);
    expect([spec?.replicas, spec?.template.spec?.containers[0]?.image]).toEqual([1, "nginx:2"]);
  });
  await context.change(key, { paused: true });
  await context.settled();
  await client.delete(AppService, key, { propagationPolicy: "Background" });
  expect(await client.find(AppService, key)).toBeUndefined();
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
  // While it is held nothing is made or changed for it any more.
  const writes = context.writesFromNow();
  await client.delete(Deployment, key);
  await context.settled();
  expect(writes()).toEqual([]);
  expect((await client.get(AppService, key)).metadata.finalizers).toEqual(metadata.finalizers);
  await client.patch(AppService, key, { merge: { metadata: { finalizers: null } } });
  expect(await client.find(AppService, key)).toBeUndefined();
}

async function manyEdits(context: ScenarioContext, namespace: string): Promise<void> {
  const key = await made(
    context,
    { namespace, name: "restless" },
    { image: "nginx:0", ports: [{ port: 80 }] },
  );
  const writes = context.writesFromNow();
  const edits = 250;
  for (let at = 1; at <= edits; at += 1) {
    const envs = Array.from({ length: at % 4 }, (_, index) => ({ name: `V${index}`, value: `${at}` }));
    const ports = [{ port: 80 + (at % 3) }];
    await context.change(key, { image: `nginx:${at}`, replicas: at % 7, envs, ports });
  }
  const { spec } = await context.observed(key);
  expect(spec.image).toBe(`nginx:${edits}`);
  await context.settled();
  const deployment = await context.client.get(Deployment, key);
  const [container] = deployment.spec!.template.spec!.containers;
  expect([container!.image, deployment.spec?.replicas]).toEqual([spec.image, spec.replicas]);
  expect(container!.env ?? []).toEqual(spec.envs ?? []);
  const service = await context.client.get(Service, key);
  expect(service.spec?.ports?.map(({ port }) => port)).toEqual(spec.ports?.map(({ port }) => port));
  const own = writes().filter(({ path }) => path.endsWith("/deployments/restless"));
  expect(own.length).toBeLessThanOrEqual(edits);
  await expectContent(context, key);
}

async function immutableConfig(context: ScenarioContext, namespace: string): Promise<void> {
  const key = await made(context, { namespace, name: "sealed" }, { image: "nginx:1", config: { A: "1" } });
  const config = { namespace, name: "sealed-config" };
  await context.client.patch(ConfigMap, config, { merge: { immutable: true } });
  await context.change(key, { image: "nginx:2", config: { A: "2" } });
  await context.eventually(async () => {
    expect(await context.condition(AppService, key, "Degraded")).toBe("True/ConfigMapRejected");
  });
  const deployment = await context.client.get(Deployment, key);
  expect(deployment.spec?.template.spec?.containers[0]?.image).toBe("nginx:2");
  // The message says what it is, and taking it away is enough.
  await context.client.delete(ConfigMap, config);
  await expectContent(context, key);
  expect((await context.client.get(ConfigMap, config)).data).toEqual({ A: "2" });
}

async function serviceTypes(context: ScenarioContext, namespace: string): Promise<void> {
  const ports = [{ port: 80 }];
  const key = await made(context, { namespace, name: "moving" }, { image: "nginx", ports });
  for (const serviceType of ["LoadBalancer", "ClusterIP", "NodePort", null]) {
    await context.change(key, { serviceType });
    await context.observed(key);
    const { spec } = await context.client.get(Service, key);
    expect(spec?.type).toBe(serviceType ?? "ClusterIP");
    expect(spec?.ports).toHaveLength(1);
    const hasNodePort = spec?.type !== "ClusterIP";
    expect(spec?.ports?.[0]?.nodePort !== undefined).toBe(hasNodePort);
    const { status } = await context.client.get(AppService, key);
    expect(status?.nodePorts ?? []).toHaveLength(hasNodePort ? 1 : 0);
  }
  await context.change(key, { ingress: { host: "a.example.com", className: "one", tlsSecretName: "cert" } });
  await context.observed(key);
  await context.change(key, { ingress: { host: "b.example.com", className: null, tlsSecretName: null } });
  await context.observed(key);
  const { spec: rules } = await context.client.get(Ingress, key);
  expect(rules).not.toHaveProperty("ingressClassName");
  expect(rules).not.toHaveProperty("tls");
  expect(rules?.rules?.map(({ host }) => host)).toEqual(["b.example.com"]);
  expect((await context.client.get(AppService, key)).status?.url).toBe("http://b.example.com/");
  await expectContent(context, key);
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
    // What somebody added is not ours to take.
    expect((await client.get(ConfigMap, config)).data).toEqual({ A: "1", B: "3" });
  });
}

async function images(context: ScenarioContext, namespace: string): Promise<void> {
  const digest = `sha256:${"0".repeat(64)}`;
  const envs = [
    { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "KEY", valueFrom: { secretKeyRef: { name: "keys", key: "a", optional: true } } },
    { name: "EMPTY" },
    { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
  ];
  const envFrom = [{ prefix: "X_", configMapRef: { name: "theirs", optional: true } }];
  const spec = { image: `nginx@${digest}`, envs, envFrom, config: { A: "1" } };
  const key = await made(context, { namespace, name: "imaged" }, spec);
  for (const image of ["localhost:5000/a/b:1", `localhost:5000/a/b:1@${digest}`, "nginx"]) {
    await context.change(key, { image });
    await context.observed(key);
    const [container] = (await context.client.get(Deployment, key)).spec!.template.spec!.containers;
    expect(container!.image).toBe(image);
    expect(container!.env?.map(({ name }) => name)).toEqual(envs.map(({ name }) => name));
    expect(container!.envFrom).toMatchObject([{ configMapRef: { name: "imaged-config" } }, ...envFrom]);
  }
  await expectContent(context, key);
  // The server completes a reference to a field of the pod, which costs one apply after each start; see the limits.
  await context.client.delete(AppService, key, { propagationPolicy: "Background" });
}
