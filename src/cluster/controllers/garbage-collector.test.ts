import type { KubernetesObject, OwnerReference } from "@tsbuilder/apimachinery/meta";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { clusterObjects } from "../registry/cluster-objects.ts";
import type { DeletionOptions } from "../contract/cluster-objects.ts";
import { eventually } from "../../../e2e/support/eventually.ts";

let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster({ controllers: ["garbagecollector"] });
});
afterEach(() => cluster.stop());

const objects = () => clusterObjects(cluster.core);
const find = (name: string, namespace = "default") => objects().get("configmaps", namespace, name);
const names = () =>
  objects()
    .list("configmaps", "default")
    .map(({ metadata }) => metadata.name);

/** Creates a ConfigMap with owners. */
async function create(
  name: string,
  owners: readonly Partial<OwnerReference>[] = [],
  metadata: object = {},
): Promise<KubernetesObject> {
  const [created] = await cluster.install({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", ...metadata, ownerReferences: owners },
  });
  return created!;
}

function ownedBy(owner: KubernetesObject, more: Partial<OwnerReference> = {}): Partial<OwnerReference> {
  const { name, uid } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name: name!, uid: uid!, ...more };
}

const remove = (object: KubernetesObject, propagationPolicy: DeletionOptions["propagationPolicy"]) =>
  objects().delete("tester", object, { propagationPolicy });

describe("garbageCollector()", () => {
  it("deletes dependents and their dependents after their owner, in the background", async () => {
    const owner = await create("owner");
    const child = await create("child", [ownedBy(owner)]);
    await create("grandchild", [ownedBy(child)]);
    await create("other");
    await remove(owner, "Background");
    await eventually(() => expect(names()).toEqual(["other"]));
  });

  it("deletes an object whose owner never existed, or has the same name but another uid", async () => {
    const owner = await create("owner");
    await create("replaced", [ownedBy(owner, { uid: "another" })]);
    await create("missing", [ownedBy(owner, { name: "nobody" })]);
    await eventually(() => expect(names()).toEqual(["owner"]));
  });

  it("keeps an object while one owner exists, and removes the references to the others", async () => {
    const [first, second] = [await create("first"), await create("second")];
    await create("child", [ownedBy(first), ownedBy(second)]);
    await remove(first, "Background");
    await eventually(() => expect(find("child")?.metadata.ownerReferences).toEqual([ownedBy(second)]));
  });

  it("deletes blocking dependents before their owner in the foreground", async () => {
    const owner = await create("owner");
    await create("held", [ownedBy(owner, { blockOwnerDeletion: true })], { finalizers: ["test.io/hold"] });
    await create("free", [ownedBy(owner)]);
    await remove(owner, "Foreground");
    await eventually(() => expect(find("held")?.metadata.deletionTimestamp).toBeDefined());
    expect(find("owner")?.metadata).toMatchObject({ finalizers: ["foregroundDeletion"] });

    const held = find("held")!;
    await objects().update("tester", { ...held, metadata: { ...held.metadata, finalizers: [] } });
    await eventually(() => expect(names()).toEqual([]));
  });

  it("keeps dependents that are orphaned", async () => {
    const owner = await create("owner");
    await create("child", [ownedBy(owner)]);
    await remove(owner, "Orphan");
    await eventually(() => expect(names()).toEqual(["child"]));
    expect(find("child")?.metadata.ownerReferences ?? []).toEqual([]);
  });

  it("deletes a cycle of owners in the foreground", async () => {
    const first = await create("first");
    const second = await create("second", [ownedBy(first, { blockOwnerDeletion: true })]);
    const third = await create("third", [ownedBy(second, { blockOwnerDeletion: true })]);
    await create("first", [ownedBy(third, { blockOwnerDeletion: true })]);
    await remove(find("first")!, "Foreground");
    await eventually(() => expect(names()).toEqual([]));
  });

  it("treats an owner in another namespace as absent, and reports it", async () => {
    await cluster.install({ apiVersion: "v1", kind: "Namespace", metadata: { name: "far" } });
    const [owner] = await cluster.install({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "owner", namespace: "far" },
    });
    await create("child", [ownedBy(owner!)]);
    await eventually(() => expect(names()).toEqual([]));
    expect(objects().list("events", "default")).toMatchObject([
      { type: "Warning", reason: "OwnerRefInvalidNamespace", involvedObject: { name: "child" } },
    ]);
  });

  it("keeps a cluster-scoped object with a namespaced owner", async () => {
    const owner = await create("owner");
    await cluster.install({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "wide", ownerReferences: [ownedBy(owner)] },
    });
    await eventually(() => expect(objects().list("events", "default")).toHaveLength(1));
    expect(objects().get("namespaces", undefined, "wide")?.metadata.deletionTimestamp).toBeUndefined();
  });

  it("keeps objects whose owner is of a kind that is not served", async () => {
    await create("child", [{ apiVersion: "gone.io/v1", kind: "Gone", name: "x", uid: "1" }]);
    await create("marker", [ownedBy(await create("owner"), { uid: "none" })]);
    await eventually(() => expect(names()).toEqual(["child", "owner"]));
  });
});
