import { defineKind } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { PlannedFailures } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { CustomResourceDefinition } from "@tsbuilder/runtime/k8s/apiextensions/v1";
import { stepMigration } from "../../../src/runtime/storage-migration/storage-migration.js";
import { createCRD } from "./create-crd.js";
export const crdName = "widgets.example.com";
export const inVersion = (version) =>
  defineKind({ group: "example.com", version }, { kind: "Widget", plural: "widgets" });
const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const properties = { spec };
/** A CRD with v1, which is stored, and v2. */
export function createWidgetCRD() {
  return createCRD(
    { plural: "widgets", kind: "Widget" },
    { name: "v1", properties },
    { name: "v2", properties },
  );
}
/** Starts a cluster with so many Widgets that are stored in v1, and makes v2 the storage version. */
export async function openWidgets(count, options) {
  const clock = new FakeClock();
  const failures = new PlannedFailures();
  const cluster = await startTestCluster({
    clock,
    crds: [createWidgetCRD()],
    intercept: (request) => failures.take(request),
    ...options,
  });
  const client = createClient(() => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }), { clock });
  for (let index = 0; index < count; index++) await client.create(inVersion("v1"), widget(`w-${index}`));
  await storeIn(client, "v2");
  const stop = async () => {
    await client.close();
    await cluster.stop();
  };
  return { clock, cluster, client, failures, stop };
}
export const widget = (name) => ({
  metadata: { namespace: "default", name },
  spec: { size: name.length },
});
/** Changes the storage version, and the versions that there are. */
export async function storeIn(client, storage, names = ["v1", "v2"]) {
  const versions = names.map((name) => ({
    name,
    served: true,
    storage: name === storage,
    schema: { openAPIV3Schema: { type: "object", properties } },
  }));
  await client.patch(CustomResourceDefinition, { name: crdName }, { merge: { spec: { versions } } });
}
/** Takes steps until the migration ends. */
export async function migrate(client, clock, objectsPerSecond = 20) {
  const steps = [];
  for (;;) {
    const step = await stepMigration(client, crdName, clock, { objectsPerSecond });
    steps.push(step);
    if (step.state !== "running") return steps;
    await clock.advance(step.after);
  }
}
/** The resource versions of all Widgets: those that change were written. */
export async function versions(client) {
  const items = await client.list(inVersion("v2"));
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}
export async function statusOf(client) {
  const { status, metadata } = await client.get(CustomResourceDefinition, { name: crdName });
  const condition = status?.conditions?.find(({ type }) => type === "StorageMigrated");
  return { stored: status?.storedVersions, condition, annotations: metadata.annotations };
}
const [policies, bindings] = [
  { kind: "ValidatingAdmissionPolicy", plural: "validatingadmissionpolicies" },
  { kind: "ValidatingAdmissionPolicyBinding", plural: "validatingadmissionpolicybindings" },
].map((definition) =>
  defineKind({ group: "admissionregistration.k8s.io", version: "v1" }, { ...definition, scope: "Cluster" }),
);
/** Denies every change of a Widget. */
export async function deny(client, name) {
  const rule = {
    apiGroups: ["example.com"],
    apiVersions: ["*"],
    operations: ["UPDATE"],
    resources: ["widgets"],
  };
  await client.create(policies, {
    metadata: { name: "deny" },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: `object.metadata.name != "${name}"` }],
    },
  });
  await client.create(bindings, {
    metadata: { name: "deny" },
    spec: { policyName: "deny", validationActions: ["Deny"] },
  });
}
/** Takes back what `deny` did. */
export async function allow(client) {
  await client.delete(bindings, { name: "deny" });
}
