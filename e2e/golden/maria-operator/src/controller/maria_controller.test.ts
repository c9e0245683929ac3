/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
import { NetworkPolicy } from "@tsbuilder/runtime/k8s/networking/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { eventually } from "@tsbuilder/runtime/testing";
import { expect, test } from "vitest";
import { DOMAIN } from "./maria_names.ts";
import { namespace, useScene } from "./maria_testing.ts";

const scene = useScene();

test("an empty spec gets defaults, one server, and no backup", async () => {
  const name = await scene.createServers("minimal");
  const { spec, metadata } = await scene.get(name);
  expect(spec).toMatchObject({
    size: 1,
    username: "app",
    backupPath: "/backups",
    deletionPolicy: "Retain",
  });
  expect(metadata.finalizers).toEqual([`${DOMAIN}/mysql`]);

  const statefulSet = await scene.statefulSet(name);
  expect(statefulSet.spec?.replicas).toBe(1);
  expect(statefulSet.metadata.ownerReferences).toMatchObject([
    { kind: "Maria", name, controller: true, blockOwnerDeletion: true },
  ]);
  for (const service of [name, `${name}-read`, `${name}-headless`]) {
    await eventually(() => scene.client.get(Service, { namespace, name: service }));
  }
  expect(await scene.client.find(CronJob, { namespace, name: `${name}-backup` })).toBeUndefined();
  expect(await scene.client.find(PodDisruptionBudget, { namespace, name })).toBeUndefined();
});

test("one Service selects the primary, and another all servers", async () => {
  const nodeSelector = { disk: "ssd" };
  const service = { type: "NodePort" as const };
  const name = await scene.createServers("addressed", { service, nodeSelector });
  expect((await scene.statefulSet(name)).spec?.template.spec).toMatchObject({ nodeSelector });
  const primary = await eventually(() => scene.client.get(Service, { namespace, name }));
  expect(primary.spec).toMatchObject({
    type: "NodePort",
    selector: { "statefulset.kubernetes.io/pod-name": `${name}-0` },
  });
  const read = await scene.client.get(Service, { namespace, name: `${name}-read` });
  expect(read.spec?.type).toBe("ClusterIP");
  expect(read.spec?.selector).not.toHaveProperty("statefulset.kubernetes.io/pod-name");
  const headless = await scene.client.get(Service, { namespace, name: `${name}-headless` });
  expect(headless.spec).toMatchObject({ clusterIP: "None", publishNotReadyAddresses: true });
});

test("Available follows the StatefulSet's status for its current generation only", async () => {
  const name = await scene.createServers("ready");
  await scene.until(name, { Available: "Initializing", Progressing: "Creating" });
  await scene.makeReady(name);
  await scene.until(name, { Available: "PrimaryReady", Progressing: "UpToDate" });
  expect((await scene.get(name)).status).toMatchObject({
    readyReplicas: 1,
    primary: `${name}-0`,
    endpoint: `${name}.default.svc:3306`,
    readEndpoint: `${name}-read.default.svc:3306`,
  });
});

test("a new image is rolled out, and the primary stays available until it is replaced or stopped", async () => {
  const name = await scene.createServers("rolled", { size: 2 });
  await eventually(() => scene.client.get(PodDisruptionBudget, { namespace, name }));
  await scene.makeReady(name);
  await scene.until(name, { Available: "PrimaryReady" });
  await scene.change(name, (spec) => (spec.image = "mariadb:11.4"));
  await scene.until(name, { Available: "PrimaryReady", Progressing: "RollingUpdate" });
  await scene.makeReady(name, 2);
  await scene.until(name, { Progressing: "UpToDate" });
  const [container] = (await scene.statefulSet(name)).spec?.template.spec?.containers ?? [];
  expect(container?.image).toBe("mariadb:11.4");
  await scene.change(name, (spec) => (spec.size = 0));
  await scene.until(name, { Available: "Stopped" });
  expect((await scene.statefulSet(name)).spec?.replicas).toBe(0);
  expect(await scene.client.find(PodDisruptionBudget, { namespace, name })).toBeUndefined();
});

test("clients, the servers themselves and Jobs reach the servers, if clients are named", async () => {
  const clients = [{ namespaceSelector: { matchLabels: { team: "shop" } } }];
  const name = await scene.createServers("guarded", { clients });
  const { spec } = await eventually(() => scene.client.get(NetworkPolicy, { namespace, name }));
  const ours = expect.objectContaining({ "app.kubernetes.io/instance": name });
  expect(spec?.ingress?.[0]?.from).toEqual([{ podSelector: { matchLabels: ours } }, ...clients]);
  await scene.change(name, (spec) => delete spec.clients);
  expect(await scene.client.find(NetworkPolicy, { namespace, name })).toBeUndefined();
});

test("a switchover is a Job, which the Service for writes and the servers follow", async () => {
  const name = await scene.createServers("switched", { size: 2 });
  await scene.makeReady(name);
  await scene.change(name, (spec) => (spec.primary = 1));
  await scene.until(name, { Progressing: "SwitchingOver" });
  const key = { namespace, name: `${name}-switchover` };
  await scene.endJob(key.name, "Failed", "2026-01-01T00:00:00Z");
  await scene.until(name, { Degraded: "SwitchoverFailed" });
  expect((await scene.get(name)).status?.primary).toBe(`${name}-0`);
  await scene.client.delete(Job, key, { propagationPolicy: "Background" });
  await scene.until(name, { Progressing: "SwitchingOver" });
  await scene.endJob(key.name, "Complete", "2026-01-01T00:00:00Z");
  await eventually(async () => {
    const { spec } = await scene.client.get(Service, { namespace, name });
    expect(spec?.selector?.["statefulset.kubernetes.io/pod-name"]).toBe(`${name}-1`);
    expect(await scene.client.find(Job, key)).toBeUndefined();
  });
  expect(await scene.fileOf(name, "primary")).toMatch(/^1 switched-1\./);
  expect((await scene.get(name)).status?.primary).toBe(`${name}-1`);
});
