import { join } from "node:path";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { type Context, findCondition, type Manager, type Reconciler } from "@tsbuilder/runtime";
import { startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AppService } from "../golden/app-operator/api/v1/appservice_types.ts";
import { Memcached } from "../golden/app-operator/api/v1/memcached_types.ts";
import { AppServiceReconciler } from "../golden/app-operator/src/controller/appservice_controller.ts";
import { MemcachedReconciler } from "../golden/app-operator/src/controller/memcached_controller.ts";
import { MySQL } from "../golden/mysql-operator/api/v1/mysql_types.ts";
import { repository } from "../support/source-imports.ts";

// Years before the system time.
const clock = new FakeClock();
const context = {
  events: { warning: () => undefined },
  log: { info: () => undefined },
} as unknown as Context;
let cluster: TestCluster;
let running: TestManager;

beforeAll(async () => {
  const crds = ["app-operator", "mysql-operator"].map((name) =>
    join(repository, "e2e/golden", name, "config/crd/bases"),
  );
  cluster = await startTestCluster({ crds, clock });
  running = await startTestManager({ kubeconfig: cluster.kubeconfig, clock });
});
afterAll(async () => {
  await running?.stop();
  await cluster?.stop();
});

// The server rejects a Deployment whose containers request more than their limit.
const resources = { requests: { cpu: "2" }, limits: { cpu: "1" } };

test("an AppService whose Deployment is rejected is retried after as long as its condition has held on the manager's clock", async () => {
  const key = { namespace: "default", name: "app" };
  await running.client.create(AppService, { metadata: key, spec: { image: "nginx", resources } });
  const reconciler = new AppServiceReconciler(running.manager);
  expect(await reconciler.reconcile(key, context)).toEqual({ requeueAfter: "15s" });
});

test("a Memcached whose Deployment is rejected is retried after as long as its condition has held on the manager's clock", async () => {
  const key = { namespace: "default", name: "cache" };
  await running.client.create(Memcached, { metadata: key, spec: { resources } });
  const reconciler = new MemcachedReconciler(running.manager);
  expect(await reconciler.reconcile(key, context)).toEqual({ requeueAfter: "15s" });
});

test("the controller that create api scaffolds takes the times of its conditions from the manager's clock", async () => {
  const key = { namespace: "default", name: "database" };
  await running.client.create(MySQL, { metadata: key, spec: {} });
  // Our own sources are stricter about optional properties than a project is.
  const file = join(repository, "e2e/golden/mysql-operator/src/controller/mysql_controller.ts");
  const { MySQLReconciler } = (await import(file)) as {
    readonly MySQLReconciler: new (manager: Manager) => Reconciler;
  };
  await new MySQLReconciler(running.manager).reconcile(key, context);
  const { status } = await running.client.get(MySQL, key);
  expect(findCondition(status?.conditions, "Ready")?.lastTransitionTime).toBe("2024-01-01T00:00:00Z");
});
