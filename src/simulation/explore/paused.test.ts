import { fileURLToPath } from "node:url";
import { loadObjects } from "@tsbuilder/cluster/testing";
import { expect, test } from "vitest";
import { setupAppServiceController } from "../../../e2e/golden/app-operator/src/controller/appservice_controller.ts";
import type { Scenario } from "../contract/index.ts";
import { operationsFor } from "../operations/operations-for.ts";
import { explore } from "./explore.ts";

test("what is paused stays as it is, whatever was asked for before", async () => {
  const folder = new URL("../../../e2e/golden/app-operator/config/crd/bases", import.meta.url);
  const crds = await loadObjects([fileURLToPath(folder)]);
  const crd = crds.find(({ metadata }) => metadata.name?.startsWith("appservices."));
  const draw = operationsFor(crd as unknown as Parameters<typeof operationsFor>[0]);
  const paused: boolean[] = [];
  const { failure } = await explore(
    (random): Scenario => {
      const steps = draw(random);
      paused.push(JSON.stringify(steps).includes('"paused":true'));
      return {
        crds,
        operators: [{ name: "appservice", setup: setupAppServiceController }],
        objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } }],
        steps,
      };
    },
    { from: 180, seeds: 2, shrinks: 0 },
  );
  expect(failure?.story).toBeUndefined();
  expect(paused).toEqual([true]);
});
