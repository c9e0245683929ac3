import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { operationsFor, type OperationsOptions } from "../../../src/simulation/operations/operations-for.ts";
import type { PlannedStep } from "../../../src/simulation/operations/operations-for.ts";
import type { CRD } from "../../../src/simulation/operations/draw-object.ts";
import { Random } from "@tsbuilder/apimachinery/sample";

let made = 0;

/** A CRD of a kind with this spec. */
export function crdOf(spec: JSONSchema, name = `box${made++}`): CRD & KubernetesObject {
  const schema: JSONSchema = {
    type: "object",
    required: ["spec"],
    properties: {
      spec,
      status: { type: "object", required: ["phase"], properties: { phase: { type: "string" } } },
    },
  };
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  const kind = `${name[0]!.toUpperCase()}${name.slice(1)}`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}s.example.com` },
    spec: { group: "example.com", scope: "Namespaced", names: { kind, plural: `${name}s` }, versions },
  };
}

/** The steps that this many seeds draw. */
export function stepsOf(crd: CRD, seeds: number, options?: OperationsOptions): PlannedStep[] {
  const operations = operationsFor(crd, options);
  return Array.from({ length: seeds }, (_, seed) => operations(new Random(seed))).flat();
}

/** The spec of an object. */
export function specOf(object: object): Record<string, unknown> {
  return (object as { spec: Record<string, unknown> }).spec;
}
