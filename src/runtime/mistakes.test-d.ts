// Mistakes that writers of operators made, each of which must not compile. What they must not be in the way of is at the end.

import {
  type CustomResource,
  defineKind,
  type int32,
  type Kind,
  type KubernetesObject,
} from "@tsbuilder/apimachinery/meta";
import {
  ApiError,
  Children,
  type Client,
  type ClusterScopedName,
  type Context,
  type Desired,
  findCondition,
  isConditionTrue,
  type Manager,
  type NamespacedName,
  type ObjectKey,
  type Result,
  setCondition,
  type Stored,
} from "./index.ts";
import { Deployment } from "./k8s/apps/v1.ts";
import { Job } from "./k8s/batch/v1.ts";
import { ConfigMap, Namespace, Pod, Secret, Service } from "./k8s/core/v1.ts";

interface Shop extends CustomResource<
  { size: int32; image?: string; mode?: "Blue" | "Green" },
  { ready?: int32 }
> {}
const groupVersion = { group: "example.com", version: "v1" };
const Shop = defineKind<Shop>(groupVersion, { kind: "Shop", plural: "shops" });
interface Mall extends CustomResource<{ shops: string[] }> {}
const Mall = defineKind<Mall>(groupVersion, { kind: "Mall", plural: "malls", scope: "Cluster" });

declare const client: Client;
declare const manager: Manager;
declare const context: Context;
declare const shop: Stored<Shop>;
declare const mall: Stored<Mall, ClusterScopedName>;
declare const name: string;
declare const namespace: string;
const labels = { app: "shop" };

/* Which object */

// @ts-expect-error 1: a read of a namespaced object without a namespace.
await client.find(Shop, { name });
// @ts-expect-error 2: a deletion of a namespaced object without a namespace.
await client.delete(Secret, { name });
// @ts-expect-error 3: a deletion of all objects of a kind, of all namespaces.
await client.deleteAllOf(Pod, { labels });
// @ts-expect-error 4: a namespace of a cluster-scoped object.
await client.get(Namespace, { namespace, name });
// @ts-expect-error 5: the key of a namespaced object, for a cluster-scoped one.
await client.get(Mall, shop.metadata);
// @ts-expect-error 6: a list of a cluster-scoped kind in a namespace.
await client.list(Mall, { namespace });
// @ts-expect-error 7: a cluster-scoped object that is made in a namespace.
await client.apply(Mall, { metadata: { namespace, name }, spec: { shops: [] } });
// @ts-expect-error 8: a raw patch without a namespace.
await client.patch(ConfigMap, { name }, { merge: { data: {} } });
// @ts-expect-error 9: a subresource of a pod without a namespace.
client.subresource(Pod, { name }, "eviction");
// @ts-expect-error 10: a command in a pod without a namespace.
await client.exec({ name }, ["date"]);
// @ts-expect-error 11: an object of another kind.
await client.patchStatus(Shop, mall, { ready: 1 });
// @ts-expect-error 12: an object that was never stored, as an owner.
await client.apply(ConfigMap, { metadata: { namespace, name } }, { owner: { ...Shop, metadata: { name } } });

/* What it contains */

// @ts-expect-error 13: a misspelt field.
await client.apply(Shop, { metadata: { namespace, name }, spec: { size: 1, imagee: "a" } });
// @ts-expect-error 14: a required field that is missing.
await client.create(Shop, { metadata: { namespace, name }, spec: { image: "a" } });
// @ts-expect-error 15: a value that isn't of the enum.
await client.create(Shop, { metadata: { namespace, name }, spec: { size: 1, mode: "Red" } });
// @ts-expect-error 16: a number as text.
await client.create(Shop, { metadata: { namespace, name }, spec: { size: "1" } });
await client.apply(Deployment, {
  metadata: { namespace, name },
  // @ts-expect-error 17: a Deployment of one's own without a selector.
  spec: { template: { spec: { containers: [{ name: "a", image: "a" }] } } },
});
await client.apply(Service, {
  metadata: { namespace, name },
  // @ts-expect-error 18: a port as an object in place of a list.
  spec: { ports: { port: 80 } },
});
// @ts-expect-error 19: the status in an apply.
await client.apply(Shop, { metadata: { namespace, name }, spec: { size: 1 }, status: { ready: 1 } });
// @ts-expect-error 20: a field of the spec in the status.
await client.patchStatus(Shop, shop, { ...shop.status, size: 1 });
await client.applyFields(Deployment, await client.get(Deployment, { namespace, name }), {
  // @ts-expect-error 21: a misspelt field of an object of another owner.
  spec: { replica: 3 },
});
// @ts-expect-error 22: data of a Secret that isn't text.
await client.apply(Secret, { metadata: { namespace, name }, stringData: { port: 3306 } });
// @ts-expect-error 23: a misspelt field of a child that is applied in its turn.
new Children(client, shop).add(ConfigMap, name, { metadata: { labels }, dta: {} });
// @ts-expect-error 24: a function that returns a child with a field of another type.
new Children(client, shop).add(Service, name, () => ({ metadata: { labels }, spec: { ports: 80 } }));
// @ts-expect-error 25: a child that comes after a name.
new Children(client, shop).add(ConfigMap, name, { metadata: { labels } }, { after: "database" });
// @ts-expect-error 26: a misspelt field of a child in a list.
new Children(client, shop).addEach(ConfigMap, [{ metadata: { name }, dta: {} }]);

/* How it changes */

// @ts-expect-error 27: a change of an object of the cache.
shop.spec.size = 2;
// @ts-expect-error 28: a label that is added to an object of the cache.
shop.metadata.labels!["app"] = "shop";
// @ts-expect-error 29: a change that returns a new object, which nobody reads.
await client.patch(Shop, shop, (draft) => ({ ...draft, spec: { ...draft.spec, size: 2 } }));
// @ts-expect-error 30: a change that waits, for which nobody waits.
await client.patch(Shop, shop, async (draft) => void (draft.spec.size = 2));
// @ts-expect-error 53: the status by a patch of the object, which the API server ignores.
await client.patch(Shop, shop, (draft) => void (draft.status = { ready: 1 }));
// @ts-expect-error 31: a read that may find nothing, used as if it did.
void (await client.find(Shop, shop.metadata)).spec;
// @ts-expect-error 32: an optional field, used as if it were there.
void shop.spec.image.length;
// @ts-expect-error 33: a child that may not exist yet.
void (await new Children(client, shop).find(Job, "backup")).status;

/* When it runs, and what it says */

class ShopReconciler {
  async reconcile(request: NamespacedName): Promise<Result> {
    if (request.namespace === "slow") return { requeueAfter: "1m" };
  }
}
// @ts-expect-error 34: a reconciler of a namespaced kind, for a cluster-scoped one.
manager.controllerFor(Mall).complete(new ShopReconciler());
// @ts-expect-error 35: a delay without a unit.
manager.controllerFor(Shop).complete({ reconcile: async () => ({ requeueAfter: 30 }) });
// @ts-expect-error 36: a delay in a unit that doesn't exist.
manager.controllerFor(Shop).complete({ reconcile: async () => ({ requeueAfter: { days: 1 } }) });
// @ts-expect-error 37: a request without the namespace.
manager.controllerFor(Shop).watches(Secret, (secret) => [{ name: secret.metadata.name }]);
// @ts-expect-error 38: a kind that is no value of `defineKind`.
manager.controllerFor({ kind: "Shop" });
setCondition(undefined, {
  type: "Ready",
  // @ts-expect-error 39: a status that is a boolean.
  status: true,
  reason: "Ready",
});
// @ts-expect-error 40: a reason with a space, which the API server rejects.
setCondition(undefined, { type: "Ready", status: "False", reason: "Not ready" });
// @ts-expect-error 41: a reason of an Event that is a sentence.
context.events.normal(shop, "It was created", "The shop was created");
// @ts-expect-error 42: a property of an error that doesn't exist.
void new ApiError({ code: 404 }).isNotfound;
// @ts-expect-error 43: the code of a Status, which errors of Node use for another thing.
void new ApiError({ code: 404 }).code;

/* Unknown fields, which TypeScript itself finds only in objects that are written in place */

const misspelt = { size: 1, imagee: "a" };
// @ts-expect-error 44: a misspelt field in a variable.
await client.apply(Shop, { metadata: { namespace, name }, spec: misspelt });
const misspeltObject = { metadata: { namespace, name }, spec: misspelt };
// @ts-expect-error 45: an object with a misspelt field in a variable.
await client.create(Shop, misspeltObject);
const spec = {
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers: [{ name, image: "a", imagePullPolicyy: "Never" }] } },
};
// @ts-expect-error 46: a field of a container in a variable.
await new Children(client, shop).set(Deployment, name, { metadata: { labels }, spec });
// @ts-expect-error 47: the same, in a child that is applied in its turn.
new Children(client, shop).add(Deployment, name, { metadata: { labels }, spec });
// @ts-expect-error 48: the same, in what a function returns.
new Children(client, shop).add(Deployment, name, () => ({ metadata: { labels }, spec }));
// @ts-expect-error 49: the same, in a list.
new Children(client, shop).addEach(Deployment, [{ metadata: { name }, spec }]);
const reported = { ...shop.status, readyy: 1 };
// @ts-expect-error 50: a misspelt field of a status in a variable.
await client.patchStatus(Shop, shop, reported);
// @ts-expect-error 51: the same, in a status that several managers share.
await client.applyStatus(Shop, shop, reported);
const scale = { replica: 3 };
// @ts-expect-error 52: a misspelt field of another owner's object in a variable.
await client.applyFields(Deployment, await client.get(Deployment, { namespace, name }), { spec: scale });

// And nothing of this is in the way of what is right.
await client.apply(Deployment, { metadata: { namespace, name } }).catch(() => {});
await client.get(Mall, mall.metadata);
await client.deleteAllOf(Mall, { labels });
await client
  .subresource(Deployment, { namespace, name }, "scale")
  .patch({ merge: { spec: { replicas: 1 } } });
manager.controllerFor(Shop).complete({ reconcile: () => ({ requeueAfter: { minutes: 1, seconds: 30 } }) });
declare const reasons: "Ready" | "NotReady";
setCondition(undefined, { type: "Ready", status: "True", reason: reasons });
setCondition(undefined, { type: "Ready", status: "True", reason: name });
// Conditions of built-in kinds may lack a reason and times.
const deployment = await client.get(Deployment, { namespace, name });
void findCondition(deployment.status?.conditions, "Available")?.lastUpdateTime;
void isConditionTrue((await client.get(Pod, { namespace, name })).status?.conditions, "Ready");
// Objects of a declared type, as they were read, and with parts that are there or not.
declare const desired: Desired<Deployment>;
declare const ofShop: Shop;
declare const isNamed: boolean;
await client.apply(Deployment, desired);
await client.apply(Deployment, { ...desired, metadata: { ...desired.metadata, labels } });
await client.create(Shop, ofShop);
await client.create(Shop, { ...shop, metadata: { namespace, name: "copy" } });
await client.apply(Shop, { metadata: { namespace, name }, spec: { ...shop.spec, size: 2 } });
await client.apply(Secret, { metadata: { namespace, name }, ...(isNamed && { stringData: { name } }) });
const servicePorts = isNamed ? { clusterIP: "None" } : { ports: [{ port: 80 }] };
await new Children(client, shop).set(
  Service,
  name,
  isNamed ? { metadata: {}, spec: servicePorts } : undefined,
);
new Children(client, shop).add(Service, name, isNamed && (() => ({ metadata: {}, spec: servicePorts })));
// A kind whose type says nothing takes anything.
const Anything = defineKind<CustomResource<object>>(groupVersion, { kind: "Anything", plural: "anythings" });
await client.create(Anything, { metadata: { namespace, name }, spec: { size: 1 } });
// The same for a kind that is only known at run time.
declare const found: Kind;
const manifest = { metadata: { namespace, name }, spec: { size: 1 } };
await client.apply(found, manifest);
new Children(client, shop).add(found, name, () => manifest);
// Functions for any kind.
async function applyAny<T extends KubernetesObject, Key extends ObjectKey>(
  kind: Kind<T, Key>,
  one: Desired<T, Key>,
): Promise<void> {
  await client.apply(kind, one);
  await new Children(client, shop).set(kind, name, one);
  new Children(client, shop).add(kind, name, () => one);
  new Children(client, shop).add(kind, name, one);
}
await applyAny(Deployment, desired);
