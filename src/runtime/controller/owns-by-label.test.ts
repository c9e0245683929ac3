import { defineKind, type Kind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { expect, onTestFinished, test } from "vitest";
import { Namespace, useWidgetCluster, Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import { Children } from "../client/children.ts";
import { keyOf, type Stored } from "../client/client.ts";
import { type CallInterceptor, interceptClient } from "../client/intercept-client.ts";
import { deleteTracked, trackingFinalizer, trackingName } from "../client/tracked-children.ts";
import { ApiError } from "../errors/api-error.ts";
import { ClusterRole } from "../k8s/rbac/v1.ts";
import { ConfigMap, Secret } from "../k8s/core/v1.ts";
import type { Manager } from "../manager/manager.ts";
import { eventually } from "../testing/eventually.ts";
import { startTestManager } from "../testing/test-manager.ts";

const cluster = useWidgetCluster();

/** Copies the widget's color into the namespaces that are its parts, and into a ClusterRole. */
const copyColors =
  (rejections: string[] = []) =>
  (manager: Manager): void => {
    manager
      .controllerFor(Widget)
      .owns(ConfigMap, { byLabel: true })
      .owns(ClusterRole, { byLabel: true })
      .complete({
        async reconcile(request) {
          const widget = await manager.client.find(Widget, request);
          if (!widget) return;
          const { parts = [], color = "" } = widget.spec;
          const children = new Children(manager.client, widget);
          const name = `copy-of-${request.name}`;
          for (const namespace of parts)
            await children.set(ConfigMap, { namespace, name }, { metadata: {}, data: { color } });
          await children.set(ClusterRole, name, parts.length > 0 ? { metadata: {}, rules: [] } : undefined);
          await children.prune(ConfigMap);
          rejections.push(...children.rejections.map(({ reason }) => reason));
        },
      });
  };

async function run(setup: (manager: Manager) => void): Promise<() => Promise<void>> {
  const { stop } = await startTestManager(cluster.kubeconfig!, setup);
  return stop;
}

async function createNamespaces(...names: string[]): Promise<void> {
  for (const name of names) await cluster.client.create(Namespace, { metadata: { name } });
}

const copies = async (owner: Widget): Promise<{ [namespace: string]: string | undefined }> => {
  const fields = { "metadata.name": `copy-of-${owner.metadata.name}` };
  const found = await cluster.client.list(ConfigMap, { fields });
  return Object.fromEntries(found.map(({ metadata, data }) => [metadata.namespace, data?.["color"]]));
};

test("children in other namespaces, and of the cluster, are restored, pruned, and deleted with their owner", async () => {
  await createNamespaces("far-a", "far-b");
  onTestFinished(await run(copyColors()));
  const owner = await cluster.create({ color: "red", parts: ["far-a", "far-b", "default"] });
  await eventually(async () =>
    expect(await copies(owner)).toEqual({ "far-a": "red", "far-b": "red", default: "red" }),
  );
  const far = { namespace: "far-a", name: `copy-of-${owner.metadata.name}` };
  expect((await cluster.client.get(ConfigMap, far)).metadata).toMatchObject({
    labels: { "widget.example.com/owner": owner.metadata.uid },
    annotations: { "widget.example.com/owner": `default/${owner.metadata.name}` },
  });
  // A change of a child, or its end, causes a reconcile of its owner.
  await cluster.client.patch(ConfigMap, far, { merge: { data: { color: "blue" } } });
  await cluster.client.delete(ConfigMap, { ...far, namespace: "far-b" });
  await eventually(async () =>
    expect(await copies(owner)).toEqual({ "far-a": "red", "far-b": "red", default: "red" }),
  );
  await cluster.client.patch(Widget, owner, { merge: { spec: { parts: ["far-b"] } } });
  await eventually(async () => expect(await copies(owner)).toEqual({ "far-b": "red" }));

  await cluster.client.delete(Widget, owner);
  await eventually(async () => expect(await cluster.client.find(Widget, keyOf(owner))).toBe(undefined));
  expect(await copies(owner)).toEqual({});
  expect(await cluster.client.find(ClusterRole, { name: far.name })).toBeUndefined();
});

test("a child whose labels were overwritten is restored, and deleted with its owner even if there is no time for that", async () => {
  await createNamespaces("far-f");
  const stop = await run(copyColors());
  const owner = await cluster.create({ color: "red", parts: ["far-f"] });
  await eventually(async () => expect(await copies(owner)).toEqual({ "far-f": "red" }));
  const far = { namespace: "far-f", name: `copy-of-${owner.metadata.name}` };
  const labels = { "widget.example.com/owner": "changed-by-hand" };
  const overwrite = () => cluster.client.patch(ConfigMap, far, { merge: { metadata: { labels } } });
  await overwrite();
  await eventually(async () =>
    expect((await cluster.client.get(ConfigMap, far)).metadata.labels).toEqual({
      "widget.example.com/owner": owner.metadata.uid,
    }),
  );
  await stop();
  await overwrite();
  await cluster.client.delete(Widget, owner);
  onTestFinished(await run(copyColors()));
  await eventually(async () => expect(await cluster.client.find(Widget, keyOf(owner))).toBe(undefined));
  expect(await copies(owner)).toEqual({});
});

test("what a former process made last is deleted with its owner, too", async () => {
  await createNamespaces("far-c");
  const stop = await run(copyColors());
  const owner = await cluster.create({ color: "red", parts: ["far-c"] });
  await eventually(async () => expect(await copies(owner)).toEqual({ "far-c": "red" }));
  await stop();
  await cluster.client.delete(Widget, owner);
  onTestFinished(await run(copyColors()));
  await eventually(async () => expect(await cluster.client.find(Widget, keyOf(owner))).toBe(undefined));
  expect(await copies(owner)).toEqual({});
});

test("objects of others, and namespaces that don't exist, are rejections", async () => {
  await createNamespaces("far-d");
  const rejections: string[] = [];
  const key = cluster.key();
  const theirs = { namespace: "far-d", name: `copy-of-${key.name}` };
  const before = await cluster.client.create(ConfigMap, { metadata: theirs, data: { color: "theirs" } });
  onTestFinished(await run(copyColors(rejections)));
  await cluster.client.create(Widget, { metadata: key, spec: { color: "red", parts: ["far-d", "nowhere"] } });
  await eventually(() => expect(rejections.slice(0, 2)).toEqual(["NameConflict", "NamespaceMissing"]));
  await cluster.client.delete(Widget, key);
  await eventually(async () => expect(await cluster.client.find(Widget, key)).toBe(undefined));
  expect(await cluster.client.get(ConfigMap, theirs)).toEqual(before);
});

test("an owner can be deleted though the cluster doesn't serve one of the kinds; a cluster-scoped one has no finalizer", async () => {
  const Gadget = defineKind({ group: "example.com", version: "v1" }, { kind: "Gadget", plural: "gadgets" });
  onTestFinished(
    await run((manager) => {
      for (const controller of [manager.controllerFor(Widget), manager.controllerFor(Namespace)])
        controller.owns(Gadget, { byLabel: true, optional: true }).complete({ reconcile() {} });
    }),
  );
  await createNamespaces("far-e");
  const owner = await cluster.create();
  await eventually(async () =>
    expect((await cluster.client.get(Widget, keyOf(owner))).metadata.finalizers).toEqual([
      "widget.example.com/children",
    ]),
  );
  expect((await cluster.client.get(Namespace, { name: "far-e" })).metadata.finalizers).toBeUndefined();
  await cluster.client.delete(Widget, owner);
  await eventually(async () => expect(await cluster.client.find(Widget, keyOf(owner))).toBe(undefined));
});

test("the finalizer remains until all controllers of the kind have deleted what they made", async () => {
  await createNamespaces("far-g", "far-h");
  const isHeld = { value: true };
  const makeIn =
    (namespace: string, Child: typeof ConfigMap | typeof Secret, name: string) =>
    (manager: Manager): void => {
      manager
        .controllerFor(Widget)
        .named(name)
        .owns(Child, { byLabel: true })
        .finalizer(`example.com/${name}`, () =>
          name === "second" && isHeld.value ? { requeueAfter: "1s" } : undefined,
        )
        .complete({
          async reconcile(request) {
            const widget = await manager.client.find(Widget, request);
            if (!widget) return;
            const key = { namespace, name: `made-by-${request.name}` };
            await new Children(manager.client, widget).set(Child, key, { metadata: {} });
          },
        });
    };
  onTestFinished(
    await run((manager) => {
      makeIn("far-g", ConfigMap, "first")(manager);
      makeIn("far-h", Secret, "second")(manager);
    }),
  );
  const owner = await cluster.create();
  const name = `made-by-${owner.metadata.name}`;
  const [first, second] = [
    { namespace: "far-g", name },
    { namespace: "far-h", name },
  ];
  await eventually(async () => {
    await cluster.client.get(ConfigMap, first);
    await cluster.client.get(Secret, second);
  });
  await cluster.client.delete(Widget, owner);
  await eventually(async () => expect(await cluster.client.find(ConfigMap, first)).toBeUndefined());
  isHeld.value = false;
  await eventually(async () => expect(await cluster.client.find(Widget, keyOf(owner))).toBeUndefined());
  expect(await cluster.client.find(Secret, second)).toBeUndefined();
});

/** An owner whose children are tracked though no controller runs. */
async function createTracking(): Promise<Stored<Widget>> {
  const owner = await cluster.create();
  return cluster.client.patch(Widget, owner, ({ metadata }) => {
    metadata.finalizers = [trackingFinalizer(owner)];
  });
}

test("an object of somebody else that has replaced a child is left alone, though the cache has the child", async () => {
  await createNamespaces("far-i");
  const owner = await createTracking();
  const key = { namespace: "far-i", name: "replaced" };
  const child = await new Children(cluster.client, owner).set(ConfigMap, key, { metadata: {} });
  await cluster.client.delete(ConfigMap, key);
  const theirs = await cluster.client.create(ConfigMap, { metadata: key, data: { color: "theirs" } });
  const stale = interceptClient(cluster.client, { find: () => Promise.resolve(child) });
  const setting = new Children(stale, owner).set(ConfigMap, key, { metadata: {}, data: { color: "ours" } });
  await expect(setting).rejects.toMatchObject({ isConflict: true });
  expect(await cluster.client.get(ConfigMap, key)).toEqual(theirs);
});

test("what the cache still has of a kind whose CRD is gone holds no owner back", async () => {
  const Gadget = defineKind({ group: "example.com", version: "v1" }, { kind: "Gadget", plural: "gadgets" });
  const owner = await createTracking();
  const name = trackingName(owner);
  const ghost = {
    apiVersion: "example.com/v1",
    kind: "Gadget",
    metadata: { namespace: "default", name: "ghost", uid: "1", labels: { [name]: owner.metadata.uid } },
  };
  const stale = interceptClient(cluster.client, {
    list: ({ kind, args }, next) => {
      const [{ live = false } = {}] = args as [{ live?: boolean }?];
      return live ? next({ verb: "list", kind, args }) : Promise.resolve([ghost]);
    },
  });
  for (const namespaces of [[undefined], []])
    expect(await deleteTracked(stale, [{ kind: Gadget, namespaces }], owner)).toBeUndefined();
});

test("an object that can't be deleted holds back no other, and its error is reported", async () => {
  await createNamespaces("far-j");
  const owner = await createTracking();
  const children = new Children(cluster.client, owner);
  const make = (kind: Kind, name: string) =>
    children.set(kind, { namespace: "far-j", name }, { metadata: {} });
  for (const name of ["held-a", "held-b", "held-c"]) await make(ConfigMap, name);
  await make(Secret, "held-d");
  const forbidden = new ApiError({ code: 403, reason: "Forbidden", message: "held-b is ours" });
  const held = interceptClient(cluster.client, {
    async delete(call, next) {
      if ((call.args[0] as KubernetesObject).metadata.name === "held-b") throw forbidden;
      return next(call);
    },
  });
  const left = () =>
    Promise.all(
      [ConfigMap, Secret].map(async (kind: Kind) =>
        (await cluster.client.list(kind, { owner })).map(({ metadata }) => metadata.name),
      ),
    );
  const kinds = [ConfigMap, Secret].map((kind) => ({ kind, namespaces: [undefined] }));
  await expect(deleteTracked(held, kinds, owner)).rejects.toBe(forbidden);
  expect(await left()).toEqual([["held-b"], []]);
  for (const name of ["held-a", "held-c"]) await make(ConfigMap, name);
  const pruning = new Children(held, owner);
  await pruning.prune(ConfigMap, Secret);
  expect(pruning.rejections).toMatchObject([{ reason: "ConfigMapRejected", message: "held-b is ours" }]);
  expect(await left()).toEqual([["held-b"], []]);
});

test("a server that doesn't answer is asked to delete nothing more", async () => {
  await createNamespaces("far-m");
  const owner = await createTracking();
  const children = new Children(cluster.client, owner);
  for (const name of ["a", "b"])
    await children.set(ConfigMap, { namespace: "far-m", name }, { metadata: {} });
  for (const reason of ["Timeout", "TooManyRequests", "ServiceUnavailable", "Unreachable"]) {
    let asked = 0;
    const silent = interceptClient(cluster.client, {
      async delete() {
        asked++;
        throw new ApiError({ code: 0, reason, message: "later" });
      },
    });
    const kinds = [{ kind: ConfigMap, namespaces: [undefined] }];
    await expect(deleteTracked(silent, kinds, owner)).rejects.toMatchObject({ reason });
    expect(asked).toBe(1);
  }
});

test("with the cache's namespaces, what a former process made last is deleted with its owner, too", async () => {
  await createNamespaces("far-k", "far-l");
  const owner = await createTracking();
  const key = { namespace: "far-k", name: "made-last" };
  const child = await new Children(cluster.client, owner).set(ConfigMap, key, { metadata: {} });
  const setup = (manager: Manager): void => {
    manager
      .controllerFor(Widget)
      .owns(ConfigMap, { byLabel: true })
      .complete({ reconcile() {} });
  };
  // The cache of a new leader hasn't seen the child yet.
  const list: CallInterceptor = async (call, next) =>
    (call.args[0] as { live?: boolean } | undefined)?.live ? next(call) : [];
  await cluster.client.delete(Widget, owner);
  const { stop } = await startTestManager(
    {
      kubeconfig: cluster.kubeconfig!,
      cache: { namespaces: ["default", "far-k", "far-l"] },
      client: { wrap: (client) => interceptClient(client, { list }) },
    },
    setup,
  );
  onTestFinished(stop);
  await eventually(async () => expect(await cluster.client.find(Widget, keyOf(owner))).toBeUndefined());
  expect(await cluster.client.find(ConfigMap, keyOf(child!))).toBeUndefined();
});

test("without the finalizer, a child out of reach is refused", async () => {
  const owner = await cluster.create();
  const children = new Children(cluster.client, owner);
  await expect(
    children.set(ConfigMap, { namespace: "kube-system", name: "far" }, { metadata: {} }),
  ).rejects.toThrow("call owns(ConfigMap, { byLabel: true })");
});
