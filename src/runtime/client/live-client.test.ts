import { type CustomResource, defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type ClusterUnderTest, startClusterUnderTest } from "../../../e2e/support/cluster-under-test.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient, type LiveClient } from "./live-client.ts";
import { loadConfig } from "./load-config.ts";
import { metadataOnly } from "./metadata-only.ts";
import { TerminalError } from "./terminal-error.ts";

interface Widget
  extends CustomResource<{ size?: number; parts?: string[] }, { ready?: number; note?: string }> {}
const Widget = defineKind<Widget>(
  { group: "example.com", version: "v1" },
  { kind: "Widget", plural: "widgets" },
);
const Namespace = defineKind(
  { group: "", version: "v1" },
  { kind: "Namespace", plural: "namespaces", scope: "Cluster" },
);

const widgetCRD = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.ready" },
        },
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

let cluster: ClusterUnderTest;
let client: LiveClient;

beforeAll(async () => {
  cluster = await startClusterUnderTest(widgetCRD);
  client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig }), {
    fieldManager: "widget-test",
  });
});

afterAll(async () => {
  await client.close();
  await cluster.stop();
});

let serial = 0;
const key = (): { namespace: string; name: string } => ({ namespace: "default", name: `w${serial++}` });
const create = (spec: Widget["spec"] = {}): Promise<Widget> =>
  client.create(Widget, { metadata: key(), spec });

test("Client.find() gives undefined, and get() an error, for what isn't there", async () => {
  const nobody = { namespace: "default", name: "nobody" };
  expect(await client.find(Widget, nobody)).toBeUndefined();
  await expect(client.get(Widget, nobody)).rejects.toMatchObject({
    isNotFound: true,
    status: 404,
    reason: "NotFound",
  });
});

test("Client.find() doesn't take a kind that the server lacks for an object that isn't there", async () => {
  const Nothing = defineKind(
    { group: "nowhere.example.com", version: "v1" },
    { kind: "Nothing", plural: "nothings" },
  );
  const nobody = { namespace: "default", name: "nobody" };
  await expect(client.find(Nothing, nobody)).rejects.toMatchObject({ isNotFound: true });
  await expect(client.delete(Nothing, nobody)).rejects.toMatchObject({ isNotFound: true });
});

test("Client.create() fills in the kind and drops undefined fields", async () => {
  const widget = await client.create(Widget, { metadata: key(), spec: { size: 1, parts: undefined } });
  expect(widget).toMatchObject({ apiVersion: "example.com/v1", kind: "Widget", spec: { size: 1 } });
  expect(widget.spec).not.toHaveProperty("parts");
});

test("Client.create() sets the owner, and takes its namespace", async () => {
  const owner = await create();
  const child = await client.create(Widget, { metadata: { generateName: "child-" }, spec: {} }, { owner });
  expect(child.metadata).toMatchObject({
    namespace: owner.metadata.namespace,
    ownerReferences: [
      { kind: "Widget", uid: owner.metadata.uid, controller: true, blockOwnerDeletion: true },
    ],
  });
});

test("Client.create() says that a name is taken", async () => {
  const { metadata } = await create();
  await expect(
    client.create(Widget, { metadata: { name: metadata.name, namespace: "default" }, spec: {} }),
  ).rejects.toMatchObject({ isAlreadyExists: true, status: 409, isConflict: false });
});

test("Client.update() keeps fields that nobody knows, and refuses an object that is out of date", async () => {
  const widget = await create({ size: 1 });
  const future = { ...widget, spec: { ...widget.spec, fromTheFuture: { $ref: "x", from: 1 } } };
  const updated = await client.update(Widget, future);
  expect(updated.spec).toEqual(future.spec);
  await expect(client.update(Widget, widget)).rejects.toMatchObject({ isConflict: true });
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
  const ref = { name: metadata.name!, namespace: "default" };
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

test("Client.delete() tells whether there was something to delete", async () => {
  const widget = await create();
  expect(await client.delete(Widget, widget, { preconditions: { uid: widget.metadata.uid } })).toBe(true);
  expect(await client.delete(Widget, widget)).toBe(false);
});

test("Client.delete() refuses an object that is not the one meant", async () => {
  const widget = await create();
  const wrong = client.delete(Widget, widget, {
    preconditions: { uid: "11111111-2222-3333-4444-555555555555" },
  });
  await expect(wrong).rejects.toMatchObject({ isConflict: true });
});

test("Client.list() reads pages, selects, and stops at the limit", async () => {
  for (let at = 0; at < 7; at++) {
    await client.create(Widget, {
      metadata: { ...key(), labels: { set: "list", odd: String(at % 2) } },
      spec: {},
    });
  }
  const selection = { namespace: "default", labels: { set: "list" } };
  const pages: number[] = [];
  for await (const page of client.pages(Widget, { ...selection, pageSize: 3 })) pages.push(page.items.length);
  expect(pages).toEqual([3, 3, 1]);
  expect(await client.list(Widget, selection)).toHaveLength(7);
  expect(await client.list(Widget, { ...selection, limit: 4 })).toHaveLength(4);
  expect(await client.list(Widget, { labels: "set=list,odd in (1)" })).toHaveLength(3);
  const [one] = await client.list(Widget, { labels: { set: "list" }, limit: 1 });
  expect(one).toMatchObject({ apiVersion: "example.com/v1", kind: "Widget" });
  await client.deleteAllOf(Widget, selection);
  expect(await client.list(Widget, selection)).toEqual([]);
});

test("Client gives apiVersion and kind to items of built-in lists, which lack them", async () => {
  expect(await client.list(Namespace, { limit: 1 })).toMatchObject([{ apiVersion: "v1", kind: "Namespace" }]);
});

test("Client reads metadata alone", async () => {
  const widget = await create({ size: 7 });
  const metadata = await client.get(metadataOnly(Widget), {
    namespace: "default",
    name: widget.metadata.name!,
  });
  expect(metadata).toMatchObject({ kind: "PartialObjectMetadata", metadata: { uid: widget.metadata.uid } });
  expect(metadata).not.toHaveProperty("spec");
  const [listed] = await client.list(metadataOnly(Widget), {
    fields: { "metadata.name": widget.metadata.name },
  });
  expect(listed).not.toHaveProperty("spec");
});

test("Client.watch() tells changes until the loop is left", async () => {
  const widget = await create({ size: 1 });
  const { resourceVersion } = widget.metadata;
  await client.patch(Widget, widget, { merge: { spec: { size: 2 } } });
  await client.delete(Widget, widget);
  const seen: string[] = [];
  for await (const event of client.watch(Widget, { namespace: "default", resourceVersion })) {
    seen.push(event.type);
    if (event.type === "DELETED") break;
  }
  expect(seen).toEqual(["MODIFIED", "DELETED"]);
});

test("Client.watch() throws what the server reports", async () => {
  const watch = client.watch(Widget, { resourceVersion: "not-a-version" });
  await expect(watch[Symbol.asyncIterator]().next()).rejects.toMatchObject({ name: "ApiError" });
});

test("Client.subresource() reads and writes the scale", async () => {
  const widget = await create({ size: 1 });
  const scale = client.subresource<KubernetesObject & { spec: { replicas?: number } }>(
    Widget,
    widget,
    "scale",
  );
  expect((await scale.get()).spec.replicas).toBe(1);
  await scale.patch({ merge: { spec: { replicas: 4 } } });
  expect((await client.get(Widget, { namespace: "default", name: widget.metadata.name! })).spec.size).toBe(4);
});

test("Client.with() changes defaults: a dry run stores nothing", async () => {
  const metadata = key();
  const dry = client.with({ dryRun: true });
  expect(await dry.create(Widget, { metadata, spec: {} })).toMatchObject({ metadata });
  expect(await client.find(Widget, metadata)).toBeUndefined();
});

test("Client.with() binds a client to one namespace", async () => {
  const bound = client.with({ namespace: "default" });
  const { name } = key();
  const widget = await bound.create(Widget, { metadata: { name }, spec: {} });
  expect(widget.metadata.namespace).toBe("default");
  expect(await bound.find(Widget, { name })).toBeDefined();
  await expect(bound.find(Widget, { name, namespace: "kube-system" })).rejects.toBeInstanceOf(TerminalError);
});

test("Client refuses a namespaced object without a namespace", async () => {
  await expect(client.get(Widget, { name: "x" })).rejects.toBeInstanceOf(TerminalError);
  await expect(client.create(Widget, { metadata: { name: "x" }, spec: {} })).rejects.toBeInstanceOf(
    TerminalError,
  );
});

test("RestMapper finds kinds by name, those that come later too", async () => {
  const Deployment = await client.mapper.kindFor({ apiVersion: "apps/v1", kind: "Deployment" });
  expect(Deployment).toMatchObject({ plural: "deployments", scope: "Namespaced" });
  const gadget = { apiVersion: "example.com/v1", kind: "Gadget" };
  await expect(client.mapper.kindFor(gadget)).rejects.toMatchObject({
    isNotFound: false,
    reason: "NoKindMatch",
  });
  const names = { kind: "Gadget", listKind: "GadgetList", plural: "gadgets", singular: "gadget" };
  const metadata = { name: "gadgets.example.com" };
  await cluster.installCRD({ ...widgetCRD, metadata, spec: { ...widgetCRD.spec, names } });
  const Gadget = await client.mapper.kindFor(gadget);
  expect(await client.list(Gadget)).toEqual([]);
  const kinds = await client.mapper.kinds();
  expect(kinds.filter(({ kind }) => kind === "Widget" || kind === "Gadget")).toHaveLength(2);
});
