import { beforeEach, describe, expect, it } from "vitest";
import type { ManagedFieldsEntry } from "@tsbuilder/apimachinery/meta";
import type { JSONObject, SchemaNode } from "../index.ts";
import {
  type Apply,
  ApplyConflict,
  changedOnlyTimes,
  type Endpoint,
  serverSideApply,
  trackUpdate,
} from "./index.ts";

const text: SchemaNode = { type: "string" };
const texts: SchemaNode = { type: "object", additionalProperties: text };
const port: SchemaNode = {
  type: "object",
  properties: { containerPort: { type: "integer" }, protocol: { ...text, default: "TCP" }, name: text },
};
const container: SchemaNode = {
  type: "object",
  properties: {
    name: text,
    image: text,
    args: { type: "array", items: text },
    ports: {
      type: "array",
      items: port,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
    },
  },
};
const schema: SchemaNode = {
  type: "object",
  properties: {
    apiVersion: text,
    kind: text,
    metadata: {
      type: "object",
      properties: {
        name: text,
        namespace: text,
        uid: text,
        resourceVersion: text,
        labels: texts,
        annotations: texts,
        finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
      },
    },
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer" },
        selector: { ...texts, "x-kubernetes-map-type": "atomic" },
        containers: {
          type: "array",
          items: container,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
        },
      },
    },
    status: { type: "object", properties: { ready: { type: "integer" } } },
  },
};

const main: Endpoint = {
  apiVersion: "a.io/v1",
  kind: "App",
  resetFields: [["status"]],
  schemaOf: () => schema,
};
const status: Endpoint = { ...main, subresource: "status", resetFields: [["spec"], ["metadata"]] };

let live: JSONObject | undefined;
let seconds = 0;
beforeEach(() => {
  live = undefined;
  seconds = 0;
});

const now = () => new Date(Date.UTC(2030, 0, 1, 0, 0, seconds++));
const app = (fields: JSONObject): JSONObject => ({
  apiVersion: "a.io/v1",
  kind: "App",
  metadata: { name: "it" },
  ...fields,
});

async function apply(
  manager: string,
  fields: JSONObject,
  options: Partial<Apply> & { endpoint?: Endpoint } = {},
) {
  const { endpoint = main, ...more } = options;
  const applied = app(fields);
  const next = await serverSideApply(endpoint, {
    live,
    applied,
    manager,
    force: false,
    time: now(),
    ...more,
  });
  live = withUid(next);
  return next;
}

async function update(manager: string, fields: JSONObject, endpoint = main) {
  const { metadata } = (live ?? app({})) as { metadata: JSONObject };
  const next = {
    ...app(fields),
    metadata: { ...metadata, ...(fields["metadata"] as JSONObject | undefined) },
  };
  live = withUid(await trackUpdate(endpoint, { live, next, manager, time: now() }));
}

const withUid = (object: JSONObject): JSONObject => ({
  ...object,
  metadata: { ...(object["metadata"] as JSONObject), uid: "1" },
});
const managers = () =>
  ((live!["metadata"] as JSONObject)["managedFields"] ?? []) as unknown as ManagedFieldsEntry[];
const fieldsOf = (manager: string) => managers().find((entry) => entry.manager === manager)?.fieldsV1;

async function conflictOf(run: Promise<unknown>): Promise<ApplyConflict> {
  const error: unknown = await run.catch((thrown: unknown) => thrown);
  if (error instanceof ApplyConflict) return error;
  throw new Error("expected a conflict");
}

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

  it("removes what the applier drops and nobody else owns", async () => {
    await apply("A", { metadata: { name: "it", labels: { a: "1", b: "2" } }, spec: { replicas: 1 } });
    await update("U", { metadata: { labels: { a: "1", b: "2", c: "3" } }, spec: { replicas: 1 } });
    await apply("A", { metadata: { name: "it", labels: { a: "1" } } });
    expect(live).toMatchObject({ metadata: { labels: { a: "1", c: "3" } } });
    expect(live).not.toHaveProperty("spec");
  });

  it("keeps a dropped field that somebody else states as well", async () => {
    await apply("A", { spec: { replicas: 1 } });
    await apply("B", { spec: { replicas: 1 } });
    await apply("A", {});
    expect(live).toMatchObject({ spec: { replicas: 1 } });
    expect(managers().map(({ manager }) => manager)).toEqual(["B"]);
  });

  it("removes an item of a list with its last owner, and leaves items of others in order", async () => {
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

  it("keeps an item that the applier drops as far as others own of it", async () => {
    await apply("A", { spec: { containers: [{ name: "a", image: "x", args: ["1"] }] } });
    await apply("B", { spec: { containers: [{ name: "a", image: "x" }] } });
    await apply("A", { spec: {} });
    expect(live!["spec"]).toEqual({ containers: [{ name: "a", image: "x" }] });
  });

  it("names one conflict, and takes the field by force", async () => {
    await apply("A", { spec: { replicas: 1 } });
    const conflict = await conflictOf(apply("B", { spec: { replicas: 2 } }));
    expect(conflict.message).toBe('Apply failed with 1 conflict: conflict with "A": .spec.replicas');
    expect(conflict.causes).toEqual([
      { reason: "FieldManagerConflict", message: 'conflict with "A"', field: ".spec.replicas" },
    ]);
    await apply("B", { spec: { replicas: 2 } }, { force: true });
    expect(managers().map(({ manager }) => manager)).toEqual(["B"]);
  });

  it("names several conflicts by manager", async () => {
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

  it("owns nothing that the endpoint resets", async () => {
    await apply("A", { spec: { replicas: 1 }, status: { ready: 1 } });
    expect(fieldsOf("A")).toEqual({ "f:spec": { "f:replicas": {} } });
    await apply("S", { spec: { replicas: 5 }, status: { ready: 1 } }, { endpoint: status });
    expect(managers().find(({ manager }) => manager === "S")).toMatchObject({
      subresource: "status",
      fieldsV1: { "f:status": { "f:ready": {} } },
    });
  });

  it("records nothing of what the server sets", async () => {
    await apply("A", { metadata: { name: "it", namespace: "x", resourceVersion: "1", labels: { a: "1" } } });
    expect(fieldsOf("A")).toEqual({ "f:metadata": { "f:labels": { "f:a": {} } } });
  });

  it("leaves what is there to before-first-apply where nobody managed it", async () => {
    live = withUid(app({ spec: { replicas: 1 } }));
    await apply("A", { metadata: { name: "it", labels: { a: "1" } } });
    expect(managers().map(({ manager, operation }) => `${operation} ${manager}`)).toEqual([
      "Apply A",
      "Update before-first-apply",
    ]);
    expect((await conflictOf(apply("A", { spec: { replicas: 2 } }))).message).toContain("before-first-apply");
  });

  it("takes lists without a type and atomic maps as one", async () => {
    await apply("A", { spec: { selector: { a: "1" }, containers: [{ name: "c", args: ["1", "2"] }] } });
    const conflict = await conflictOf(
      apply("B", { spec: { selector: { b: "1" }, containers: [{ name: "c", args: ["3"] }] } }),
    );
    expect(conflict.causes.map(({ field }) => field)).toEqual([
      '.spec.containers[name="c"].args',
      ".spec.selector",
    ]);
  });

  it("goes by the values where there is no schema", async () => {
    const endpoint: Endpoint = { ...main, schemaOf: () => undefined };
    await apply("A", { spec: { deep: { list: [1, 2], leaf: "x" } } }, { endpoint });
    expect(fieldsOf("A")).toEqual({
      "f:spec": { ".": {}, "f:deep": { ".": {}, "f:leaf": {}, "f:list": {} } },
    });
  });

  it("leaves times alone when nothing changes but owners", async () => {
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

  it("refuses managedFields in the body", async () => {
    await expect(apply("A", { metadata: { name: "it", managedFields: [{ manager: "x" }] } })).rejects.toThrow(
      "metadata.managedFields must be nil",
    );
  });

  it.each<[string, JSONObject, string]>([
    ["an unknown field", { spec: { foo: 1 } }, ".spec.foo: field not declared in schema"],
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
  ])("refuses %s", async (_, fields, message) => {
    await expect(apply("A", fields)).rejects.toThrow(
      `failed to create typed patch object (/it; a.io/v1, Kind=App): ${message}`,
    );
  });
});

describe("serverSideApply() by kubectl", () => {
  const annotation = "kubectl.kubernetes.io/last-applied-configuration";

  it("takes over what kubectl applied on the client before, and keeps the annotation in step", async () => {
    const sent = app({ spec: { replicas: 1 } });
    const annotations = { [annotation]: JSON.stringify(sent) };
    await update("kubectl-client-side-apply", { metadata: { annotations }, spec: { replicas: 1 } });
    await apply("kubectl", { spec: { replicas: 2 } });
    const stored = (live!["metadata"] as JSONObject)["annotations"] as Record<string, string>;
    expect(JSON.parse(stored[annotation]!)).toMatchObject({ spec: { replicas: 2 } });
  });

  it("still conflicts about what others changed since", async () => {
    const annotations = { [annotation]: JSON.stringify(app({ spec: { replicas: 1 } })) };
    await update("kubectl-client-side-apply", { metadata: { annotations }, spec: { replicas: 1 } });
    await update("autoscaler", { spec: { replicas: 5 } });
    expect((await conflictOf(apply("kubectl", { spec: { replicas: 2 } }))).message).toContain("autoscaler");
  });
});

describe("serverSideApply() over versions", () => {
  /** v2 calls `replicas` by another name. */
  const versioned: Endpoint = {
    ...main,
    schemaOf: (apiVersion) =>
      apiVersion === "a.io/v1"
        ? schema
        : {
            ...schema,
            properties: {
              ...schema.properties,
              spec: { type: "object", properties: { count: { type: "integer" } } },
            },
          },
    convert(object, apiVersion) {
      if (apiVersion === "a.io/v0") return undefined;
      if (object["apiVersion"] === apiVersion) return object;
      const spec = { ...(object["spec"] as JSONObject | undefined) };
      const from = apiVersion === "a.io/v2" ? "replicas" : "count";
      const to = apiVersion === "a.io/v2" ? "count" : "replicas";
      const { [from]: value, ...rest } = spec;
      return { ...object, apiVersion, spec: value === undefined ? rest : { ...rest, [to]: value } };
    },
  };
  const second: Endpoint = { ...versioned, apiVersion: "a.io/v2" };

  it("finds the conflict in the version of the other manager", async () => {
    await apply("A", { spec: { replicas: 1 } }, { endpoint: versioned });
    live = withUid((await versioned.convert!(live!, "a.io/v2"))!);
    const conflict = await conflictOf(
      apply("B", { apiVersion: "a.io/v2", spec: { count: 2 } }, { endpoint: second }),
    );
    expect(conflict.causes[0]?.field).toBe(".spec.replicas");
  });

  it("removes what was dropped with the change of version", async () => {
    await apply("A", { spec: { replicas: 1 } }, { endpoint: versioned });
    live = withUid((await versioned.convert!(live!, "a.io/v2"))!);
    await apply(
      "A",
      { apiVersion: "a.io/v2", metadata: { name: "it", labels: { a: "1" } } },
      { endpoint: second },
    );
    expect(live).not.toHaveProperty("spec.count");
    expect(managers()).toMatchObject([{ manager: "A", apiVersion: "a.io/v2" }]);
  });

  it("forgets managers whose version is no longer known", async () => {
    await update("U", { spec: { replicas: 1 } });
    const entries = managers().map((entry) => ({ ...entry, apiVersion: "a.io/v0" }));
    (live!["metadata"] as JSONObject)["managedFields"] = entries as unknown as JSONObject[];
    await apply("B", { spec: { replicas: 2 } }, { endpoint: versioned });
    expect(managers().map(({ manager }) => manager)).toEqual(["B"]);
  });
});

describe("trackUpdate()", () => {
  it("gives an updater what is new or different, and takes it from others", async () => {
    await apply("A", { spec: { replicas: 1, selector: { a: "1" } } });
    await update("U", { spec: { replicas: 2, selector: { a: "1" } } });
    expect(fieldsOf("A")).toEqual({ "f:spec": { "f:selector": {} } });
    expect(fieldsOf("U")).toEqual({ "f:spec": { "f:replicas": {} } });
    await update("V", { spec: { selector: { a: "1" } } });
    expect(managers().map(({ manager }) => manager)).toEqual(["A"]);
  });

  it("names the parts that a create makes, but not those that every object of the kind has", async () => {
    await update("U", { spec: { replicas: 1 } });
    expect(fieldsOf("U")).toEqual({ "f:spec": { ".": {}, "f:replicas": {} } });
    live = undefined;
    await update("U", { spec: { replicas: 1 } }, { ...main, emptyObject: { metadata: {}, spec: {} } });
    expect(fieldsOf("U")).toEqual({ "f:spec": { "f:replicas": {} } });
  });

  it("keeps managers apart by operation, version and subresource", async () => {
    await update("M", { spec: { replicas: 1 } });
    await update("M", { spec: { replicas: 1 }, status: { ready: 1 } }, status);
    await apply("M", { metadata: { name: "it", labels: { a: "1" } } });
    expect(managers().map(({ operation, subresource }) => [operation, subresource ?? ""])).toEqual([
      ["Apply", ""],
      ["Update", ""],
      ["Update", "status"],
    ]);
  });

  it("keeps the stored managers when a client leaves them out or sends nonsense", async () => {
    await update("U", { spec: { replicas: 1 } });
    const { managedFields: _, ...metadata } = live!["metadata"] as JSONObject;
    const time = now();
    for (const sent of [metadata, { ...metadata, managedFields: [{ manager: "x", fieldsV1: { bad: 1 } }] }]) {
      const next = await trackUpdate(main, { live, next: { ...live!, metadata: sent }, manager: "V", time });
      expect((next["metadata"] as JSONObject)["managedFields"]).toEqual(managers());
    }
  });

  it.each([[[{}]], [[]]])(
    "clears the managers when a client sends %j, until somebody applies",
    async (managedFields) => {
      await update("U", { spec: { replicas: 1 } });
      const metadata = { ...(live!["metadata"] as JSONObject), managedFields };
      live = await trackUpdate(main, { live, next: { ...live!, metadata }, manager: "V", time: now() });
      expect(managers()).toEqual([]);
      await update("U", { spec: { replicas: 2 } });
      expect(managers()).toEqual([]);
      await apply("A", { spec: { replicas: 2 } });
      expect(managers().map(({ manager }) => manager)).toEqual(["A", "before-first-apply"]);
    },
  );

  it("merges the oldest updaters when there are more than ten", async () => {
    const labels: JSONObject = {};
    for (let index = 0; index < 12; index++) {
      labels[`l${index}`] = "x";
      await update(`U${index}`, { metadata: { labels: { ...labels } } });
    }
    const names = managers().map(({ manager }) => manager);
    expect(names).toHaveLength(10);
    expect(names[0]).toBe("ancient-changes");
    expect(fieldsOf("ancient-changes")).toEqual({
      "f:metadata": { "f:labels": { ".": {}, "f:l0": {}, "f:l1": {}, "f:l2": {} } },
    });
  });

  it("moves ownership up when a part of the schema becomes atomic", async () => {
    const granular: SchemaNode = {
      ...schema,
      properties: {
        ...schema.properties,
        spec: { type: "object", properties: { ...schema.properties!["spec"]!.properties, selector: texts } },
      },
    };
    await apply("A", { spec: { selector: { a: "1" } } }, { endpoint: { ...main, schemaOf: () => granular } });
    expect(fieldsOf("A")).toEqual({ "f:spec": { "f:selector": { "f:a": {} } } });
    await update("U", { spec: { selector: { a: "1" }, replicas: 1 } });
    expect(fieldsOf("A")).toEqual({ "f:spec": { "f:selector": {} } });
  });

  it("calls a manager without a name unknown", async () => {
    await update("", { spec: { replicas: 1 } });
    expect(managers()[0]?.manager).toBe("unknown");
  });
});
