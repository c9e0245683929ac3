import { loadSchemas } from "@tsbuilder/apimachinery/kinds";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { describe, expect, it } from "vitest";
import { crdOf, specOf } from "../../../e2e/support/simulation/box-operations.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { loadKnownTypesCheck } from "./kubernetes-types.ts";
import { plansFor } from "./operations-for.ts";

const core = (await loadSchemas("core/v1"))!;
const meta = (await loadSchemas("meta/v1"))!;
const check = await loadKnownTypesCheck();

/** The schema of a type as it stands in a CRD. */
function typeOf(name: string): JSONSchema {
  return plainSchema(core.get(name) ?? meta.get(name)!, 0);
}

function plainSchema(schema: JSONSchema, depth: number): JSONSchema {
  const { typeName, properties, items, additionalProperties, ...facts } = schema as JSONSchema & {
    typeName?: string;
  };
  const either = { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] };
  if (typeName === "Quantity") return { ...either, pattern: "^[1-9][0-9]*(m|Mi|Gi)?$" };
  if (typeName === "IntOrString") return either;
  if (depth > 6) return { ...facts, type: schema.type ?? "string" };
  return {
    ...facts,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, plainSchema(one, depth + 1)]),
      ),
    }),
    ...(items && { items: plainSchema(items as JSONSchema, depth + 1) }),
    ...(typeof additionalProperties === "object" && {
      additionalProperties: plainSchema(additionalProperties, depth + 1),
    }),
  };
}

const list = (items: JSONSchema): JSONSchema => ({ type: "array", items });

const crd = crdOf(
  {
    type: "object",
    properties: {
      envs: list(typeOf("EnvVar")),
      resources: typeOf("ResourceRequirements"),
      probe: typeOf("Probe"),
      tolerations: list(typeOf("Toleration")),
      ports: list(typeOf("ServicePort")),
      selector: typeOf("LabelSelector"),
    },
  },
  "box",
);

/** The objects that an operator makes of a spec, which passes them on. */
function childrenOf(spec: Record<string, unknown>): KubernetesObject[] {
  const { envs = [], resources = {}, probe, tolerations = [], ports = [], selector = {} } = spec;
  const metadata = { name: "web", namespace: "default" };
  const container = {
    name: "main",
    image: "main",
    env: envs,
    resources,
    ...(probe !== undefined && { livenessProbe: probe }),
  };
  const children = [
    { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [container], tolerations } },
    { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata, spec: { podSelector: selector } },
    ...((ports as unknown[]).length > 0
      ? [{ apiVersion: "v1", kind: "Service", metadata, spec: { ports } }]
      : []),
  ];
  return children;
}

describe("values of Kubernetes' own types", () => {
  const draw = plansFor(crd, { wrong: false }, { check });
  const steps = Array.from({ length: 150 }, (_, plan) => draw(new Random(plan), plan)).flat();
  const specs = steps.flatMap((step) => (step.do === "apply" ? [specOf(step.object)] : []));

  it("are valid where operators copy them to", () => {
    const problems = specs.flatMap((spec) => childrenOf(spec).flatMap((child) => check(child)));
    expect(problems).toEqual([]);
    const text = JSON.stringify(specs);
    for (const drawn of [
      '"valueFrom":{"',
      '"limits":{"',
      '"tolerationSeconds"',
      '"matchExpressions":[{',
      '"targetPort"',
    ])
      expect(text).toContain(drawn);
  });

  it("ask for nothing of which the cluster has one, unless the test does", () => {
    expect(JSON.stringify(specs)).not.toContain('"nodePort"');
    const given = plansFor(
      crd,
      { wrong: false, values: { "spec.ports[].nodePort": [30_080, 30_081] } },
      { check },
    );
    const drawn = Array.from({ length: 20 }, (_, plan) => given(new Random(plan), plan));
    expect(JSON.stringify(drawn)).toMatch(/"nodePort":3008[01]/);
  });

  it("are what the schema says where nobody checks them", () => {
    const unchecked = plansFor(crd, { wrong: false });
    const objects = Array.from({ length: 40 }, (_, plan) => unchecked(new Random(plan), plan))
      .flat()
      .flatMap((step) => (step.do === "apply" ? [specOf(step.object)] : []));
    expect(
      objects.flatMap((spec) => childrenOf(spec).flatMap((child) => check(child))).length,
    ).toBeGreaterThan(20);
  });
});
