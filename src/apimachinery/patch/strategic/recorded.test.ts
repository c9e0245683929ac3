import { isEqual, type JSONObject } from "../../json/index.ts";
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { SchemaNode } from "../index.ts";
import { applyStrategicMergePatch } from "./index.ts";

/**
 * Random patches of a Deployment and their results on kube-apiserver 1.36.3: fields with every type of list, without
 * the server's defaults.
 */
const recorded = JSON.parse(
  readFileSync(new URL("../testdata/recorded-strategic-patches.json", import.meta.url), "utf8"),
) as { from: JSONObject; patch: JSONObject; to: JSONObject }[];

const merged = (key: string, strategy = "merge", items: SchemaNode = { type: "object" }): SchemaNode => ({
  type: "array",
  "x-kubernetes-patch-merge-key": key,
  "x-kubernetes-patch-strategy": strategy,
  items,
});

const podSpec: SchemaNode = {
  properties: {
    volumes: merged("name", "merge,retainKeys"),
    imagePullSecrets: merged("name"),
    containers: merged("name", "merge", {
      properties: { env: merged("name"), ports: merged("containerPort"), args: { type: "array" } },
    }),
  },
};

const schema: SchemaNode = {
  properties: {
    metadata: {
      properties: { finalizers: { type: "array", "x-kubernetes-patch-strategy": "merge" } },
    },
    spec: { properties: { template: { properties: { spec: podSpec } } } },
  },
};

it(`applyStrategicMergePatch() applies ${recorded.length} recorded patches as the API server did`, () => {
  const failures = recorded.flatMap(({ from, patch, to }) => {
    const actual = withoutEmpty(applyStrategicMergePatch(from, patch, schema));
    return isEqual(actual, withoutEmpty(to)) ? [] : [{ from, patch, actual, to }];
  });
  expect(failures).toEqual([]);
});

/** Built-in kinds are stored without nulls, unknown fields, empty lists and objects. */
function withoutEmpty<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutEmpty) as T;
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value)
    .filter(([key]) => !key.startsWith("$"))
    .map(([key, member]) => [key, withoutEmpty(member)] as const)
    .filter(([, member]) => typeof member !== "object" || Object.keys((member ?? {}) as object).length > 0);
  return Object.fromEntries(kept) as T;
}
