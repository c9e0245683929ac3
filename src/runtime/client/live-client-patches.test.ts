import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { beforeAll, expect, test } from "vitest";
import { Namespace, Widget, useWidgetCluster } from "../../../e2e/support/runtime/widget-cluster.ts";
import { Deployment } from "../k8s/apps/v1.ts";
import type { LiveClient } from "./live-client.ts";
import { TerminalError } from "../errors/api-error.ts";

const cluster = useWidgetCluster();
const { create, key } = cluster;
let client: LiveClient;
beforeAll(() => {
  client = cluster.client;
});

test("Client.patch() sends the difference that a draft makes, and nothing without one", async () => {
  const widget = await create({ size: 1, parts: ["a"] });
  const patched = await client.patch(Widget, widget, (draft) => {
    draft.spec.size = 2;
    delete draft.spec.parts;
  });
  expect(patched.spec).toEqual({ size: 2 });
  expect(await client.patch(Widget, patched, () => {})).toBe(patched);
  const late = client.patch(Widget, widget, (draft) => void (draft.spec.size = 3));
  await expect(late).rejects.toMatchObject({ isConflict: true });
  const blind = await client.patch(Widget, widget, (draft) => void (draft.spec.size = 3), {
    optimisticLock: false,
  });
  expect(blind.spec.size).toBe(3);
});

test("Client.patch() sends merge and JSON patches as they are", async () => {
  const { metadata } = await create({ size: 1 });
  const ref = { name: metadata.name, namespace: "default" };
  await client.patch(Widget, ref, { merge: { spec: { size: 5 } } });
  const patched = await client.patch(Widget, ref, {
    json: [
      { op: "test", path: "/spec/size", value: 5 },
      { op: "add", path: "/spec/parts", value: ["x"] },
    ],
  });
  expect(patched.spec).toEqual({ size: 5, parts: ["x"] });
});

test("Client.patch() sends strategic merge patches, which know the keys of lists", async () => {
  const Deployment = defineKind<
    KubernetesObject & { spec: { template: { spec: { containers: { name: string }[] } } } }
  >({ group: "apps", version: "v1" }, { kind: "Deployment", plural: "deployments" });
  const metadata = key();
  const labels = { app: metadata.name };
  const containers = [{ name: "a", image: "a:1" }];
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  await client.create(Deployment, { metadata, spec });
  const sidecar = { containers: [{ name: "b", image: "b:1" }] };
  const patched = await client.patch(Deployment, metadata, {
    strategic: { spec: { template: { spec: sidecar } } },
  });
  expect(patched.spec.template.spec.containers.map(({ name }) => name).sort()).toEqual(["a", "b"]);
});

test("Client.patchStatus() makes the status what it is given, and sends nothing for an equal one", async () => {
  const widget = await create();
  const first = await client.patchStatus(Widget, widget, { ready: 1, note: "up" });
  expect(first.status).toEqual({ ready: 1, note: "up" });
  const second = await client.patchStatus(Widget, first, { ready: 2, note: undefined });
  expect(second.status).toEqual({ ready: 2 });
  expect(await client.patchStatus(Widget, second, { ready: 2 })).toBe(second);
  await expect(client.patchStatus(Widget, first, { ready: 9 })).rejects.toMatchObject({ isConflict: true });
});

test("Client.apply() creates, changes, and removes what is no longer desired", async () => {
  const metadata = key();
  const made = await client.apply(Widget, { metadata, spec: { size: 1, parts: ["a"] } });
  expect(made.spec).toEqual({ size: 1, parts: ["a"] });
  const changed = await client.apply(Widget, { metadata, spec: { size: 2 } });
  expect(changed.spec).toEqual({ size: 2 });
});

test("Client.apply() leaves alone what another manager applied", async () => {
  const metadata = key();
  await client.apply(Widget, { metadata, spec: { size: 1 } });
  await client.apply(Widget, { metadata, spec: { parts: ["b"] } }, { fieldManager: "other" });
  const widget = await client.apply(Widget, { metadata, spec: { size: 2 } });
  expect(widget.spec).toEqual({ size: 2, parts: ["b"] });
  const rival = client.apply(
    Widget,
    { metadata, spec: { size: 3 } },
    { fieldManager: "other", force: false },
  );
  await expect(rival).rejects.toMatchObject({ isConflict: true });
});

test("Client.apply() sets the owner, and doesn't take an object away from another", async () => {
  const [owner, other] = [await create(), await create()];
  const { name } = key();
  const child = await client.apply(Widget, { metadata: { name }, spec: {} }, { owner });
  expect(child.metadata).toMatchObject({
    namespace: "default",
    ownerReferences: [
      { kind: "Widget", uid: owner.metadata.uid, controller: true, blockOwnerDeletion: true },
    ],
  });
  const theft = client.apply(Widget, { metadata: { name }, spec: { size: 9 } }, { owner: other });
  await expect(theft).rejects.toMatchObject({ isAlreadyOwned: true, isConflict: false });
  expect((await client.get(Widget, { namespace: "default", name })).spec).toEqual({});
  const adopted = await client.apply(Widget, { metadata: { name }, spec: {} }, { owner: other, adopt: true });
  expect(adopted.metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([other.metadata.uid]);
});

test("Client.apply() with an owner doesn't change another object that has got the name since it was read", async () => {
  const [owner, successor] = [await create({}), await create({})];
  const desired = { metadata: { name: key().name }, spec: { size: 1 } };
  const former = await client.apply(Widget, desired, { owner });
  await client.delete(Widget, former);
  const gone = client.applyOver(Widget, desired, { owner }, former);
  await expect(gone).rejects.toMatchObject({ isConflict: true });
  await client.apply(Widget, desired, { owner: successor });
  const late = client.applyOver(Widget, { ...desired, spec: { size: 2 } }, { owner }, former);
  await expect(late).rejects.toMatchObject({ isConflict: true, isInvalid: false });
  const { metadata, spec } = await client.get(Widget, { namespace: "default", name: desired.metadata.name });
  expect(metadata.ownerReferences?.map(({ uid }) => uid)).toEqual([successor.metadata.uid]);
  expect(spec.size).toBe(1);
});

test("Client.apply() refuses an owner that the garbage collector would not find", async () => {
  const owner = await create();
  const elsewhere = client.apply(
    Widget,
    { metadata: { name: "x", namespace: "kube-system" }, spec: {} },
    { owner },
  );
  await expect(elsewhere).rejects.toBeInstanceOf(TerminalError);
  const global = client.apply(Namespace, { metadata: { name: "x" } }, { owner });
  await expect(global).rejects.toBeInstanceOf(TerminalError);
});

test("Client.applyStatus() shares a status between managers", async () => {
  const widget = await create();
  await client.applyStatus(Widget, widget, { ready: 1 });
  const shared = await client.applyStatus(Widget, widget, { note: "fine" }, { fieldManager: "other" });
  expect(shared.status).toEqual({ ready: 1, note: "fine" });
});

test("Client.applyFields() sets fields of an object of another owner, and creates none that is gone", async () => {
  const labels = { app: "db" };
  const theirs = await client.create(Deployment, {
    metadata: cluster.key(),
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } },
    },
  });
  const scaled = await client.applyFields(Deployment, theirs, {
    metadata: { annotations: { by: "us" } },
    spec: { replicas: 3 },
  });
  expect(scaled).toMatchObject({
    metadata: { uid: theirs.metadata.uid, annotations: { by: "us" } },
    spec: { replicas: 3, selector: theirs.spec?.selector },
  });
  // The next apply of the same manager replaces the one before.
  const labelled = await client.applyFields(Deployment, theirs, { metadata: { labels } });
  expect(labelled.metadata).toMatchObject({ labels });
  expect(labelled.metadata.annotations).toBeUndefined();
  await client.delete(Deployment, theirs);
  await expect(client.applyFields(Deployment, theirs, { spec: { replicas: 1 } })).rejects.toMatchObject({
    isConflict: true,
  });
});
