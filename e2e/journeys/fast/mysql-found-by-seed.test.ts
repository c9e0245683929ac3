import { loadObjects } from "@tsbuilder/cluster/testing";
import { type Fault, type Run, simulate, type Step } from "@tsbuilder/simulation";
import { expect, test } from "vitest";
import type { Maria, MariaSpec } from "../../golden/maria-operator/api/v1/maria_types.ts";
import { setupMariaController } from "../../golden/maria-operator/src/controller/maria_controller.ts";

const apply = (spec: MariaSpec): Step => ({
  do: "apply",
  after: 2000,
  object: {
    apiVersion: "data.example.com/v1",
    kind: "Maria",
    metadata: { namespace: "default", name: "db" },
    spec,
  } as Maria,
});

const run = async (steps: readonly Step[], faults: readonly Fault[] = []): Promise<Run> =>
  simulate({
    crds: await loadObjects(["e2e/golden/maria-operator/config/crd/bases"]),
    operators: [{ name: "maria", setup: setupMariaController }],
    steps,
    faults,
  });

test("conditions that last through a change of the spec speak of its new generation", async () => {
  const rootPasswordSecretRef = { name: "missing" };
  const { state } = await run([apply({ rootPasswordSecretRef }), apply({ rootPasswordSecretRef, size: 2 })]);
  const [maria] = state.list("Maria") as readonly Maria[];
  const observed = maria?.status?.conditions?.map(({ observedGeneration }) => observedGeneration);
  expect(maria?.metadata.generation).toBe(2);
  expect(new Set(observed)).toEqual(new Set([2]));
});

test("passwords that lost their labels by hand get them back: their uid says whose they are", async () => {
  const credentials = 3; // after three Services
  const { state } = await run([apply({})], [{ fault: "edit-child", child: credentials, at: 20_000 }]);
  const secret = state.list("Secret").find(({ metadata }) => metadata.name === "db-credentials");
  expect(secret?.metadata.labels).toMatchObject({ "app.kubernetes.io/instance": "db" });
});

test("a volume of backups that lost its labels by hand gets them back, as its uid says whose it is", async () => {
  const volume = 6; // created before the CronJob that mounts it
  const { state } = await run(
    [apply({ backupSchedule: "0 3 * * *" })],
    [{ fault: "edit-child", child: volume, at: 20_000 }],
  );
  const claim = state.list("PersistentVolumeClaim").find(({ metadata }) => metadata.name === "db-backup");
  expect(claim?.metadata.labels).toMatchObject({ "app.kubernetes.io/instance": "db" });
});

test("constraints that no StatefulSet can hold together are rejected", async () => {
  const constraint = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" } as const;
  const twice = await run([
    apply({ topologySpreadConstraints: [constraint, { ...constraint, maxSkew: 2 }] }),
  ]);
  expect(twice.state.list("Maria")).toEqual([]);
});
