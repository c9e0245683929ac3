import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubernetesObject } from "@tsbuilder/runtime";
import type { Scenario } from "@tsbuilder/simulation";
import { parse } from "yaml";
import { setupMariaController } from "../../../golden/maria-operator/src/controller/maria_controller.ts";
import { repository } from "../../../support/source-imports.ts";

const crds = join(repository, "e2e/golden/maria-operator/config/crd/bases");
const crd = parse(readFileSync(join(crds, "data.example.com_maria.yaml"), "utf8")) as KubernetesObject;

const named = (namespace: string, name: string, labels = {}) => ({ metadata: { namespace, name, labels } });

/** A volume of another owner has the labels that a database of this name would have. */
const stranger = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  ...named("default", "letters", {
    "app.kubernetes.io/name": "maria",
    "app.kubernetes.io/instance": "a",
    "app.kubernetes.io/component": "server",
  }),
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

/** A database is deleted with its data, beside which that of another owner looks alike. */
export const deletedDatabases: Scenario = {
  crds: [crd],
  operators: [{ name: "maria", setup: setupMariaController }],
  controllers: ["statefulset", "persistentvolume", "scheduler", "node", "kubelet"],
  objects: [stranger],
  steps: [
    {
      do: "apply",
      object: {
        apiVersion: "data.example.com/v1",
        kind: "Maria",
        ...named("default", "a"),
        spec: { size: 1, storage: { size: "1Gi" }, deletionPolicy: "Delete" },
      } as KubernetesObject,
    },
  ],
  // Passwords are random, and tell of the past, as the status does.
  mayDiffer: ({ kind }, field = "") => kind === "Secret" || /^status\.(history|conditions)/.test(field),
};
