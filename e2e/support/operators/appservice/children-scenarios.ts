import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap, Service } from "@tsbuilder/runtime/k8s/core/v1";
import type { Kind } from "@tsbuilder/runtime";
import { expect } from "vitest";
import { AppService } from "../../../golden/app-operator/api/v1/appservice_types.ts";
import { type Key, type Scenario, type ScenarioContext } from "./context.ts";

/** Which children the operator creates for an app, and which of their fields it enforces. */
export const childrenScenarios: readonly Scenario[] = [
  { id: "T01", title: "the walk-through's sample becomes a Deployment and a Service", run: sample },
  { id: "T05", title: "/scale scales the app", run: scale },
  { id: "T07", title: "a new image is a single write to the Deployment", run: otherImage },
  { id: "T09", title: "deleted children are created again", run: deletedChildren },
  {
    id: "T11",
    title: "fields that others set stay, and annotations of the app have no effect",
    run: othersFields,
  },
  {
    id: "T12",
    title: "a port and a variable are removed from the children when the spec drops them",
    run: droppedItems,
  },
  { id: "T12b", title: "a Service loses its node port when the spec drops it", run: droppedNodePort },
];

async function sample(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "nginx-app" };
  const ports = [{ port: 80, targetPort: 80, nodePort: 30002 }];
  const app = await context.make(key, { replicas: 3, image: "nginx:alpine", ports });

  const deployment = await context.client.get(Deployment, key);
  expect(deployment.spec?.replicas).toBe(3);
  expect(deployment.spec?.template.spec?.containers).toMatchObject([
    {
      name: "nginx-app",
      image: "nginx:alpine",
      imagePullPolicy: "IfNotPresent",
      ports: [{ containerPort: 80, protocol: "TCP" }],
    },
  ]);
  const service = await context.client.get(Service, key);
  expect(service.spec).toMatchObject({
    type: "NodePort",
    ports: [{ port: 80, targetPort: 80, nodePort: 30002, protocol: "TCP" }],
  });
  for (const { metadata } of [deployment, service]) {
    expect(metadata.ownerReferences).toEqual([
      {
        apiVersion: "apps.example.com/v1",
        kind: "AppService",
        name: "nginx-app",
        uid: app.metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
  }
  expect(await context.condition(AppService, key, "Available")).toBe("False/Deploying");
  await context.makeAvailable(key);
  await context.until(AppService, key, "Available", "True/DeploymentAvailable");
  expect((await context.client.get(AppService, key)).status).toMatchObject({
    replicas: 3,
    readyReplicas: 3,
    nodePorts: [30002],
    url: `http://nginx-app.${namespace}.svc:80`,
  });
}

async function scale(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "scaled" };
  const { metadata } = await context.make(key, { image: "nginx" });
  const subresource = context.client.subresource(AppService, key, "scale");
  await subresource.patch({ merge: { spec: { replicas: 3 } } });
  const app = await context.observed(key);
  expect(app.spec.replicas).toBe(3);
  expect(app.metadata.generation).toBe(metadata.generation! + 1);
  expect((await context.client.get(Deployment, key)).spec?.replicas).toBe(3);
  await context.makeAvailable(key);
  await context.eventually(async () => {
    expect(await subresource.get()).toMatchObject({
      spec: { replicas: 3 },
      status: {
        replicas: 3,
        selector: "app.kubernetes.io/name=appservice,app.kubernetes.io/instance=scaled",
      },
    });
  });
}

async function otherImage(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "rolled" };
  const envs = [{ name: "A", value: "1" }];
  await context.make(key, { image: "nginx:1", envs, ports: [{ port: 80 }] });
  const before = (await context.client.get(Deployment, key)).spec!.template;
  const writes = context.writesFromNow();
  const app = await context.follow(key, { image: "nginx:2" });
  expect(app.status?.observedGeneration).toBe(app.metadata.generation);
  expect(await context.condition(AppService, key, "Progressing")).toBe("True/RollingOut");
  const deployment: Deployment = structuredClone(await context.client.get(Deployment, key));
  const after = deployment.spec!.template;
  expect(after.spec!.containers[0]!.image).toBe("nginx:2");
  after.spec!.containers[0]!.image = "nginx:1";
  expect(after).toEqual(before);
  const children = writes().filter(({ path }) => !path.includes("/appservices/"));
  expect(children.map(({ method, path }) => `${method} ${path}`)).toEqual([
    `PATCH /apis/apps/v1/namespaces/${namespace}/deployments/rolled`,
  ]);
}

async function deletedChildren(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "mended" };
  await context.make(key, { image: "nginx", ports: [{ port: 80 }], config: { LEVEL: "debug" } });
  const children: [Kind, Key][] = [
    [Deployment, key],
    [Service, key],
    [ConfigMap, { namespace, name: "mended-config" }],
  ];
  for (const [kind, child] of children) {
    const before = await context.client.get(kind, child);
    await context.client.delete(kind, child, { propagationPolicy: "Background" });
    await context.eventually(async () => {
      const after = await context.client.get(kind, child);
      expect(after.metadata.uid).not.toBe(before.metadata.uid);
      expect(lasting(after)).toEqual(lasting(before));
    });
  }
}

/** An object's spec without the fields that the cluster set. */
function lasting(object: object): unknown {
  const { spec, data } = object as { spec?: Record<string, unknown>; data?: unknown };
  const { clusterIP: _, clusterIPs: __, ...rest } = spec ?? {};
  return { spec: rest, data };
}

async function othersFields(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "shared" };
  const metadata = { ...key, annotations: { spec: "{}", other: "1" } };
  const spec = { image: "nginx", ports: [{ port: 80 }] };
  await context.client.create(AppService, { metadata, spec });
  await context.observed(key);
  const writes = context.writesFromNow();
  const reconciles = await context.reconciles();
  await context.client.patch(Deployment, key, { merge: { metadata: { annotations: { note: "mine" } } } });
  await context.client.patch(Service, key, { merge: { metadata: { labels: { team: "mine" } } } });
  const app = await context.client.get(AppService, key);
  const { annotations: _, ...rest } = app.metadata;
  await context.client.update(AppService, { ...app, metadata: rest });
  await context.eventually(async () => expect(await context.reconciles()).toBeGreaterThan(reconciles));
  const [deployment, service] = [
    await context.client.get(Deployment, key),
    await context.client.get(Service, key),
  ];
  expect(deployment.metadata.annotations).toMatchObject({ note: "mine" });
  expect(service.metadata.labels).toMatchObject({ team: "mine" });
  expect(writes()).toEqual([]);
}

async function droppedItems(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "shrinking" };
  const [web, admin] = [
    { name: "web", port: 80 },
    { name: "admin", port: 81 },
  ];
  const [a, b] = [
    { name: "A", value: "1" },
    { name: "B", value: "2" },
  ];
  await context.make(key, { image: "nginx", ports: [web, admin], envs: [a, b] });
  await context.follow(key, { ports: [web], envs: [a] });
  const service = await context.client.get(Service, key);
  expect(service.spec?.ports?.map(({ name, port }) => ({ name, port }))).toEqual([web]);
  const container = await context.container(key);
  expect(container.env).toEqual([a]);
  expect(container.ports).toEqual([{ name: "web", containerPort: 80, protocol: "TCP" }]);
}

async function droppedNodePort(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "inward" };
  await context.make(key, { image: "nginx", ports: [{ port: 80, nodePort: 30012 }] });
  const { clusterIP } = (await context.client.get(Service, key)).spec!;
  await context.follow(key, { ports: [{ port: 80 }] });
  const { spec } = await context.client.get(Service, key);
  expect(spec).toMatchObject({ type: "ClusterIP", clusterIP });
  expect(spec?.ports?.[0]?.nodePort).toBeUndefined();
  expect((await context.client.get(AppService, key)).status?.nodePorts).toBeUndefined();
}
