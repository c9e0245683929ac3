import * as fc from "fast-check";
import { resolve, type Schema, type Schemas } from "./schema.ts";

/** Values that are seldom of the right type, and where they are, at the edge of what is allowed. */
export const junk: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  null,
  "",
  "x",
  "a/b",
  "A_B",
  "-1",
  "1.5",
  "2026-01-01T00:00:00Z",
  "10Gi",
  "x".repeat(64),
  "x".repeat(254),
  -1,
  0,
  1.5,
  65_536,
  2 ** 31,
  2 ** 40,
  true,
  [],
  {},
  [null],
  [{}],
  { "": null },
  { a: "b" },
  { matchExpressions: [{ key: "a", operator: "Bogus" }] },
  { matchExpressions: [{ operator: "In" }] },
);

/** Usual values of fields by name, with which more of the requests get past the first check. */
const usual: Readonly<Record<string, readonly unknown[]>> = {
  name: ["a", "b", "web", "a.b", "A", "a_b"],
  namespace: ["{ns}", "default", "other"],
  image: ["busybox", "nginx:1", " "],
  port: [80, 443, 0, 65_536, "http"],
  targetPort: [80, "http", "", 0],
  containerPort: [80, 8080, 0],
  protocol: ["TCP", "UDP", "SCTP", "tcp"],
  key: ["a", "app", "example.com/a", "a b"],
  operator: ["In", "NotIn", "Exists", "DoesNotExist", "Equal", "Gt", "Bogus"],
  path: ["/", "/a", "a", "../a"],
  host: ["example.com", "*.example.com", "a b"],
  cidr: ["10.0.0.0/8", "10.0.0.1/8", "::/0", "10.0.0.0"],
  mountPath: ["/a", "/b", "a:b"],
  kind: ["ConfigMap", "User", "Group", "ServiceAccount", "Role", "ClusterRole", "Pod"],
  apiGroup: ["", "rbac.authorization.k8s.io", "apps"],
  resourceVersion: ["", "0", "1", "x"],
};

/** A value of the right type whose parts are there by chance. */
export function valueOf(wanted: Schema, schemas: Schemas, name = "", depth = 0): fc.Arbitrary<unknown> {
  const schema = resolve(wanted, schemas);
  if (depth > 4) return fc.constant({});
  if (schema.oneOf || schema["x-kubernetes-int-or-string"])
    return fc.constantFrom<unknown>(1, "50%", "http", -1, "100m", "1Gi", "x");
  switch (schema.type) {
    case "array":
      return fc.array(schema.items ? valueOf(schema.items, schemas, name, depth + 1) : junk, {
        maxLength: 2,
      });
    case "object":
      return objectOf(schema, schemas, depth);
    case "integer":
    case "number":
      return fc.constantFrom(...numbersOf(name));
    case "boolean":
      return fc.boolean();
    case "string":
      return fc.constantFrom(...(schema.enum ?? []), ...textsOf(name, schema.format));
    default:
      return junk;
  }
}

function objectOf({ properties, additionalProperties }: Schema, schemas: Schemas, depth: number) {
  if (additionalProperties) {
    const keys = fc.constantFrom("a", "cpu", "memory", "x.y/z", "A b");
    return fc.dictionary(keys, valueOf(additionalProperties, schemas, "", depth + 1), { maxKeys: 2 });
  }
  const members = Object.entries(properties ?? {}).map(([name, child]) => [
    name,
    fc.option(valueOf(child, schemas, name, depth + 1), { nil: undefined, freq: 1 }),
  ]);
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>);
}

function numbersOf(name: string): readonly unknown[] {
  const numbers = usual[name]?.filter((value) => typeof value === "number");
  return numbers?.length ? numbers : [0, 1, -1, 80, 2 ** 31 - 1];
}

function textsOf(name: string, format: string | undefined): readonly unknown[] {
  if (format === "date-time") return ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000Z", "today"];
  if (format === "byte") return ["YQ==", "YQ", ""];
  const texts = usual[name]?.filter((value) => typeof value === "string");
  // Not the first address of the real server's range: that is the one of its own Service.
  return texts ?? ["", "x", "10.0.0.9", "example.com/a", "Bogus", "1Gi"];
}
