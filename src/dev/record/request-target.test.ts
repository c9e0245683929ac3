import { expect, test } from "vitest";
import { isWrite, placeOf, requestTarget } from "./request-target.ts";

test.each([
  ["/api/v1/namespaces/default/secrets/db", "secrets", "default", "db", undefined],
  ["/api/v1/namespaces/default/pods/db-0/log?follow=true", "pods", "default", "db-0", "log"],
  ["/api/v1/pods?watch=true", "pods", undefined, undefined, undefined],
  ["/apis/apps/v1/namespaces/default/statefulsets", "statefulsets.apps", "default", undefined, undefined],
  ["/apis/shop.example/v1/namespaces/a%2Fb/mysqls/db/status", "mysqls.shop.example", "a/b", "db", "status"],
  ["/apis/shop.example/v1/mysqls/100%", "mysqls.shop.example", undefined, "100%", undefined],
  ["/api/v1/namespaces/default", "namespaces", undefined, "default", undefined],
  ["/api/v1/namespaces/default/finalize", "namespaces", undefined, "default", "finalize"],
])("%s", (path, resource, namespace, name, subresource) => {
  expect(requestTarget(path)).toEqual({ resource, namespace, name, subresource });
});

test.each(["/version", "/api/v1", "/apis/apps/v1?timeout=1s", "/openapi/v3/apis/apps/v1"])(
  "%s is for no objects",
  (path) => expect(requestTarget(path)).toBeUndefined(),
);

test("the place is that of the object, and a collection has none", () => {
  const placed = (path: string) => placeOf(requestTarget(path)!);
  expect(placed("/apis/apps/v1/namespaces/default/statefulsets/db/scale")).toBe(
    "statefulsets.apps default/db",
  );
  expect(placed("/api/v1/nodes/a")).toBe("nodes a");
  expect(placed("/api/v1/nodes")).toBeUndefined();
});

test("reads and dry runs write nothing", () => {
  expect(isWrite("PATCH", "/api/v1/nodes/a?fieldManager=x")).toBe(true);
  expect(isWrite("PATCH", "/api/v1/nodes/a?fieldManager=x&dryRun=All")).toBe(false);
  expect(isWrite("GET", "/api/v1/nodes/a")).toBe(false);
});
