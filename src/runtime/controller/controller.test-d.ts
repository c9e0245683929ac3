import { keyOf, type NamespacedName, type Stored } from "../client/client.ts";
import { type CustomResource, defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { RequestControllerBuilder, ControllerBuilder } from "./controller-builder.ts";
import { allOf, anyOf, generationChanged, labelsMatch, not, objectMatches } from "./predicate.ts";
import type { Context, Reconciler, Result } from "./reconciler.ts";

interface MySQL extends CustomResource<{ replicas?: number }, { ready?: number }> {}
const MySQL = defineKind<MySQL>(
  { group: "apps.example.com", version: "v1" },
  { kind: "MySQL", plural: "mysqls" },
);
interface Secret extends KubernetesObject {
  data?: { [name: string]: string };
}
const Secret = defineKind<Secret>({ group: "", version: "v1" }, { kind: "Secret", plural: "secrets" });
interface Tenant extends CustomResource<{ quota?: number }> {}
const Tenant = defineKind<Tenant>(
  { group: "apps.example.com", version: "v1" },
  { kind: "Tenant", plural: "tenants", scope: "Cluster" },
);

declare const builder: ControllerBuilder<MySQL>;

class MySQLReconciler implements Reconciler {
  async reconcile(request: NamespacedName, { log, signal, events }: Context): Promise<Result> {
    log.info("Reconciling", { name: request.name, aborted: signal.aborted });
    events.normal(
      { apiVersion: "v1", kind: "Pod", metadata: { name: "a", uid: "1" } },
      "Started",
      "It started",
    );
    if (request.namespace === "slow") return { requeueAfter: "30s", priority: 1 };
    return;
  }
}

// All builder methods chain, in any order.
builder
  .named("mysql")
  .owns(Secret, { predicates: [generationChanged], everyOwner: true })
  .watches(Secret, (secret) => [{ name: secret.metadata.name, namespace: secret.metadata.namespace }])
  .withPredicates(labelsMatch({ matchLabels: { app: "db" } }))
  .finalizer("apps.example.com/mysql", (mysql) => void mysql.spec.replicas)
  .whileDeleting()
  .withOptions({ maxConcurrentReconciles: 4, reconcileTimeout: "1m" })
  .complete(new MySQLReconciler());

// A reconciler may be a plain object with a synchronous method that returns nothing.
builder.complete({ reconcile() {} });

// @ts-expect-error A predicate sees objects of the watched kind only.
builder.owns(Secret, { predicates: [objectMatches<MySQL>((mysql) => mysql.spec.replicas === 1)] });
builder.owns(Secret, {
  predicates: [
    allOf(
      generationChanged,
      objectMatches<Secret>((s) => s.data !== undefined),
    ),
  ],
});
// Predicates see objects with the key of their kind, as reconcilers do.
declare function isOurs(mysql: Stored<MySQL>): boolean;
builder.owns(MySQL, {
  predicates: [objectMatches(isOurs), not(anyOf(generationChanged, objectMatches(isOurs)))],
});
builder.owns(MySQL, { predicates: [({ object }) => object.metadata.namespace.startsWith("team-")] });
builder.owns(MySQL, {
  predicates: [generationChanged, objectMatches(({ metadata }) => metadata.namespace.startsWith("team-"))],
});
builder.withPredicates(allOf(generationChanged, not(labelsMatch({ matchLabels: { app: "db" } }))));
// @ts-expect-error A cluster-scoped object has no namespace.
builder.watches(Tenant, () => [], { predicates: [objectMatches((o) => o.metadata.namespace.length > 0)] });
// @ts-expect-error Predicates of all kinds see objects of any scope.
builder.withPredicates(({ object }) => object.metadata.namespace.length > 0);
// @ts-expect-error Go's Requeue doesn't exist: say when.
builder.complete({ reconcile: async () => ({ requeue: true }) });
// @ts-expect-error Durations are strings with a unit.
builder.complete({ reconcile: async () => ({ requeueAfter: 30 }) });
// @ts-expect-error A duration has a unit that Go knows.
builder.complete({ reconcile: async () => ({ requeueAfter: "5 minutes" }) });
builder.watches(Secret, (secret) => {
  // @ts-expect-error Objects from the cache are frozen.
  secret.data = {};
  return [];
});
builder.finalizer("a/b", (mysql) => {
  // @ts-expect-error Objects from the cache are frozen.
  mysql.spec.replicas = 0;
});
builder.withPredicates(({ object }) => {
  // @ts-expect-error Objects from the cache are frozen.
  object.metadata.name = "";
  return true;
});
// @ts-expect-error A map returns requests, and a request has a name.
builder.watches(Secret, () => [{ namespace: "default" }]);
// @ts-expect-error Cleanup gets an object of the controller's kind.
builder.finalizer("a/b", (secret: Secret & { data: object }) => void secret.data);

// Custom requests: no owners, any type.
declare const urls: RequestControllerBuilder<{ url: string }>;
urls
  .watches(Secret, () => [{ url: "https://example.com" }])
  .complete({ reconcile: ({ url }) => void url.length });
// @ts-expect-error The reconciler's request type must be the builder's.
urls.complete(new MySQLReconciler());

// A controller can watch more kinds later; requests have the controller's type.
const running = builder.complete({ reconcile() {} });
const watch = running.watch(Secret, (secret) => [keyOf(secret)]);
void watch.synced.then(() => watch.stop());
urls.complete({ reconcile() {} }).watchEvents(Secret, (event, enqueue) => {
  enqueue({ url: event.object.metadata.name }, { after: "1m", priority: 5 });
  // @ts-expect-error Only an update has an old object.
  void event.oldObject;
  if (event.type === "update") void event.oldObject.data;
});
builder.watchesEvents(Secret, (_event, enqueue) => {
  // @ts-expect-error A request has a name.
  enqueue({ url: "https://example.com" });
  // @ts-expect-error A delay is a duration.
  enqueue({ name: "a" }, { after: 5 });
});
builder.withOptions({ backoff: { delay: (retries) => (retries < 3 ? "1s" : undefined) } });
// @ts-expect-error A delay is a duration.
builder.withOptions({ backoff: { delay: () => 5 } });
