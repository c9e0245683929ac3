import { ApiError, type Client, defineKind, type KubernetesObject } from "@tsbuilder/runtime";
import type { UnstructuredObject } from "@tsbuilder/runtime/advanced";
import type { PlannedStep } from "../../../src/simulation/operations/operations-for.ts";
import type { CRD } from "../../../src/simulation/operations/draw-object.ts";

export const CustomResourceDefinition = defineKind<KubernetesObject>(
  { group: "apiextensions.k8s.io", version: "v1" },
  { kind: "CustomResourceDefinition", plural: "customresourcedefinitions", scope: "Cluster" },
);

/** Does planned steps as a user does them, and returns those that the API server answers otherwise than planned. */
export async function surprisesOf(
  client: Client,
  { spec: { group, names, scope, versions } }: CRD,
  steps: readonly PlannedStep[],
): Promise<unknown[]> {
  const version = versions.find(({ storage }) => storage)!.name;
  const kind = defineKind<UnstructuredObject>({ group, version }, { ...names, scope });
  const surprises: unknown[] = [];
  for (const step of steps) {
    const rejection = await rejectionOf(step);
    const isExpected = (rejection !== undefined) === (step.expect === "rejected");
    if (!isExpected) surprises.push({ step, rejection: rejection?.message });
  }
  return surprises;

  async function rejectionOf(step: PlannedStep): Promise<ApiError | undefined> {
    try {
      if (step.do === "delete") await client.delete(kind, step.target);
      else await replace(step.object as UnstructuredObject);
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.isInvalid) return error;
      throw error;
    }
  }

  async function replace(object: UnstructuredObject): Promise<void> {
    const { name = "", namespace } = object.metadata;
    const old = await client.find(kind, { name, namespace });
    if (!old) return void (await client.create(kind, object));
    try {
      await client.update(kind, { ...object, metadata: old.metadata });
    } catch (error) {
      // An operator has written to it in between.
      if (!(error instanceof ApiError && error.isConflict)) throw error;
      await replace(object);
    }
  }
}
