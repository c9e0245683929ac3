import { given, inCluster, type Stages } from "./stage.ts";

/** Snippets of the guides: webhooks, and an operator's tests. */
export const testStages: Stages = {
  "exec: async ({ args: [, command] })": {
    before: `${inCluster}${given}
import type { Manager } from "@tsbuilder/runtime";
let managed: Manager | undefined;
function setupMySQLController(manager: Manager): void {
  managed = manager;
}
`,
    after: `
const { exitCode, stdout } = await managed!.client.exec({ namespace: "default", name: "db-0" }, ["ping"]);
assert.deepEqual({ exitCode, stdout }, { exitCode: 0, stdout: "ran ping" });
assert.equal(await managed!.client.logs({ namespace: "default", name: "db-0" }).text(), "mysqld: ready for connections\\n");
await eventually(async () => assert.deepEqual(await client.list(MySQL), []));
await stop();
await cluster.stop();
`,
  },
  "const defaulter: Defaulter<MySQL>": {
    after: `import assert from "node:assert/strict";
import { admissionContext } from "@tsbuilder/runtime/testing";
const made = { apiVersion: "apps.example.com/v1", kind: "MySQL", metadata: { name: "db" }, spec: {} } as MySQL;
await defaulter.default(made, admissionContext());
assert.equal(made.spec.replicas, 3);
const context = admissionContext();
const next = { ...made, spec: { version: "9", replicas: 4 } };
assert.deepEqual(await validator.validateUpdate!(next, made, context), [
  { field: "spec.replicas", value: 4, message: "must be odd" },
]);
assert.deepEqual(context.warnings, ["the servers will restart one after the other"]);
`,
  },
  "const { client, stop } = await startTestManager(cluster.kubeconfig, setupMySQLController);": {
    before: `import assert from "node:assert/strict";
${given}
import type { Manager } from "@tsbuilder/runtime";
const seen: string[] = [];
const setupMySQLController = (manager: Manager): void =>
  void manager.controllerFor(MySQL).complete({ reconcile: async ({ name }) => void seen.push(name) });
`,
    after: `await client.create(MySQL, { metadata: { namespace: "default", name: "db" }, spec: {} });
await eventually(() => assert.deepEqual(seen, ["db"]));
await stop();
await cluster.stop();
`,
  },
  "setupMySQLWebhook,": {
    before: `import assert from "node:assert/strict";
${given}
import { startTestCluster } from "@tsbuilder/cluster/testing";
import type { Manager } from "@tsbuilder/runtime";
import { startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
const setupMySQLWebhook = (manager: Manager): void =>
  manager
    .webhookFor(MySQL)
    .defaulter({ default: ({ spec }) => void (spec.replicas ??= 3) })
    .complete();
`,
    after: `const metadata = { namespace: "default", name: "db" };
assert.equal((await running.client.create(MySQL, { metadata, spec: {} })).spec.replicas, 3);
await running.stop();
await cluster.stop();
`,
  },
};
