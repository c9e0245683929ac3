import { expect, test } from "vitest";
import { apiVersionOf, defineKind, isApiVersion, parseApiVersion } from "./kind.ts";

test("defineKind() is namespaced by default, and frozen", () => {
  const kind = defineKind({ group: "apps.example.com", version: "v1" }, { kind: "MySQL", plural: "mysqls" });
  expect(kind).toEqual({
    group: "apps.example.com",
    version: "v1",
    apiVersion: "apps.example.com/v1",
    kind: "MySQL",
    plural: "mysqls",
    scope: "Namespaced",
  });
  expect(Object.isFrozen(kind)).toBe(true);
});

test.each([
  ["v1", { group: "", version: "v1" }],
  ["apps/v1", { group: "apps", version: "v1" }],
])("parseApiVersion() is the inverse of apiVersionOf() for %s", (text, groupVersion) => {
  expect(parseApiVersion(text)).toEqual(groupVersion);
  expect(apiVersionOf(groupVersion)).toBe(text);
});

test("isApiVersion() accepts a version with or without a group", () => {
  expect(["v1", "apps/v1", "/v1"].filter((text) => !isApiVersion(text))).toEqual([]);
  expect(["", "/", "apps/", "apps/v1/beta"].filter(isApiVersion)).toEqual([]);
});
