import { type KubernetesObject, defineKind } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { PlannedFailures } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { CustomResourceDefinition } from "@tsbuilder/runtime/k8s/apiextensions/v1";
import { onTestFinished } from "vitest";
import { type MigrationStep, stepMigration } from "../../../src/runtime/storage-migration/storage-migration.ts";
import { createCRD } from "./create-crd.ts";

export const crdName = "widgets.example.com";
export const inVersion = (version: string) =>
  defineKind<KubernetesObject>({ group: "example.com", version }, { kind: "Widget", plural: "widgets" });
const spec = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const properties = { spec };

/** Starts a cluster with so many Widgets that are stored in v1, and makes v2 the storage version. */
export async function startWidgets(count: number, release?: Partial<Parameters<typeof startTestCluster>[0]>) {
  const clock = new FakeClock();
  const crd = createCRD({ plural: "widgets", kind: "Widget" }, { name: "v1", properties }, { name: "v2", properties });
  const failures = new PlannedFailures();
  const cluster = await startTestCluster({ clock, crds: [crd], intercept: (request) => failures.take(request), ...release });
  onTestFinished(() => cluster.stop());
  const client = createClient(() => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }), { clock });
  onTestFinished(() => client.close());
  for (let index = 0; index < count; index++) await client.create(inVersion("v1"), widget(`w-${index}`));
  await storeIn(client, "v2");
  return { clock, cluster, client, failures };
}

export const widget = (name: string) => ({ metadata: { namespace: "default", name }, spec: { size: name.length } });

/** Changes the storage version, and the versions that there are. */
export async function storeIn(client: Client, storage: string, names = ["v1", "v2"]): Promise<void> {
  const versions = names.map((name) => ({
    name,
    served: true,
    storage: name === storage,
    schema: { openAPIV3Schema: { type: "object", properties } },
  }));
  await client.patch(CustomResourceDefinition, { name: crdName }, { merge: { spec: { versions } } });
}

/** Takes steps until the migration ends. */
export async function migrate(client: Client, clock: FakeClock, objectsPerSecond = 20): Promise<MigrationStep[]> {
  const steps: MigrationStep[] = [];
  for (;;) {
    const step = await stepMigration(client, crdName, clock, { objectsPerSecond });
    steps.push(step);
    if (step.state !== "running") return steps;
    await clock.advance(step.after);
  }
}

/** The resource versions of all Widgets: those that change were written. */
export async function versions(client: Client): Promise<Map<string, string>> {
  const items = await client.list(inVersion("v2"));
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

export async function statusOf(client: Client) {
  const { status, metadata } = await client.get(CustomResourceDefinition, { name: crdName });
  const condition = status?.conditions?.find(({ type }) => type === "StorageMigrated");
  return { stored: status?.storedVersions, condition, annotations: metadata.annotations };
}

/** Denies every write of a Widget. */
export async function deny(client: Client, name: string): Promise<void> {
  const group = "admissionregistration.k8s.io";
  const [policy, binding] = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"].map((kind) =>
    defineKind<KubernetesObject & { spec: object }>(
      { group, version: "v1" },
      { kind, plural: kind === "ValidatingAdmissionPolicy" ? "validatingadmissionpolicies" : `${kind.toLowerCase()}s`, scope: "Cluster" },
    ),
  );
  const rule = { apiGroups: ["example.com"], apiVersions: ["*"], operations: ["UPDATE"], resources: ["widgets"] };
  await client.create(policy!, {
    metadata: { name: "deny" },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: `object.metadata.name != "${name}"` }],
    },
  });
  await client.create(binding!, {
    metadata: { name: "deny" },
    spec: { policyName: "deny", validationActions: ["Deny"] },
  });
}

