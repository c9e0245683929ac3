/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { Event } from "@tsbuilder/runtime/k8s/events/v1";
import { StorageClass } from "@tsbuilder/runtime/k8s/storage/v1";
import { eventually } from "@tsbuilder/runtime/testing";
import { beforeAll, expect, test } from "vitest";
import { Maria } from "../../api/v1/maria_types.ts";
import { RETAINED_LABEL } from "./maria_names.ts";
import { namespace, useScene } from "./maria_testing.ts";

const scene = useScene();

beforeAll(async () => {
  const metadata = { name: "growing" };
  const storageClass = { metadata, provisioner: "x.example.com", allowVolumeExpansion: true };
  await scene.client.create(StorageClass, storageClass);
});

test("volumes are expanded, and a new StatefulSet adopts the pods", async () => {
  const storage = { className: "growing" };
  const name = await scene.createServers("grown", { storage });
  await scene.makeReady(name);
  await scene.until(name, { Available: "PrimaryReady" });
  await scene.makeVolume(name, `data-${name}-0`, "growing");
  const before = await scene.statefulSet(name);
  await scene.change(name, (spec) => (spec.storage = { ...storage, size: "2Gi" }));
  // Its pods are orphaned first, which is the garbage collector's job.
  await scene.until(name, { Available: "PrimaryReady", Progressing: "ResizingStorage" });
  expect((await scene.get(name)).status?.readyReplicas).toBe(1);
  const merge = { metadata: { finalizers: null } };
  await scene.client.patch(StatefulSet, { namespace, name }, { merge });
  await eventually(async () => {
    const { metadata, spec } = await scene.statefulSet(name);
    expect(metadata.uid).not.toBe(before.metadata.uid);
    expect(spec?.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.storage).toBe("2Gi");
  });
  const claim = { namespace, name: `data-${name}-0` };
  const { spec } = await scene.client.get(PersistentVolumeClaim, claim);
  expect(spec?.resources?.requests?.storage).toBe("2Gi");
  await scene.makeReady(name);
  await scene.until(name, { Available: "PrimaryReady", Progressing: "UpToDate" });
});

test("a StatefulSet of an earlier version, whose pods wait for each other, is replaced without them", async () => {
  const name = await scene.createServers("ordered");
  await scene.change(name, (spec) => (spec.paused = true));
  const { metadata, spec } = await scene.statefulSet(name);
  const { labels, ownerReferences } = metadata;
  await scene.client.delete(StatefulSet, { namespace, name });
  const older = await scene.client.create(StatefulSet, {
    metadata: { name, namespace, labels, ownerReferences },
    spec: { ...spec!, podManagementPolicy: "OrderedReady" },
  });
  await scene.change(name, (changed) => (changed.paused = false));
  await scene.until(name, { Progressing: "ReplacingStatefulSet" });
  await eventually(async () => {
    const events = await scene.client.list(Event, { namespace });
    const own = events.filter(({ regarding }) => regarding?.name === name);
    expect(own.map(({ reason }) => reason)).toContain("ReplacingStatefulSet");
  });
  // Its pods are orphaned first, which is the garbage collector's job.
  const merge = { metadata: { finalizers: null } };
  await scene.client.patch(StatefulSet, { namespace, name }, { merge });
  await eventually(async () => {
    const renewed = await scene.statefulSet(name);
    expect(renewed.metadata.uid).not.toBe(older.metadata.uid);
    expect(renewed.spec?.podManagementPolicy).toBe("Parallel");
  });
});

test("deletion retains volumes and passwords, labelled until a MySQL of the same name adopts them", async () => {
  const name = await scene.createServers("retained", { backupSchedule: "@daily" });
  const key = { namespace, name: `${name}-backup` };
  await eventually(() => scene.client.get(CronJob, key));
  await scene.makeVolume(name, `data-${name}-0`, "growing");
  const { data } = await scene.client.get(Secret, { namespace, name: `${name}-credentials` });
  await remove(name);
  expect(await scene.client.find(CronJob, key)).toBeUndefined();
  expect(await marks(name)).toEqual(["true", "true", "true"]);

  // There is no garbage collector in this cluster: delete what the first one owned.
  await scene.client.delete(StatefulSet, { namespace, name });
  await scene.client.delete(Secret, { namespace, name: `${name}-config` });
  await scene.create(name, { backupSchedule: "@daily" });
  await eventually(async () =>
    expect(await marks(name)).toEqual([undefined, undefined, undefined]),
  );
  const found = await scene.client.get(Secret, { namespace, name: `${name}-credentials` });
  expect(found.data).toEqual(data);
});

test.each<[name: string, policy: "Retain" | "Delete", left: string[]]>([
  ["removed", "Retain", ["removed-backup"]],
  ["erased", "Delete", []],
])("deletion of %s follows the backups' policy: %s", async (name, policy, left) => {
  await scene.createServers(name, {
    deletionPolicy: "Delete",
    backupSchedule: "@daily",
    backup: { deletionPolicy: policy },
  });
  await eventually(() => scene.client.get(CronJob, { namespace, name: `${name}-backup` }));
  await scene.makeVolume(name, `data-${name}-0`, "growing");
  await remove(name);
  expect(await claimsOf(name)).toEqual(left);
  const retained = { namespace, labels: { [RETAINED_LABEL]: "true" } };
  const marked = await scene.client.list(PersistentVolumeClaim, retained);
  expect(marked.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(left));
  const secret = { namespace, name: `${name}-credentials` };
  expect(await scene.client.find(Secret, secret)).toBeUndefined();
  expect(await scene.client.find(StatefulSet, { namespace, name })).toBeUndefined();
});

async function claimsOf(name: string): Promise<unknown[]> {
  const claims = await scene.client.list(PersistentVolumeClaim, { namespace });
  const left = claims.filter(({ metadata }) => !metadata.deletionTimestamp);
  return left.map(({ metadata }) => metadata.name).filter((claim) => claim?.includes(`${name}-`));
}

async function remove(name: string): Promise<void> {
  await scene.client.delete(Maria, { namespace, name });
  await eventually(async () => {
    expect(await scene.client.find(Maria, { namespace, name })).toBeUndefined();
  });
}

async function marks(name: string): Promise<(string | undefined)[]> {
  const left = await Promise.all([
    scene.client.get(PersistentVolumeClaim, { namespace, name: `data-${name}-0` }),
    scene.client.get(PersistentVolumeClaim, { namespace, name: `${name}-backup` }),
    scene.client.get(Secret, { namespace, name: `${name}-credentials` }),
  ]);
  return left.map(({ metadata }) => metadata.labels?.[RETAINED_LABEL]);
}
