import { ConfigMap, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { HorizontalPodAutoscaler } from "@tsbuilder/runtime/k8s/autoscaling/v2";
import { Ingress } from "@tsbuilder/runtime/k8s/networking/v1";
import { expect } from "vitest";
import { AppService } from "../../../golden/app-operator/api/v1/appservice_types.ts";
import { type Scenario, type ScenarioContext } from "./context.ts";
import { made, expectContent } from "./make-app.ts";

/** Unusual use: odd specs, many edits, pauses, changes of type. */
export const unforeseenScenarios: readonly Scenario[] = [
  { id: "U01", title: "one port for TCP and UDP, and a name of 52 characters", run: onePortTwice },
  { id: "U04", title: "a spec of 300 kB works", run: largeSpec },
  {
    id: "U05",
    title: "an autoscaler starts a stopped app, is deleted and created again",
    run: stoppedThenScaled,
  },
  { id: "U06", title: "paused, nothing is repaired or followed, and deletion still works", run: paused },
  { id: "U08", title: "after 250 edits in a row the last one holds", run: manyEdits },
  { id: "U10", title: "changes of the Service's type leave nothing behind", run: serviceTypes },
  { id: "U13", title: "images by digest, by port and tag, variables from the pod", run: images },
];

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
  const container = await context.container(key);
  expect(container.ports).toHaveLength(2);
  await context.follow(key, { ports: ports.slice(0, 1) });
  expect((await context.client.get(Service, key)).spec?.ports).toMatchObject(ports.slice(0, 1));
  const after = await context.container(key);
  expect(after.ports).toEqual([{ name: "dns", containerPort: 5353, protocol: "UDP" }]);
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
    // For an autoscaler, a Deployment with 0 replicas is switched off.
    await context.follow(key, { autoscaling: { minReplicas, maxReplicas: 5 } });
    expect(await replicas()).toBe(minReplicas);
    const scale = client.subresource(Deployment, key, "scale");
    await scale.patch({ merge: { spec: { replicas: 5 } } }, { fieldManager: "autoscaler" });
    await client.delete(HorizontalPodAutoscaler, key);
    await context.eventually(() => client.get(HorizontalPodAutoscaler, key));
    await context.settled();
    expect(await replicas()).toBe(5);
    await context.follow(key, { autoscaling: null });
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

async function serviceTypes(context: ScenarioContext, namespace: string): Promise<void> {
  const ports = [{ port: 80 }];
  const key = await made(context, { namespace, name: "moving" }, { image: "nginx", ports });
  for (const serviceType of ["LoadBalancer", "ClusterIP", "NodePort", null]) {
    await context.follow(key, { serviceType });
    const { spec } = await context.client.get(Service, key);
    expect(spec?.type).toBe(serviceType ?? "ClusterIP");
    expect(spec?.ports).toHaveLength(1);
    const hasNodePort = spec?.type !== "ClusterIP";
    expect(spec?.ports?.[0]?.nodePort !== undefined).toBe(hasNodePort);
    const { status } = await context.client.get(AppService, key);
    expect(status?.nodePorts ?? []).toHaveLength(hasNodePort ? 1 : 0);
  }
  await context.follow(key, { ingress: { host: "a.example.com", className: "one", tlsSecretName: "cert" } });
  await context.follow(key, { ingress: { host: "b.example.com", className: null, tlsSecretName: null } });
  const { spec: rules } = await context.client.get(Ingress, key);
  expect(rules).not.toHaveProperty("ingressClassName");
  expect(rules).not.toHaveProperty("tls");
  expect(rules?.rules?.map(({ host }) => host)).toEqual(["b.example.com"]);
  expect((await context.client.get(AppService, key)).status?.url).toBe("http://b.example.com/");
  await expectContent(context, key);
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
    await context.follow(key, { image });
    const container = await context.container(key);
    expect(container.image).toBe(image);
    expect(container.env?.map(({ name }) => name)).toEqual(envs.map(({ name }) => name));
    expect(container.envFrom).toMatchObject([{ configMapRef: { name: "imaged-config" } }, ...envFrom]);
  }
  await expectContent(context, key);
  // The server defaults the apiVersion of a fieldRef, which costs one apply after each start; see the limits.
  await context.client.delete(AppService, key, { propagationPolicy: "Background" });
}
