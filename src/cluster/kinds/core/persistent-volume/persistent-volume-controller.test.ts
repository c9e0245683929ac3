import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { clusterObjects } from "../../../registry/cluster-objects.ts";
import {
  persistentVolumeClaims,
  persistentVolumes,
  storageClasses,
  volumeAttributesClasses,
} from "../../../control-loop/api/core.ts";
import { eventually } from "../../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster({ controllers: ["persistentvolume"] });
});
afterEach(() => cluster.stop());

const claim = (storage: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data", namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } }, ...spec },
});
const volume = (name: string, storage: string, spec: object = {}) => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    accessModes: ["ReadWriteOnce"],
    capacity: { storage },
    storageClassName: "manual",
    persistentVolumeReclaimPolicy: "Retain",
    hostPath: { path: "/data" },
    ...spec,
  },
});

const objects = () => clusterObjects(cluster.core);
const read = () => objects().get(persistentVolumeClaims, "default", "data");
const volumes = () => objects().list(persistentVolumes);

describe("persistentVolumeController()", () => {
  it("provisions a volume for a claim without a class", async () => {
    await cluster.install(claim("1Gi"));
    await eventually(() =>
      expect(read()?.status).toEqual({
        phase: "Bound",
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
      }),
    );
    expect(read()?.spec).toMatchObject({
      storageClassName: "standard",
      volumeName: volumes()[0]?.metadata.name,
    });
    await eventually(() => expect(volumes()[0]?.status?.phase).toBe("Bound"));
    expect(volumes()[0]?.spec.claimRef).toMatchObject({ name: "data", uid: read()?.metadata.uid });
  });

  it("expands a volume with its claim", async () => {
    await cluster.install(claim("1Gi"));
    await eventually(() => expect(read()?.status?.phase).toBe("Bound"));
    const { spec } = read()!;
    await objects().update("tester", {
      ...read()!,
      spec: { ...spec, resources: { requests: { storage: "2Gi" } } },
    });
    await eventually(() => expect(read()?.status?.capacity).toEqual({ storage: "2Gi" }));
    expect(volumes()[0]?.spec.capacity).toEqual({ storage: "2Gi" });
  });

  it("binds the smallest volume that is large enough", async () => {
    await cluster.install(volume("small", "1Gi"), volume("large", "10Gi"), volume("right", "5Gi"));
    await cluster.install(claim("3Gi", { storageClassName: "manual" }));
    await eventually(() => expect(read()?.spec.volumeName).toBe("right"));
    await eventually(() =>
      expect(
        volumes()
          .map(({ status }) => status?.phase)
          .sort((a, b) => a!.localeCompare(b!)),
      ).toEqual(["Available", "Available", "Bound"]),
    );
  });

  it("keeps a claim pending if its class has no provisioner", async () => {
    await cluster.install(claim("1Gi", { storageClassName: "manual" }));
    await eventually(() => expect(read()?.status?.phase).toBe("Pending"));
    await cluster.install(volume("late", "1Gi"));
    await eventually(() => expect(read()?.status?.phase).toBe("Bound"));
  });

  it("deletes a provisioned volume with its claim, and releases others", async () => {
    await cluster.install(claim("1Gi"));
    await eventually(() => expect(read()?.status?.phase).toBe("Bound"));
    await objects().delete("tester", read()!);
    await eventually(() => expect(volumes()).toEqual([]));

    await cluster.install(volume("kept", "1Gi"), claim("1Gi", { storageClassName: "manual" }));
    await eventually(() => expect(read()?.status?.phase).toBe("Bound"));
    await objects().delete("tester", read()!);
    await eventually(() => expect(volumes()[0]?.status?.phase).toBe("Released"));
  });

  it("keeps a deleted claim until the last pod that uses it is gone", async () => {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    await cluster.install(claim("1Gi"), {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "user", namespace: "default" },
      spec: { containers: [{ name: "user", image: "user:1" }], volumes },
    });
    await eventually(() => expect(read()?.status?.phase).toBe("Bound"));
    await objects().delete("tester", read()!);
    await eventually(() => expect(read()?.metadata.finalizers).toEqual(["kubernetes.io/pvc-protection"]));
    await objects().delete("tester", objects().get("pods", "default", "user")!, { gracePeriodSeconds: 0 });
    await eventually(() => expect(read()).toBeUndefined());
  });

  it("keeps a deleted VolumeAttributesClass until no claim names it", async () => {
    const fast = {
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttributesClass",
      metadata: { name: "fast" },
      driverName: "example.com",
      parameters: { iops: "1000" },
    };
    const readClass = () => objects().get(volumeAttributesClasses, undefined, "fast");
    await cluster.install(fast, claim("1Gi", { volumeAttributesClassName: "fast" }));
    await eventually(() => expect(read()?.status?.phase).toBe("Bound"));
    await objects().delete("tester", readClass()!);
    expect(readClass()?.metadata.finalizers).toEqual(["kubernetes.io/vac-protection"]);
    await objects().delete("tester", read()!);
    await eventually(() => expect(readClass()).toBeUndefined());
    await cluster.install(fast);
    await objects().delete("tester", readClass()!);
    await eventually(() => expect(readClass()).toBeUndefined());
  });

  it("creates a default StorageClass", async () => {
    await eventually(() =>
      expect(objects().get(storageClasses, undefined, "standard")).toMatchObject({
        metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
        allowVolumeExpansion: true,
      }),
    );
  });
});
