import { given, inCluster, type Stages } from "./stage.ts";

/** Snippets of the project's own README. */
export const rootStages: Stages = {
  "/** MySQLSpec is what the user asks for. */": {
    before: `import assert from "node:assert/strict";
import { type CustomResource, defineKind } from "@tsbuilder/runtime";
type int32 = number;
type Quantity = string | number;
interface MySQLStatus {}
const groupVersion = { group: "apps.example.com", version: "v1" };
`,
    after: `assert.equal(MySQL.apiVersion, "apps.example.com/v1");`,
  },
  "async reconcile(request: NamespacedName, { log }: Context)": {
    before: `${inCluster}${given}
import { type Client, type Context, type NamespacedName, type Result } from "@tsbuilder/runtime";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
class MySQLReconciler {
  readonly #client: Client;
  constructor(client: Client) {
    this.#client = client;
  }
`,
    after: `}
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig, (manager) =>
  manager.controllerFor(MySQL).owns(Service).complete(new MySQLReconciler(manager.client)),
);
await client.create(MySQL, { metadata: { namespace: "default", name: "db" }, spec: {} });
await eventually(() => client.get(Service, { namespace: "default", name: "db" }));
await stop();
await cluster.stop();
`,
  },
};
