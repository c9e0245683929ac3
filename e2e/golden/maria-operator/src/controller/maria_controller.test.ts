/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { type ApiError, findCondition } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { eventually, startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Maria, type MariaSpec } from "../../api/v1/maria_types.ts";
import { setupMariaController } from "./maria_controller.ts";

const namespace = "default";
let cluster: TestCluster;
let manager: TestManager;

// No controllers but ours run here: a test that needs a StatefulSet to get ready says so itself.
beforeAll(async () => {
  cluster = await startTestCluster({ crds: "config/crd/bases" });
  manager = await startTestManager(cluster.kubeconfig, setupMariaController);
});

afterAll(async () => {
  await manager?.stop();
  await cluster?.stop();
});

test("an empty spec gets its defaults, one server, and no backup", async () => {
  const name = await create("minimal", {});
  const { spec } = await manager.client.get(Maria, { namespace, name });
  expect(spec).toMatchObject({
    size: 1,
    username: "app",
    backupPath: "/backups",
    deletionPolicy: "Retain",
  });

  const statefulSet = await eventually(() => manager.client.get(StatefulSet, { namespace, name }));
  expect(statefulSet.spec?.replicas).toBe(1);
  expect(statefulSet.metadata.ownerReferences).toMatchObject([
    { kind: "Maria", name, controller: true },
  ]);
  for (const service of [name, `${name}-read`, `${name}-headless`]) {
    await eventually(() => manager.client.get(Service, { namespace, name: service }));
  }
  expect(await manager.client.find(CronJob, { namespace, name: `${name}-backup` })).toBeUndefined();
  expect(await manager.client.find(PodDisruptionBudget, { namespace, name })).toBeUndefined();
});

test("a password in the spec works, is warned of, and stands in no object but Secrets", async () => {
  const name = await create("inline", { username: "root", password: "password123", size: 3 });
  await eventually(async () =>
    expect(await conditionOf(name, "InlinePassword")).toBe("PasswordInSpec"),
  );
  const statefulSet = await eventually(() => manager.client.get(StatefulSet, { namespace, name }));
  expect(JSON.stringify(statefulSet)).not.toContain("password123");
  const statements = await fileOf(name, "init.sql");
  expect(statements).toContain("ALTER USER 'root'@'localhost' IDENTIFIED BY 'password123'");
  expect(statements).not.toContain("'app'@");
});

test("Available follows the StatefulSet, at its current generation only", async () => {
  const name = await create("ready", {});
  await eventually(async () => expect(await conditionOf(name, "Available")).toBe("Initializing"));
  await makeReady(name);
  await eventually(async () => expect(await conditionOf(name, "Available")).toBe("PrimaryReady"));
  const { status } = await manager.client.get(Maria, { namespace, name });
  expect(status).toMatchObject({
    readyReplicas: 1,
    primary: `${name}-0`,
    endpoint: `${name}.default.svc:3306`,
  });
});

test("a change of size scales, and a budget comes and goes with it", async () => {
  const name = await create("scaled", { size: 2 });
  await eventually(() => manager.client.get(PodDisruptionBudget, { namespace, name }));
  await change(name, (spec) => (spec.size = 1));
  await eventually(async () => {
    expect((await manager.client.get(StatefulSet, { namespace, name })).spec?.replicas).toBe(1);
    expect(await manager.client.find(PodDisruptionBudget, { namespace, name })).toBeUndefined();
  });
});

test("a schedule makes a CronJob, and its end takes it away and leaves the backups", async () => {
  const name = await create("scheduled", { backupSchedule: "*/5 * * * *", database: "shop" });
  const key = { namespace, name: `${name}-backup` };
  const cronJob = await eventually(() => manager.client.get(CronJob, key));
  expect(cronJob.spec).toMatchObject({ schedule: "*/5 * * * *", concurrencyPolicy: "Forbid" });
  await change(name, (spec) => delete spec.backupSchedule);
  await eventually(async () => expect(await manager.client.find(CronJob, key)).toBeUndefined());
  expect(await manager.client.get(PersistentVolumeClaim, key)).toBeDefined();
});

test("the newest backup that ended is told in the status", async () => {
  const name = await create("backed-up", { backupSchedule: "@daily", database: "shop" });
  await eventually(() => manager.client.get(CronJob, { namespace, name: `${name}-backup` }));
  const template = await manager.client.get(CronJob, { namespace, name: `${name}-backup` });
  const { metadata, spec } = template.spec!.jobTemplate;
  const made = { metadata: { ...metadata, name: `${name}-by-hand`, namespace }, spec: spec! };
  const job = await manager.client.create(Job, made);
  const time = "2026-01-01T00:00:00Z";
  await manager.client.patchStatus(Job, job, {
    startTime: time,
    completionTime: time,
    succeeded: 1,
    conditions: [
      { type: "SuccessCriteriaMet", status: "True", lastTransitionTime: time, lastProbeTime: time },
      { type: "Complete", status: "True", lastTransitionTime: time, lastProbeTime: time },
    ],
  });
  await eventually(async () => {
    const { status } = await manager.client.get(Maria, { namespace, name });
    expect(status).toMatchObject({ lastBackupTime: time, lastBackup: { result: "Succeeded" } });
  });
  expect(await conditionOf(name, "BackupReady")).toBe("LastSucceeded");
});

test("a Secret that is missing is named, and its coming is enough", async () => {
  const name = await create("referring", { passwordSecretRef: { name: "given" } });
  await eventually(async () => expect(await conditionOf(name, "Degraded")).toBe("SecretNotFound"));
  expect(await manager.client.find(StatefulSet, { namespace, name })).toBeUndefined();
  await manager.client.create(Secret, {
    metadata: { name: "given", namespace },
    stringData: { password: "it's\\secret\n" },
  });
  await eventually(() => manager.client.get(StatefulSet, { namespace, name }));
  expect(await fileOf(name, "init.sql")).toContain(
    String.raw`'app'@'%' IDENTIFIED BY 'it''s\\secret'`,
  );
});

test("a new password restarts the servers once, the same one again does not", async () => {
  const secret = await manager.client.create(Secret, {
    metadata: { name: "rotating", namespace },
    stringData: { password: "first" },
  });
  const name = await create("rotated", { passwordSecretRef: { name: "rotating" } });
  const before = await eventually(() => manager.client.get(StatefulSet, { namespace, name }));
  await manager.client.patch(Secret, secret, (draft) => {
    draft.data = { password: Buffer.from("second").toString("base64") };
  });
  await eventually(async () => {
    const after = await manager.client.get(StatefulSet, { namespace, name });
    expect(after.spec?.template.metadata?.annotations).not.toEqual(
      before.spec?.template.metadata?.annotations,
    );
  });
});

test("what is deleted or changed by hand comes back", async () => {
  const name = await create("repaired", {});
  const service = await eventually(() => manager.client.get(Service, { namespace, name }));
  await manager.client.delete(Service, { namespace, name });
  await eventually(async () => {
    const { metadata } = await manager.client.get(Service, { namespace, name });
    expect(metadata.uid).not.toBe(service.metadata.uid);
  });
  const statefulSet = await manager.client.get(StatefulSet, { namespace, name });
  await manager.client.patch(StatefulSet, statefulSet, (draft) => {
    draft.spec!.replicas = 5;
  });
  await eventually(async () => {
    expect((await manager.client.get(StatefulSet, { namespace, name })).spec?.replicas).toBe(1);
  });
});

test("a stranger's object of the same name is left alone", async () => {
  const foreign = await manager.client.create(Service, {
    metadata: { name: "contested", namespace, ownerReferences: [stranger] },
    spec: { ports: [{ port: 80, protocol: "TCP" }] },
  });
  const name = await create("contested", {});
  await eventually(async () => expect(await conditionOf(name, "Degraded")).toBe("NameConflict"));
  const after = await manager.client.get(Service, { namespace, name });
  expect(after.metadata.resourceVersion).toBe(foreign.metadata.resourceVersion);
});

test("after the primary was ready, an empty one may not start by itself", async () => {
  const name = await create("precious", {});
  await eventually(() => manager.client.get(StatefulSet, { namespace, name }));
  expect(await fileOf(name, "initialized")).toBeUndefined();
  await makeReady(name);
  await eventually(async () => expect(await fileOf(name, "initialized")).toBe("true"));
});

test("deleted, it leaves its volumes and passwords, marked as left", async () => {
  const name = await create("retained", { backupSchedule: "@daily", database: "shop" });
  const claim = { namespace, name: `${name}-backup` };
  await eventually(() => manager.client.get(CronJob, claim));
  await manager.client.delete(Maria, { namespace, name });
  await eventually(async () =>
    expect(await manager.client.find(Maria, { namespace, name })).toBeUndefined(),
  );
  expect(await manager.client.find(CronJob, claim)).toBeUndefined();
  for (const left of [
    await manager.client.get(PersistentVolumeClaim, claim),
    await manager.client.get(Secret, { namespace, name: `${name}-credentials` }),
  ]) {
    expect(left.metadata.labels).toMatchObject({ "data.example.com/retained": "true" });
  }
});

test("deleted with deletionPolicy Delete, it takes its data along", async () => {
  const name = await create("removed", { deletionPolicy: "Delete", backupSchedule: "@daily" });
  await eventually(() => manager.client.get(CronJob, { namespace, name: `${name}-backup` }));
  await manager.client.delete(Maria, { namespace, name });
  await eventually(async () =>
    expect(await manager.client.find(Maria, { namespace, name })).toBeUndefined(),
  );
  expect(
    await manager.client.find(Secret, { namespace, name: `${name}-credentials` }),
  ).toBeUndefined();
});

test.each<[string, MariaSpec, string]>([
  ["a negative size", { size: -1 }, "spec.size"],
  ["too large a size", { size: 6 }, "spec.size"],
  ["a schedule that is none", { backupSchedule: "every day" }, "spec.backupSchedule"],
  ["a relative backup path", { backupPath: "../x" }, "spec.backupPath"],
  ["a backup path in the data", { backupPath: "/var/lib/mysql/x" }, "spec.backupPath"],
  ["a name that needs quotes", { database: "a`b" }, "spec.database"],
  ["the operator's own user", { username: "operator_x" }, "spec.username"],
  ["storage that is no quantity", { storage: { size: "1GB1" } }, "spec.storage.size"],
  ["two passwords", { password: "a", passwordSecretRef: { name: "b" } }, "exclude each other"],
  ["a setting of the operator's", { config: { "server-id": "7" } }, "the operator sets"],
])("%s is refused", async (_, spec, message) => {
  await expect(create("refused", spec)).rejects.toThrow(message);
});

test("what must not change does not", async () => {
  const name = await create("fixed", { database: "shop", storage: { size: "2Gi" } });
  const refused = expect.objectContaining({ isInvalid: true }) as ApiError;
  await expect(change(name, (spec) => delete spec.database)).rejects.toThrow(refused);
  await expect(change(name, (spec) => (spec.storage = { size: "1Gi" }))).rejects.toThrow(refused);
  await expect(change(name, (spec) => (spec.username = "other"))).rejects.toThrow(refused);
  await expect(change(name, (spec) => (spec.restoreFrom = { name: "x" }))).rejects.toThrow(refused);
  await change(name, (spec) => (spec.storage = { size: "2048Mi" }));
});

test("a name that is too long for what is derived from it is refused", async () => {
  await expect(create("x".repeat(41), {})).rejects.toThrow("longer than 40");
});

const stranger = {
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "x",
  uid: "stranger",
  controller: true,
};

async function create(name: string, spec: MariaSpec): Promise<string> {
  await manager.client.create(Maria, { metadata: { name, namespace }, spec });
  return name;
}

async function change(name: string, edit: (spec: MariaSpec) => void): Promise<void> {
  const mysql = await manager.client.get(Maria, { namespace, name });
  await manager.client.patch(Maria, mysql, ({ spec }) => edit(spec), { optimisticLock: false });
}

async function conditionOf(name: string, type: string): Promise<string | undefined> {
  const { status } = await manager.client.get(Maria, { namespace, name });
  return findCondition(status?.conditions, type)?.reason;
}

async function fileOf(name: string, file: string): Promise<string | undefined> {
  const { data } = await manager.client.get(Secret, { namespace, name: `${name}-config` });
  return data?.[file] && Buffer.from(data[file], "base64").toString("utf8");
}

/** Plays the StatefulSet's controller. */
async function makeReady(name: string): Promise<void> {
  const statefulSet = await manager.client.get(StatefulSet, { namespace, name });
  const replicas = statefulSet.spec?.replicas ?? 1;
  await manager.client.patchStatus(StatefulSet, statefulSet, {
    observedGeneration: statefulSet.metadata.generation,
    replicas,
    readyReplicas: replicas,
    updatedReplicas: replicas,
    availableReplicas: replicas,
  });
}
