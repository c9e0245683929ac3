import { defineKind, type Kind } from "@tsbuilder/apimachinery/meta";
import { beforeAll, expect, test } from "vitest";
import {
  Namespace,
  Widget,
  useWidgetCluster,
  widgetDefinition,
} from "../../../e2e/support/runtime/widget-cluster.ts";
import type { LiveClient } from "./live-client.ts";
import { metadataOnly } from "./metadata-only.ts";
import { TerminalError } from "../errors/api-error.ts";
import { Deployment } from "../k8s/apps/v1.ts";
import { Pod, ServiceAccount } from "../k8s/core/v1.ts";

const cluster = useWidgetCluster();
const { create, key } = cluster;
let client: LiveClient;
beforeAll(() => {
  client = cluster.client;
});

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
    name: widget.metadata.name,
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
  const scale = client.subresource(Widget, widget, "scale");
  expect((await scale.get()).spec?.replicas).toBe(1);
  await scale.patch({ merge: { spec: { replicas: 4 } } });
  expect((await client.get(Widget, { namespace: "default", name: widget.metadata.name })).spec.size).toBe(4);
});

test("Client.subresource().create() and update() return what the server answers", async () => {
  const scale = client.subresource(Widget, await create({ size: 1 }), "scale");
  const read = await scale.get();
  expect(await scale.update({ ...read, spec: { replicas: 3 } })).toMatchObject({
    kind: "Scale",
    spec: { replicas: 3 },
  });
  const metadata = key();
  await client.create(ServiceAccount, { metadata });
  const tokens = client.subresource(ServiceAccount, metadata, "token");
  const { status } = await tokens.create({ spec: { audiences: [] } });
  expect(status?.token).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
});

test("Client.subresource().apply() needs no type in the body", async () => {
  const labels = { app: "web" };
  const deployment = await client.create(Deployment, {
    metadata: key(),
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } },
    },
  });
  const scale = client.subresource(Deployment, deployment, "scale");
  expect(await scale.apply({ spec: { replicas: 6 } }, { force: true })).toMatchObject({
    kind: "Scale",
    spec: { replicas: 6 },
  });
  const widget = await create({ size: 1 });
  expect(await client.subresource(Widget, widget, "status").apply({ spec: {} })).toMatchObject({
    kind: "Widget",
    spec: { size: 1 },
  });
});

test("Client.subresource() evicts a pod", async () => {
  const metadata = key();
  const pod = await client.create(Pod, { metadata, spec: { containers: [{ name: "a", image: "a" }] } });
  await client.subresource(Pod, pod, "eviction").create({ deleteOptions: { gracePeriodSeconds: 0 } });
  expect(await client.find(Pod, metadata)).toBeUndefined();
});

test("Client.with() changes defaults: a dry run stores nothing", async () => {
  const metadata = key();
  const dry = client.with({ dryRun: true });
  const unversioned = { metadata: { ...metadata, resourceVersion: "" } };
  expect(await dry.create(Widget, { metadata, spec: {} })).toMatchObject(unversioned);
  expect(await dry.apply(Widget, { metadata, spec: {} })).toMatchObject(unversioned);
  expect(await client.find(Widget, metadata)).toBeUndefined();
  const { resourceVersion } = (await client.create(Widget, { metadata, spec: {} })).metadata;
  const changed = await dry.patch(Widget, metadata, { merge: { spec: { size: 2 } } });
  expect(changed).toMatchObject({ metadata: { resourceVersion }, spec: { size: 2 } });
});

test("Client.with() binds a client to one namespace", async () => {
  const bound = client.with({ namespace: "default" });
  const { name } = key();
  const widget = await bound.create(Widget, { metadata: { name }, spec: {} });
  expect(widget.metadata.namespace).toBe("default");
  expect(await bound.list(Widget, { fields: { "metadata.name": name } })).toHaveLength(1);
  expect(await bound.find(Widget as Kind, { name })).toBeDefined();
  await expect(bound.find(Widget, { name, namespace: "kube-system" })).rejects.toBeInstanceOf(TerminalError);
  // The API's word for all namespaces, and what `process.env.NAMESPACE ?? ""` may be.
  await client.create(Widget, { metadata: { name, namespace: "kube-system" }, spec: {} });
  expect(await bound.list(Widget, { namespace: "", fields: { "metadata.name": name } })).toHaveLength(1);
});

test("Client refuses a namespaced object without a namespace", async () => {
  await expect(client.get(Widget as Kind, { name: "x" })).rejects.toBeInstanceOf(TerminalError);
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
    isNoKindMatch: true,
  });
  const names = { kind: "Gadget", listKind: "GadgetList", plural: "gadgets", singular: "gadget" };
  const metadata = { name: "gadgets.example.com" };
  await cluster.installCRD({ ...widgetDefinition, metadata, spec: { ...widgetDefinition.spec, names } });
  const Gadget = await client.mapper.kindFor(gadget);
  expect(await client.list(Gadget)).toEqual([]);
  const kinds = await client.mapper.kinds();
  expect(kinds.filter(({ kind }) => kind === "Widget" || kind === "Gadget")).toHaveLength(2);
});
