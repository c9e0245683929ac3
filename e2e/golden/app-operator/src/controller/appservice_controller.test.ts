/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { findCondition } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { HorizontalPodAutoscaler } from "@tsbuilder/runtime/k8s/autoscaling/v2";
import { ConfigMap, Pod, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { Ingress } from "@tsbuilder/runtime/k8s/networking/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import {
  consistently,
  eventually,
  startTestManager,
  type TestManager,
} from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppService, type AppServiceSpec } from "../../api/v1/appservice_types.ts";
import { setupAppServiceController } from "./appservice_controller.ts";

const namespace = "default";
const stranger = { apiVersion: "v1", kind: "Secret", name: "x", uid: "stranger", controller: true };
// There is no garbage collector in this cluster.
const noOwners = { ownerReferences: null };
const noFinalizers = { finalizers: null };
const volume = { name: "data", mountPath: "/data", claim: "data" };
const web = { name: "web", port: 80, targetPort: 8080 };
let cluster: TestCluster;
let manager: TestManager;

// Only our controller runs in this cluster: tests set the status of Deployments themselves.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: "config/crd/bases" });
  manager = await startTestManager(cluster.kubeconfig, setupAppServiceController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("an image with a node port gets a Deployment and a Service", async () => {
  const name = await create("nginx-app", {
    image: "nginx:alpine",
    replicas: 3,
    ports: [{ port: 80, targetPort: 80, nodePort: 30002 }],
  });
  const deployment = await eventually(() => manager.client.get(Deployment, { namespace, name }));
  expect(deployment.spec?.replicas).toBe(3);
  expect(deployment.spec?.template.spec?.containers[0]).toMatchObject({
    name,
    image: "nginx:alpine",
    imagePullPolicy: "IfNotPresent",
    ports: [{ containerPort: 80, protocol: "TCP" }],
  });
  const service = await eventually(() => manager.client.get(Service, { namespace, name }));
  expect(service.spec).toMatchObject({
    type: "NodePort",
    ports: [{ port: 80, targetPort: 80, nodePort: 30002 }],
  });
  for (const { metadata } of [deployment, service]) {
    expect(metadata.ownerReferences).toMatchObject([
      { kind: "AppService", name, controller: true },
    ]);
  }
});

test("Available follows the Deployment, and nothing is written once it is up to date", async () => {
  const name = await create("calm", { image: "nginx", ports: [web] });
  await eventually(async () => expect(await conditionOf(name, "Available")).toBe("Deploying"));
  await makeAvailable(name);
  await eventually(async () =>
    expect(await conditionOf(name, "Available")).toBe("DeploymentAvailable"),
  );
  await eventually(async () => expect(await conditionOf(name, "Progressing")).toBe("UpToDate"));
  const before = await versions(name);
  await consistently(async () => expect(await versions(name)).toEqual(before));
});

test("optional objects are deleted when their field is removed", async () => {
  const name = await create("rich", {
    image: "nginx",
    replicas: 2,
    ports: [web],
    ingress: { host: "app.example.com" },
    config: { LEVEL: "debug" },
  });
  const config = { namespace, name: `${name}-config` };
  await eventually(async () => {
    await manager.client.get(Ingress, { namespace, name });
    await manager.client.get(ConfigMap, config);
    await manager.client.get(PodDisruptionBudget, { namespace, name });
  });
  await change(name, (spec) => {
    spec.replicas = 1;
    delete spec.ingress;
    delete spec.config;
    delete spec.ports;
  });
  await eventually(async () => {
    expect(await manager.client.find(Ingress, { namespace, name })).toBeUndefined();
    expect(await manager.client.find(ConfigMap, config)).toBeUndefined();
    expect(await manager.client.find(PodDisruptionBudget, { namespace, name })).toBeUndefined();
    expect(await manager.client.find(Service, { namespace, name })).toBeUndefined();
  });
});

test("removed ports and variables are removed from the Service and the Deployment", async () => {
  const name = await create("shrinking", {
    image: "nginx",
    ports: [web, { name: "admin", port: 81 }],
    envs: [
      { name: "A", value: "1" },
      { name: "B", value: "2" },
    ],
  });
  await eventually(() => manager.client.get(Service, { namespace, name }));
  await change(name, (spec) => {
    spec.ports = [web];
    spec.envs = [{ name: "A", value: "1" }];
  });
  await eventually(async () => {
    const { spec } = await manager.client.get(Service, { namespace, name });
    expect(spec?.ports).toHaveLength(1);
    const deployment = await manager.client.get(Deployment, { namespace, name });
    expect(deployment.spec?.template.spec?.containers[0]?.env).toEqual([{ name: "A", value: "1" }]);
  });
});

test.each([undefined, 30079])(
  "a manually changed port is replaced, with the node port %s",
  async (nodePort) => {
    const ports = [{ ...web, ...(nodePort && { nodePort }) }];
    const name = await create(`foreign-port-${nodePort ?? "none"}`, { image: "nginx", ports });
    const service = await eventually(() => manager.client.get(Service, { namespace, name }));
    await manager.client.patch(Service, service, (draft) => {
      draft.spec!.ports![0]!.port = 8181;
    });
    await eventually(async () => {
      const { spec } = await manager.client.get(Service, { namespace, name });
      expect(spec?.ports).toMatchObject([{ port: 80, ...(nodePort && { nodePort }) }]);
      expect(spec?.ports).toHaveLength(1);
    });
  },
);

test("several ports may target the same container port, by number or name", async () => {
  const http = { name: "http", port: 80, targetPort: 8080 };
  const alias = { name: "alias", port: 81, targetPort: "http" };
  const name = await create("shared-port", {
    image: "nginx",
    ports: [http, alias, { name: "same", port: 82, targetPort: 8080 }],
  });
  const service = await eventually(() => manager.client.get(Service, { namespace, name }));
  expect(service.spec?.ports?.map(({ targetPort }) => targetPort)).toEqual([8080, 8080, 8080]);
  const deployment = await manager.client.get(Deployment, { namespace, name });
  expect(deployment.spec?.template.spec?.containers[0]?.ports).toEqual([
    { name: "http", containerPort: 8080, protocol: "TCP" },
  ]);
});

test("added annotations are kept, changes to our fields are reverted", async () => {
  const name = await create("shared", { image: "nginx" });
  const deployment = await eventually(() => manager.client.get(Deployment, { namespace, name }));
  await manager.client.patch(Deployment, deployment, (draft) => {
    draft.metadata.annotations = { ...draft.metadata.annotations, "example.com/note": "mine" };
    draft.spec!.template.spec!.containers[0]!.image = "nginx:other";
  });
  await eventually(async () => {
    const { metadata, spec } = await manager.client.get(Deployment, { namespace, name });
    expect(spec?.template.spec?.containers[0]?.image).toBe("nginx");
    expect(metadata.annotations).toMatchObject({ "example.com/note": "mine" });
  });
});

test("enabling autoscaling keeps the number of pods", async () => {
  const name = await create("scaling", {
    image: "nginx",
    replicas: 4,
    resources: { requests: { cpu: "10m" } },
  });
  await eventually(() => manager.client.get(Deployment, { namespace, name }));
  await change(name, (spec) => {
    spec.autoscaling = { maxReplicas: 8 };
  });
  await eventually(() => manager.client.get(HorizontalPodAutoscaler, { namespace, name }));
  expect((await manager.client.get(Deployment, { namespace, name })).spec?.replicas).toBe(4);
});

test("an object that the server rejects is reported, and does not block the others", async () => {
  await create("first-port", { image: "nginx", ports: [{ port: 80, nodePort: 30077 }] });
  await eventually(() => manager.client.get(Service, { namespace, name: "first-port" }));
  const name = await create("second-port", {
    image: "nginx",
    ports: [{ port: 80, nodePort: 30077 }],
  });
  await eventually(async () => expect(await conditionOf(name, "Degraded")).toBe("ServiceRejected"));
  expect(await manager.client.get(Deployment, { namespace, name })).toBeDefined();
});

test.each([
  { whose: "another controller's", ownerReferences: [stranger] },
  { whose: "nobody's", ownerReferences: undefined },
])("$whose object of the same name is left alone until deleted", async ({ ownerReferences }) => {
  const name = ownerReferences ? "contested" : "taken";
  const theirs = { name: `${name}-config`, namespace };
  const foreign = await manager.client.create(ConfigMap, {
    metadata: { ...theirs, ownerReferences },
    data: { a: "b" },
  });
  await create(name, { image: "nginx", config: { c: "d" } });
  await eventually(async () => expect(await conditionOf(name, "Degraded")).toBe("NameConflict"));
  expect(await manager.client.get(ConfigMap, theirs)).toEqual(foreign);
});

test("Degraded says what keeps a pod from running", async () => {
  const name = await create("stuck", { image: "nginx:1.999" });
  const { metadata, spec } = await eventually(async () => {
    const deployment = await manager.client.get(Deployment, { namespace, name });
    return deployment.spec!.template;
  });
  const pod = await manager.client.create(Pod, {
    metadata: { name: "stuck-1", namespace, labels: metadata!.labels },
    spec: spec!,
  });
  const waiting = { reason: "ImagePullBackOff", message: "Back-off pulling image" };
  const container = { name, image: "", imageID: "", ready: false, restartCount: 0 };
  const containerStatuses = [{ ...container, state: { waiting } }];
  const stuck = await manager.client.patchStatus(Pod, pod, { ...pod.status, containerStatuses });
  await eventually(async () =>
    expect(await conditionOf(name, "Degraded")).toBe("ImagePullBackOff"),
  );
  // Another pod replaces one that was evicted, and which stays.
  const evicted = { ...stuck.status, phase: "Failed", reason: "Evicted" } as const;
  await manager.client.patchStatus(Pod, stuck, evicted);
  await eventually(async () => expect(await conditionOf(name, "Degraded")).toBe("AsExpected"));
});

test("a paused app says so, and nothing of it is changed", async () => {
  const name = await create("paused", { image: "nginx:1", volumes: [volume] });
  const imageOf = async () => {
    const { spec } = await manager.client.get(Deployment, { namespace, name });
    return spec?.template.spec?.containers[0]?.image;
  };
  await eventually(async () => expect(await imageOf()).toBe("nginx:1"));
  await change(name, (spec) => Object.assign(spec, { paused: true, image: "nginx:2" }));
  await eventually(async () => expect(await conditionOf(name, "Paused")).toBe("PausedBySpec"));
  expect(await imageOf()).toBe("nginx:1");
  await change(name, (spec) => delete spec.paused);
  await eventually(async () => expect(await imageOf()).toBe("nginx:2"));
  await eventually(async () => expect(await conditionOf(name, "Paused")).toBeUndefined());
});

test("a volume that becomes one of another type leaves nothing of the former one", async () => {
  const name = await create("mounted", { image: "nginx", volumes: [volume] });
  const podSpec = async () =>
    (await manager.client.get(Deployment, { namespace, name })).spec?.template.spec;
  await eventually(async () => expect((await podSpec())?.volumes).toHaveLength(1));
  await change(name, (spec) => {
    spec.volumes = [{ name: "data", mountPath: "/data", readOnly: true, secret: "token" }];
  });
  await eventually(async () => {
    const { volumes, containers } = (await podSpec())!;
    expect(volumes).toMatchObject([{ name: "secret-data", secret: { secretName: "token" } }]);
    expect(containers[0]?.volumeMounts).toEqual([
      { name: "secret-data", mountPath: "/data", readOnly: true },
    ]);
  });
});

test("no autoscaler is created for a Deployment of another owner", async () => {
  const name = "not-ours";
  const labels = { app: "theirs" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } };
  const spec = { selector: { matchLabels: labels }, template };
  const foreign = await manager.client.create(Deployment, { metadata: { name, namespace }, spec });
  const resources = { requests: { cpu: "10m" } };
  await create(name, { image: "nginx", resources, autoscaling: { maxReplicas: 3 } });
  await eventually(async () => expect(await conditionOf(name, "Degraded")).toBe("NameConflict"));
  expect(await manager.client.find(HorizontalPodAutoscaler, { namespace, name })).toBeUndefined();
  expect(await manager.client.get(Deployment, { namespace, name })).toEqual(foreign);
});

test("orphaned objects are adopted by a new app of the same name", async () => {
  const name = await create("orphaned", { image: "nginx" });
  const key = { namespace, name };
  const deployment = await eventually(() => manager.client.get(Deployment, key));
  await manager.client.delete(AppService, key, { propagationPolicy: "Orphan" });
  await manager.client.patch(Deployment, key, { merge: { metadata: noOwners } });
  await manager.client.patch(AppService, key, { merge: { metadata: noFinalizers } });
  await eventually(async () => {
    expect(await manager.client.find(AppService, key)).toBeUndefined();
  });
  await create(name, { image: "nginx:2" });
  await eventually(async () => {
    const { metadata, spec } = await manager.client.get(Deployment, key);
    expect(metadata.uid).toBe(deployment.metadata.uid);
    expect(metadata.ownerReferences).toHaveLength(1);
    expect(spec?.template.spec?.containers[0]?.image).toBe("nginx:2");
  });
});

test("the scale subresource scales the app", async () => {
  const name = await create("scaled", { image: "nginx" });
  await eventually(() => manager.client.get(Deployment, { namespace, name }));
  await manager.client
    .subresource(AppService, { namespace, name }, "scale")
    .patch({ merge: { spec: { replicas: 3 } } });
  await eventually(async () => {
    expect((await manager.client.get(Deployment, { namespace, name })).spec?.replicas).toBe(3);
  });
});

test.each<[string, AppServiceSpec, string]>([
  ["no image", { image: "" }, "spec.image"],
  ["port 0", { image: "a", ports: [{ port: 0 }] }, "spec.ports[0].port"],
  [
    "a node port out of range",
    { image: "a", ports: [{ port: 80, nodePort: 80 }] },
    "spec.ports[0].nodePort",
  ],
  [
    "two ports without names",
    { image: "a", ports: [{ port: 80 }, { port: 81 }] },
    "each needs a name",
  ],
  [
    "a node port with ClusterIP",
    { image: "a", serviceType: "ClusterIP", ports: [{ port: 80, nodePort: 30001 }] },
    "nodePort requires",
  ],
  [
    "a target port that is not the name of a port",
    { image: "a", ports: [{ port: 80, targetPort: "http" }] },
    "a named targetPort must be",
  ],
  ["a volume of no type", { image: "a", volumes: [{ name: "a", mountPath: "/a" }] }, "a volume is"],
  ["a volume of two types", { image: "a", volumes: [{ ...volume, secret: "b" }] }, "a volume is"],
  ["a duplicate variable", { image: "a", envs: [{ name: "A" }, { name: "A" }] }, "spec.envs[1]"],
  [
    "autoscaling without a CPU request",
    { image: "a", autoscaling: { maxReplicas: 2 } },
    "autoscaling requires",
  ],
  [
    "minReplicas above maxReplicas",
    {
      image: "a",
      resources: { requests: { cpu: "1" } },
      autoscaling: { minReplicas: 3, maxReplicas: 2 },
    },
    "minReplicas is larger",
  ],
])("%s is refused", async (_, spec, message) => {
  await expect(create("refused", spec)).rejects.toThrow(message);
});

async function create(name: string, spec: AppServiceSpec): Promise<string> {
  await manager.client.create(AppService, { metadata: { name, namespace }, spec });
  return name;
}

async function change(name: string, edit: (spec: AppServiceSpec) => void): Promise<void> {
  const app = await manager.client.get(AppService, { namespace, name });
  await manager.client.patch(AppService, app, ({ spec }) => edit(spec), { optimisticLock: false });
}

async function conditionOf(name: string, type: string): Promise<string | undefined> {
  const { status } = await manager.client.get(AppService, { namespace, name });
  return findCondition(status?.conditions, type)?.reason;
}

/** The resource versions, which change with every write. */
async function versions(name: string): Promise<(string | undefined)[]> {
  const objects = await Promise.all([
    manager.client.get(AppService, { namespace, name }),
    manager.client.get(Deployment, { namespace, name }),
    manager.client.get(Service, { namespace, name }),
  ]);
  return objects.map(({ metadata }) => metadata.resourceVersion);
}

/** Acts as the Deployment controller. */
async function makeAvailable(name: string): Promise<void> {
  const deployment = await manager.client.get(Deployment, { namespace, name });
  const replicas = deployment.spec?.replicas ?? 1;
  const time = "2026-01-01T00:00:00Z";
  const moments = { lastTransitionTime: time, lastUpdateTime: time };
  await manager.client.patchStatus(Deployment, deployment, {
    observedGeneration: deployment.metadata.generation,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    conditions: [
      { type: "Available", status: "True", reason: "MinimumReplicasAvailable", ...moments },
    ],
  });
}
