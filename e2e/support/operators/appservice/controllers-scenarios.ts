import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { KubernetesObject, NamespacedName } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Namespace, Pod, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { AppService } from "../../../golden/app-operator/api/v1/appservice_types.ts";
import { Memcached } from "../../../golden/app-operator/api/v1/memcached_types.ts";
import { findPrograms } from "../../kubectl-binaries.ts";
import { type Key, type Scenario, type ScenarioContext } from "./context.ts";

const programs = findPrograms("33");
const missing = "missing" in programs ? programs.missing : undefined;
const kubectl = promisify(execFile);
/** The garbage collector discovers new kinds every 30 s; until then it ignores owners of those kinds. */
const garbage = { within: 120_000 };

/** Scenarios that need Kubernetes' controllers: pods, rollouts, garbage collection, namespace deletion. */
export const controllersScenarios: readonly Scenario[] = [
  {
    id: "T04",
    title: "scaling from two pods to five keeps the first two, and the printed columns agree",
    run: twoToFive,
    missing,
  },
  { id: "T07c", title: "a new image replaces the pods, and the completed rollout is reported", run: rollout },
  { id: "T17c", title: "a deleted app's children are deleted, and none is created again", run: collected },
  {
    id: "U14",
    title: "created, deleted and created again at once, the last app gets its children",
    run: madeAgain,
  },
  { id: "U15", title: "deleted after its children, it creates none again meanwhile", run: foreground },
  { id: "T17d", title: "a namespace is deleted with everything in it", run: endedNamespace, quiet: false },
  {
    id: "I05",
    title: "an object of the image operator rolls out, and is deleted with all that it owns",
    run: image,
  },
];

async function twoToFive(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "walk" };
  await context.create(key, { image: "nginx:alpine", replicas: 2, ports: [{ port: 80, nodePort: 30004 }] });
  await ready(context, key, 2);
  const before = await podsOf(context, key);
  expect(before).toHaveLength(2);
  await context.change(key, { replicas: 5 });
  await ready(context, key, 5);
  const after = await podsOf(context, key);
  expect(after).toHaveLength(5);
  expect(after).toEqual(expect.arrayContaining(before));
  if (!("kubectl" in programs)) return;
  const args = [
    "--kubeconfig",
    context.kubeconfig,
    "-n",
    namespace,
    "get",
    "appservice",
    "walk",
    "-o",
    "wide",
  ];
  const [header, row] = (await kubectl(programs.kubectl, args)).stdout.split("\n");
  expect(header!.split(/ +/).slice(0, 6)).toEqual(["NAME", "IMAGE", "DESIRED", "READY", "AVAILABLE", "URL"]);
  expect(row!.split(/ +/).slice(0, 6)).toEqual([
    "walk",
    "nginx:alpine",
    "5",
    "5",
    "True",
    `http://walk.${namespace}.svc:80`,
  ]);
}

async function rollout(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "rolled" };
  await context.create(key, { image: "nginx:1", replicas: 2, ports: [{ port: 80 }] });
  await ready(context, key, 2);
  const before = await podsOf(context, key);
  await context.change(key, { image: "nginx:2" });
  await ready(context, key, 2);
  const after = await podsOf(context, key);
  expect(after.filter((uid) => before.includes(uid))).toEqual([]);
}

async function collected(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "gone" };
  await context.create(key, { image: "nginx", ports: [{ port: 80 }] });
  await ready(context, key, 1);
  await context.stop();
  await context.client.delete(AppService, key, { propagationPolicy: "Background" });
  await context.eventually(async () => {
    expect(await context.client.find(Deployment, key)).toBeUndefined();
    expect(await context.client.find(Service, key)).toBeUndefined();
    expect(await podsOf(context, key)).toEqual([]);
  }, garbage);
  const writes = context.writesFromNow();
  await context.start();
  await context.idle();
  expect(writes().filter(({ path }) => path.includes(`/namespaces/${namespace}/`))).toEqual([]);
}

async function madeAgain(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "again" };
  const spec = { replicas: 2, ports: [{ port: 80 }], config: { A: "1" } };
  await context.create(key, { ...spec, image: "nginx:0" });
  await ready(context, key, 2);
  for (let round = 1; round <= 5; round += 1) {
    await context.client.delete(AppService, key, { propagationPolicy: "Background" });
    await context.create(key, { ...spec, image: `nginx:${round}` });
  }
  // Until the earlier children are garbage collected, their names are taken.
  const { uid } = (await context.client.get(AppService, key)).metadata;
  await context.eventually(async () => {
    expect(await context.condition(AppService, key, "Degraded")).toBe("False/AsExpected");
    for (const kind of [Deployment, Service]) {
      const child = await context.client.get<KubernetesObject, NamespacedName>(kind, key);
      expect(child).toHaveProperty("metadata.ownerReferences.0.uid", uid);
    }
  }, garbage);
  await ready(context, key, 2);
  const { spec: deployment } = await context.client.get(Deployment, key);
  expect(deployment?.template.spec?.containers[0]?.image).toBe("nginx:5");
}

async function foreground(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "fore" };
  await context.create(key, { image: "nginx", replicas: 2, ports: [{ port: 80 }] });
  await ready(context, key, 2);
  const writes = context.writesFromNow();
  await context.client.delete(AppService, key, { propagationPolicy: "Foreground" });
  await context.eventually(async () => {
    expect(await context.client.find(AppService, key)).toBeUndefined();
  }, garbage);
  expect(await context.client.find(Deployment, key)).toBeUndefined();
  expect(await context.client.find(Service, key)).toBeUndefined();
  expect(writes().filter(({ path }) => path.includes(`/namespaces/${namespace}/`))).toEqual([]);
}

async function endedNamespace(context: ScenarioContext, namespace: string): Promise<void> {
  const keys = Array.from({ length: 5 }, (_, at) => ({ namespace, name: `ending-${at}` }));
  for (const key of keys) await context.create(key, { image: "nginx", ports: [{ port: 80 }] });
  for (const key of keys) await ready(context, key, 1);
  const writes = context.writesFromNow();
  await context.client.delete(Namespace, { name: namespace });
  await context.eventually(
    async () => expect(await context.client.find(Namespace, { name: namespace })).toBeUndefined(),
    { within: 90_000 },
  );
  expect(context.operator.isRunning).toBe(true);
  // The namespace controller deletes kinds in any order: a child may be deleted before its app.
  const made = writes().filter(({ path, status }) => status < 400 && !path.endsWith("/status"));
  expect(made.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
}

async function image(context: ScenarioContext, namespace: string): Promise<void> {
  const key = { namespace, name: "cache" };
  await context.client.create(Memcached, { metadata: key, spec: { replicas: 2 } });
  const isReady = () =>
    context.eventually(async () => {
      expect(await context.condition(Memcached, key, "Available")).toBe("True/DeploymentAvailable");
      expect(await context.condition(Memcached, key, "Progressing")).toBe("False/UpToDate");
      const { status, metadata } = await context.client.get(Memcached, key);
      expect(status).toMatchObject({ readyReplicas: 2, observedGeneration: metadata.generation });
    });
  await isReady();
  const before = await podsOf(context, key);
  await context.client.patch(Memcached, key, { merge: { spec: { image: "memcached:1.7" } } });
  await context.eventually(async () => {
    const now = await podsOf(context, key);
    expect(now.filter((uid) => before.includes(uid))).toEqual([]);
    expect(now).toHaveLength(2);
  });
  await isReady();
  await context.client.delete(Memcached, key, { propagationPolicy: "Background" });
  await context.eventually(async () => {
    expect(await context.client.find(Deployment, key)).toBeUndefined();
    expect(await context.client.find(Service, key)).toBeUndefined();
  }, garbage);
}

async function ready(context: ScenarioContext, key: Key, pods: number): Promise<void> {
  await context.eventually(async () => {
    const { metadata, status } = await context.client.get(AppService, key);
    expect(status).toMatchObject({ readyReplicas: pods, observedGeneration: metadata.generation });
    expect(await context.condition(AppService, key, "Progressing")).toBe("False/UpToDate");
    expect(await context.condition(AppService, key, "Available")).toBe("True/DeploymentAvailable");
  });
}

/** The UIDs of an object's pods, without terminating ones. */
async function podsOf(context: ScenarioContext, { namespace, name }: Key): Promise<(string | undefined)[]> {
  const labels = { "app.kubernetes.io/instance": name };
  const pods = await context.client.list(Pod, { namespace, labels });
  return pods.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.uid);
}
