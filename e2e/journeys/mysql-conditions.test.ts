import { loadObjects } from "@tsbuilder/cluster/testing";
import { simulate, type Step } from "@tsbuilder/simulation";
import { expect, test } from "vitest";
import type { Maria, MariaSpec } from "../golden/maria-operator/api/v1/maria_types.ts";
import { setupMariaController } from "../golden/maria-operator/src/controller/maria_controller.ts";

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

test("conditions that last through a change of the spec speak of its new generation", async () => {
  const crds = await loadObjects(["e2e/golden/maria-operator/config/crd/bases"]);
  const rootPasswordSecretRef = { name: "missing" };
  const { state } = await simulate({
    crds,
    operators: [{ name: "maria", setup: setupMariaController }],
    steps: [apply({ rootPasswordSecretRef }), apply({ rootPasswordSecretRef, size: 2 })],
  });
  const [maria] = state.list("Maria") as readonly Maria[];
  const observed = maria?.status?.conditions?.map(({ observedGeneration }) => observedGeneration);
  expect(maria?.metadata.generation).toBe(2);
  expect(new Set(observed)).toEqual(new Set([2]));
});
