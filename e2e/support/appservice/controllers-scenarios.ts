import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { KubernetesObject } from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Namespace, Pod, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { expect } from "vitest";
import { AppService } from "../../golden/app-operator/api/v1/appservice_types.ts";
import { Memcached } from "../../golden/app-operator/api/v1/memcached_types.ts";
import { findPrograms } from "../kubectl-binaries.ts";
import { type Key, type Scenario, type Stage } from "./stage.ts";

const programs = findPrograms("33");
const missing = "missing" in programs ? programs.missing : undefined;
const kubectl = promisify(execFile);
/** What takes the controllers of Kubernetes: pods, rollouts, garbage, namespaces that end. */
export const controllersScenarios: readonly Scenario[] = [
  {
    id: "T04",
    title: "two pods become five, the first two stay, and the columns agree",
    play: twoToFive,
    missing,
  },
  { id: "T07c", title: "another image replaces the pods, and is told when it is through", play: rollout },
  { id: "T17c", title: "a deleted app takes its children along, and none comes back", play: collected },
  { id: "U14", title: "made, deleted and made again at once, the last one gets children", play: madeAgain },
  { id: "U15", title: "deleted after its children, it makes none again meanwhile", play: foreground },
  { id: "T17d", title: "a namespace ends with everything in it", play: endedNamespace, quiet: false },
  { id: "I05", title: "an image's object rolls out, and goes with all that it owns", play: image },
];

async function twoToFive(stage: Stage, namespace: string): Promise<void> {
  const key = { namespace, name: "walk" };
  await stage.create(key, { image: "nginx:alpine", replicas: 2, ports: [{ port: 80, nodePort: 30004 }] });
  await ready(stage, key, 2);
  const before = await podsOf(stage, key);
  expect(before).toHaveLength(2);
  await stage.change(key, { replicas: 5 });
  await ready(stage, key, 5);
  const after = await podsOf(stage, key);
  expect(after).toHaveLength(5);
  expect(after).toEqual(expect.arrayContaining(before));
  if (!("kubectl" in programs)) return;
  const args = ["--kubeconfig", stage.kubeconfig, "-n", namespace, "get", "appservice", "walk", "-o", "wide"];
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

async function rollout(stage: Stage, namespace: string): Promise<void> {
  const key = { namespace, name: "rolled" };
  await stage.create(key, { image: "nginx:1", replicas: 2, ports: [{ port: 80 }] });
  await ready(stage, key, 2);
  const before = await podsOf(stage, key);
  await stage.change(key, { image: "nginx:2" });
  await ready(stage, key, 2);
  const after = await podsOf(stage, key);
  expect(after.filter((uid) => before.includes(uid))).toEqual([]);
}

async function collected(stage: Stage, namespace: string): Promise<void> {
  const key = { namespace, name: "gone" };
  await stage.create(key, { image: "nginx", ports: [{ port: 80 }] });
  await ready(stage, key, 1);
  await stage.stop();
  await stage.client.delete(AppService, key, { propagationPolicy: "Background" });
  await stage.eventually(async () => {
    expect(await stage.client.find(Deployment, key)).toBeUndefined();
    expect(await stage.client.find(Service, key)).toBeUndefined();
    expect(await podsOf(stage, key)).toEqual([]);
  });
  const writes = stage.writesFromNow();
  await stage.start();
  await stage.eventually(async () => {
    expect(await stage.operator.metric("workqueue_depth")).toBe(0);
  });
  expect(writes().filter(({ path }) => path.includes(`/namespaces/${namespace}/`))).toEqual([]);
}

async function madeAgain(stage: Stage, namespace: string): Promise<void> {
  const key = { namespace, name: "again" };
  const spec = { replicas: 2, ports: [{ port: 80 }], config: { A: "1" } };
  await stage.create(key, { ...spec, image: "nginx:0" });
  await ready(stage, key, 2);
  for (let round = 1; round <= 5; round += 1) {
    await stage.client.delete(AppService, key, { propagationPolicy: "Background" });
    await stage.create(key, { ...spec, image: `nginx:${round}` });
  }
  // Until the children of before are collected, their names are taken.
  const { uid } = (await stage.client.get(AppService, key)).metadata;
  await stage.eventually(async () => {
    expect(await stage.condition(AppService, key, "Degraded")).toBe("False/AsExpected");
    for (const kind of [Deployment, Service]) {
      const child = await stage.client.get<KubernetesObject>(kind, key);
      expect(child).toHaveProperty("metadata.ownerReferences.0.uid", uid);
    }
  });
  await ready(stage, key, 2);
  const { spec: deployment } = await stage.client.get(Deployment, key);
  expect(deployment?.template.spec?.containers[0]?.image).toBe("nginx:5");
}

async function foreground(stage: Stage, namespace: string): Promise<void> {
  const key = { namespace, name: "fore" };
  await stage.create(key, { image: "nginx", replicas: 2, ports: [{ port: 80 }] });
  await ready(stage, key, 2);
  const writes = stage.writesFromNow();
  await stage.client.delete(AppService, key, { propagationPolicy: "Foreground" });
  await stage.eventually(async () => {
    expect(await stage.client.find(AppService, key)).toBeUndefined();
  });
  expect(await stage.client.find(Deployment, key)).toBeUndefined();
  expect(await stage.client.find(Service, key)).toBeUndefined();
  expect(writes().filter(({ path }) => path.includes(`/namespaces/${namespace}/`))).toEqual([]);
}

async function endedNamespace(stage: Stage, namespace: string): Promise<void> {
  const keys = Array.from({ length: 5 }, (_, at) => ({ namespace, name: `ending-${at}` }));
  for (const key of keys) await stage.create(key, { image: "nginx", ports: [{ port: 80 }] });
  for (const key of keys) await ready(stage, key, 1);
  const writes = stage.writesFromNow();
  await stage.client.delete(Namespace, { name: namespace });
  await stage.eventually(async () =>
    expect(await stage.client.find(Namespace, { name: namespace })).toBeUndefined(),
  );
  expect(stage.operator.isRunning).toBe(true);
  // The namespace's controller takes kinds in any order: a child may go while its app still stands.
  const made = writes().filter(({ path, status }) => status < 400 && !path.endsWith("/status"));
  expect(made.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
}

async function image(stage: Stage, namespace: string): Promise<void> {
  const key = { namespace, name: "cache" };
  await stage.client.create(Memcached, { metadata: key, spec: { replicas: 2 } });
  const isReady = () =>
    stage.eventually(async () => {
      expect(await stage.condition(Memcached, key, "Available")).toBe("True/DeploymentAvailable");
      expect(await stage.condition(Memcached, key, "Progressing")).toBe("False/UpToDate");
      const { status, metadata } = await stage.client.get(Memcached, key);
      expect(status).toMatchObject({ readyReplicas: 2, observedGeneration: metadata.generation });
    });
  await isReady();
  const before = await podsOf(stage, key);
  await stage.client.patch(Memcached, key, { merge: { spec: { image: "memcached:1.7" } } });
  await stage.eventually(async () => {
    const now = await podsOf(stage, key);
    expect(now.filter((uid) => before.includes(uid))).toEqual([]);
    expect(now).toHaveLength(2);
  });
  await isReady();
  await stage.client.delete(Memcached, key, { propagationPolicy: "Background" });
  await stage.eventually(async () => {
    expect(await stage.client.find(Deployment, key)).toBeUndefined();
    expect(await stage.client.find(Service, key)).toBeUndefined();
  });
}

async function ready(stage: Stage, key: Key, pods: number): Promise<void> {
  await stage.eventually(async () => {
    const { metadata, status } = await stage.client.get(AppService, key);
    expect(status).toMatchObject({ readyReplicas: pods, observedGeneration: metadata.generation });
    expect(await stage.condition(AppService, key, "Progressing")).toBe("False/UpToDate");
    expect(await stage.condition(AppService, key, "Available")).toBe("True/DeploymentAvailable");
  });
}

/** The uids of an object's pods, without those that end. */
async function podsOf(stage: Stage, { namespace, name }: Key): Promise<(string | undefined)[]> {
  const labels = { "app.kubernetes.io/instance": name };
  const pods = await stage.client.list(Pod, { namespace, labels });
  return pods.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.uid);
}
