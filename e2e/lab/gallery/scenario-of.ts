import { readFile } from "node:fs/promises";
import type { KubernetesObject, Manager } from "@tsbuilder/runtime";
import {
  operationsFor,
  type OperationsOptions,
  type ScenarioMaker,
  type SimulatedOperator,
  type Step,
} from "@tsbuilder/simulation";
import { generateCrds } from "../../../src/generators/crd/generate-crds.ts";
import { toJson } from "../../../src/generators/crd/custom-resource-definition.ts";
import { ProjectSources } from "../../../src/generators/sources/project-sources.ts";
import { memoryTree } from "../../../src/scaffold/tree.ts";
import type { Exhibit } from "./exhibits.ts";

/** The export of `wrong.ts` and `right.ts`: one operator, or several. */
type OperatorModule =
  | (Pick<SimulatedOperator, "rules" | "replicas" | "sharding" | "former"> & {
      readonly setup: (manager: Manager) => void;
    })
  | { readonly operators: readonly SimulatedOperator[] };

/** The CRD of the gallery's kind, as the generators write it. */
async function generatedCrd(): Promise<Parameters<typeof operationsFor>[0] & KubernetesObject> {
  const text = await readFile(new URL("app.ts", import.meta.url), "utf8");
  const sources = await ProjectSources.load(memoryTree({ "api/v1/app_types.ts": text }));
  const [generated] = generateCrds(sources);
  return toJson(generated!.crd) as unknown as Parameters<typeof operationsFor>[0] & KubernetesObject;
}

let crd: ReturnType<typeof generatedCrd> | undefined;

/** Objects that somebody else created. */
const strangers = ["web", "a", "db"].flatMap((name) =>
  ["default", "other"].map((namespace) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace, name },
    data: { of: "somebody else" },
  })),
);

const end: Step = {
  do: "delete",
  target: { apiVersion: "v1", kind: "Namespace", name: "other" },
  after: 3000,
};

/** Makes scenarios of a version of an exhibit: everything else is drawn from the CRD. */
export async function scenarioOf(
  { mistake, withStranger, endsNamespace }: Exhibit,
  version: "wrong" | "right",
  options: OperationsOptions = {},
): Promise<ScenarioMaker> {
  const operator = (await import(`./${mistake}/${version}.ts`)) as OperatorModule;
  const operators = "operators" in operator ? operator.operators : [{ name: "operator", ...operator }];
  const definition = await (crd ??= generatedCrd());
  const operations = operationsFor(definition, options);
  const namespaces = ["other", "store"].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
  return (random, plan) => ({
    crds: [definition],
    objects: [...namespaces, ...(withStranger ? strangers : [])],
    operators,
    steps: [...operations(random, plan), ...(endsNamespace ? [end] : [])],
  });
}
