import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Scenario, Step } from "@tsbuilder/simulation";
import { parse } from "yaml";
import { setupAppServiceController } from "../../../golden/app-operator/src/controller/appservice_controller.ts";
import { repository } from "../../../support/source-imports.ts";

const crds = join(repository, "e2e/golden/app-operator/config/crd/bases");
const crd = parse(readFileSync(join(crds, "apps.example.com_appservices.yaml"), "utf8")) as KubernetesObject;

const app = (autoscaling?: object): Step => ({
  do: "apply",
  after: 20_000,
  object: {
    apiVersion: "apps.example.com/v1",
    kind: "AppService",
    metadata: { namespace: "default", name: "a" },
    spec: {
      image: "nginx",
      replicas: 5,
      resources: { requests: { cpu: "100m" } },
      ...(autoscaling && { autoscaling }),
    },
  } as KubernetesObject,
});

const scaled = { minReplicas: 3, maxReplicas: 9 };

/** Autoscaling is turned on, off and on again: a Deployment that had its pods never falls back to one. */
export const autoscaledApps: Scenario = {
  crds: [crd],
  operators: [{ name: "app", setup: setupAppServiceController }],
  steps: [app(), app(scaled), app(), app(scaled)],
  never: {
    "a Deployment that was changed has one pod": (state) =>
      (state.list("Deployment") as readonly Deployment[]).some(
        ({ metadata, spec }) => spec?.replicas === 1 && metadata.generation! > 1,
      ),
  },
};
