import type { JSONObject } from "../../json/index.ts";
import { beforeEach, describe, expect, it } from "vitest";
import {
  app,
  apply,
  beginAnew,
  conflictOf,
  fieldsOf,
  live,
  main,
  managers,
  status,
  store,
  update,
} from "../testdata/applied-app.ts";
import { type Endpoint, changedOnlyTimes } from "./index.ts";

beforeEach(beginAnew);

describe("serverSideApply()", () => {
  it("creates an object that the applier owns", async () => {
    const next = await apply("A", {
      spec: {
        replicas: 1,
        selector: { a: "b" },
        containers: [{ name: "c", ports: [{ containerPort: 80 }] }],
      },
    });
    expect(next).toMatchObject({ spec: { replicas: 1 } });
    expect(managers()).toEqual([
      {
        manager: "A",
        operation: "Apply",
        apiVersion: "a.io/v1",
        time: "2030-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: {
          "f:spec": {
            "f:containers": {
              'k:{"name":"c"}': {
                ".": {},
                "f:name": {},
                "f:ports": { 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
              },
            },
            "f:replicas": {},
            "f:selector": {},
          },
        },
      },
    ]);
  });

  it("removes fields that the applier drops and nobody else owns", async () => {
    await apply("A", { metadata: { name: "it", labels: { a: "1", b: "2" } }, spec: { replicas: 1 } });
    await update("U", { metadata: { labels: { a: "1", b: "2", c: "3" } }, spec: { replicas: 1 } });
    await apply("A", { metadata: { name: "it", labels: { a: "1" } } });
    expect(live).toMatchObject({ metadata: { labels: { a: "1", c: "3" } } });
    expect(live).not.toHaveProperty("spec");
  });

  it("keeps a dropped field that somebody else applies, too", async () => {
    await apply("A", { spec: { replicas: 1 } });
    await apply("B", { spec: { replicas: 1 } });
    await apply("A", {});
    expect(live).toMatchObject({ spec: { replicas: 1 } });
    expect(managers().map(({ manager }) => manager)).toEqual(["B"]);
  });

  it("removes an item of a list with its last owner, and keeps the order of others", async () => {
    await apply("A", {
      spec: {
        containers: [
          { name: "a", image: "x" },
          { name: "b", image: "x" },
        ],
      },
    });
    await update("U", {
      spec: {
        containers: [
          { name: "a", image: "x" },
          { name: "z", image: "z" },
          { name: "b", image: "x" },
        ],
      },
    });
    await apply("A", { spec: { containers: [{ name: "b", image: "x" }] } });
    expect(live!["spec"]).toEqual({
      containers: [
        { name: "z", image: "z" },
        { name: "b", image: "x" },
      ],
    });
  });

  it("keeps the fields of a dropped item that others own", async () => {
    await apply("A", { spec: { containers: [{ name: "a", image: "x", args: ["1"] }] } });
    await apply("B", { spec: { containers: [{ name: "a", image: "x" }] } });
    await apply("A", { spec: {} });
    expect(live!["spec"]).toEqual({ containers: [{ name: "a", image: "x" }] });
  });

  it("reports one conflict, and takes the field with force", async () => {
    await apply("A", { spec: { replicas: 1 } });
    const conflict = await conflictOf(apply("B", { spec: { replicas: 2 } }));
    expect(conflict.message).toBe('Apply failed with 1 conflict: conflict with "A": .spec.replicas');
    expect(conflict.causes).toEqual([
      { reason: "FieldManagerConflict", message: 'conflict with "A"', field: ".spec.replicas" },
    ]);
    await apply("B", { spec: { replicas: 2 } }, { force: true });
    expect(managers().map(({ manager }) => manager)).toEqual(["B"]);
  });

  it("reports several conflicts by manager", async () => {
    const ports = [{ containerPort: 80, protocol: "TCP", name: "q" }];
    const spec = { replicas: 1, containers: [{ name: "a", image: "x", ports }] };
    await update("U", { spec });
    await update("S", { spec, status: { ready: 1 } }, status);
    const wanted = {
      replicas: 2,
      containers: [{ name: "a", image: "y", ports: [{ containerPort: 80, name: "p" }] }],
    };
    const conflict = await conflictOf(apply("B", { spec: wanted }));
    expect(conflict.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "U" using a.io/v1:\n' +
        '- .spec.containers[name="a"].image\n' +
        '- .spec.containers[name="a"].ports[containerPort=80,protocol="TCP"].name\n' +
        "- .spec.replicas",
    );
    const other = await conflictOf(apply("B", { status: { ready: 2 } }, { endpoint: status }));
    expect(other.causes[0]?.message).toBe('conflict with "S" with subresource "status" using a.io/v1');
  });

  it("doesn't own fields that the endpoint resets", async () => {
    await apply("A", { spec: { replicas: 1 }, status: { ready: 1 } });
    expect(fieldsOf("A")).toEqual({ "f:spec": { "f:replicas": {} } });
    await apply("S", { spec: { replicas: 5 }, status: { ready: 1 } }, { endpoint: status });
    expect(managers().find(({ manager }) => manager === "S")).toMatchObject({
      subresource: "status",
      fieldsV1: { "f:status": { "f:ready": {} } },
    });
  });

  it("doesn't own fields that the server sets", async () => {
    await apply("A", { metadata: { name: "it", namespace: "x", resourceVersion: "1", labels: { a: "1" } } });
    expect(fieldsOf("A")).toEqual({ "f:metadata": { "f:labels": { "f:a": {} } } });
  });

  it("assigns the fields of an object without managers to before-first-apply", async () => {
    store(app({ spec: { replicas: 1 } }));
    await apply("A", { metadata: { name: "it", labels: { a: "1" } } });
    expect(managers().map(({ manager, operation }) => `${operation} ${manager}`)).toEqual([
      "Apply A",
      "Update before-first-apply",
    ]);
    expect((await conflictOf(apply("A", { spec: { replicas: 2 } }))).message).toContain("before-first-apply");
  });

  it("treats lists without a type and atomic maps as atomic", async () => {
    await apply("A", { spec: { selector: { a: "1" }, containers: [{ name: "c", args: ["1", "2"] }] } });
    const conflict = await conflictOf(
      apply("B", { spec: { selector: { b: "1" }, containers: [{ name: "c", args: ["3"] }] } }),
    );
    expect(conflict.causes.map(({ field }) => field)).toEqual([
      '.spec.containers[name="c"].args',
      ".spec.selector",
    ]);
  });

  it("infers types from the values without a schema", async () => {
    const endpoint: Endpoint = { ...main, schemaOf: () => undefined };
    await apply("A", { spec: { deep: { list: [1, 2], leaf: "x" } } }, { endpoint });
    expect(fieldsOf("A")).toEqual({
      "f:spec": { ".": {}, "f:deep": { ".": {}, "f:leaf": {}, "f:list": {} } },
    });
  });

  it("doesn't update times if only owners change", async () => {
    await apply("A", { spec: { replicas: 1 } });
    const before = live!;
    await apply("A", { spec: { replicas: 1 } });
    expect(managers()[0]?.time).toBe("2030-01-01T00:00:00Z");
    expect(changedOnlyTimes(before, live!)).toBe(true);
    await apply("B", { spec: { replicas: 1 } });
    expect(managers().map(({ manager, time }) => [manager, time])).toEqual([
      ["B", undefined],
      ["A", "2030-01-01T00:00:00Z"],
    ]);
    await apply("A", { spec: { replicas: 2 } }, { force: true });
    expect(changedOnlyTimes(before, live!)).toBe(false);
  });

  it("rejects managedFields in the body", async () => {
    await expect(apply("A", { metadata: { name: "it", managedFields: [{ manager: "x" }] } })).rejects.toThrow(
      "metadata.managedFields must be nil",
    );
  });

  it.each<[string, JSONObject, string]>([
    ["an unknown field", { spec: { foo: 1 } }, ".spec.foo: field not declared in schema"],
    ["several unknown fields", { spec: { foo: 1, bar: 2 } }, ".spec.foo: field not declared in schema"],
    [
      "two items of one key",
      { spec: { containers: [{ name: "a" }, { name: "a" }] } },
      '.spec.containers: duplicate entries for key [name="a"]',
    ],
    [
      "an item without its key",
      { spec: { containers: [{ image: "x" }] } },
      '.spec.containers: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    ],
    [
      "a null item",
      { spec: { containers: [null] } },
      ".spec.containers: element 0: associative list with keys may not have a null element",
    ],
    [
      "the same value twice in a set",
      { metadata: { name: "it", finalizers: ["a", "a"] } },
      '.metadata.finalizers: duplicate entries for key [="a"]',
    ],
    [
      "values of other types",
      { spec: { replicas: "x", containers: {} } },
      "errors:\n  .spec.containers: expected list, got &{map[]}\n  .spec.replicas: expected numeric (int or float), got string",
    ],
  ])("rejects %s", async (_, fields, message) => {
    await expect(apply("A", fields)).rejects.toThrow(
      `failed to create typed patch object (/it; a.io/v1, Kind=App): ${message}`,
    );
  });
});
