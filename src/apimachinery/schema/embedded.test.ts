import { formatFieldError } from "../errors/index.ts";
import { describe, expect, it } from "vitest";
import { compileSchema } from "./index.ts";

const compiled = compileSchema({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        r: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
      },
    },
  },
});

function malformed(resource: object): string | undefined {
  const { malformed: error } = compiled.prune({
    spec: { r: { apiVersion: "v1", kind: "Pod", ...resource } },
  });
  return error && formatFieldError(error);
}

function resourceOf(resource: object): unknown {
  const { object } = compiled.prune({ spec: { r: { apiVersion: "v1", kind: "Pod", ...resource } } });
  return object.spec.r;
}

describe("compileSchema().prune() of embedded resources", () => {
  it("reports what can't be decoded in the API server's words", () => {
    expect(malformed({ metadata: { name: "a", labels: { a: 1 } } })).toBe(
      'spec.r.metadata: Invalid value: {"labels":{"a":1},"name":"a"}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
    expect(malformed({ metadata: { name: 5 } })).toBe(
      'spec.r.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
    );
    expect(malformed({ metadata: "x" })).toBe(
      'spec.r.metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta',
    );
    expect(malformed({ metadata: { creationTimestamp: "bad" } })).toBe(
      'spec.r.metadata: Invalid value: {"creationTimestamp":"bad"}: parsing time "bad" as "2006-01-02T15:04:05Z07:00": cannot parse "bad" as "2006"',
    );
    expect(malformed({ metadata: { generation: 1.5 } })).toBe(
      'spec.r.metadata: Invalid value: {"generation":1.5}: json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64',
    );
    expect(malformed({ kind: 5 })).toBe("spec.r.kind: Invalid value: 5: must be a string");
  });

  it("treats null metadata as empty metadata", () => {
    expect(resourceOf({ metadata: null })).toEqual({ apiVersion: "v1", kind: "Pod", metadata: {} });
    expect(resourceOf({ metadata: { labels: null, annotations: {} } })).toMatchObject({ metadata: {} });
  });

  it("drops nulls of fields in the schema first", () => {
    const described = compileSchema({
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { kind: { type: "string" }, metadata: { type: "object" } },
    });
    const { object, malformed: error } = described.prune({ apiVersion: "v1", kind: null, metadata: null });
    expect({ object, error }).toEqual({ object: { apiVersion: "v1" }, error: undefined });
    expect(described.validate(object).map(({ field }) => field)).toEqual(["kind"]);
  });

  it("keeps zeros that are not the same as absent", () => {
    const metadata = {
      deletionGracePeriodSeconds: 0,
      managedFields: [{ operation: "Update", fieldsV1: {} }],
    };
    expect(resourceOf({ metadata })).toMatchObject({ metadata });
  });

  it("returns the same object if decoding changes nothing", () => {
    const object = {
      spec: { r: { apiVersion: "v1", kind: "Pod", metadata: { name: "a", labels: { x: "y" } } } },
    };
    expect(compiled.prune(object)).toEqual({ object, unknown: [] });
    expect(compiled.prune(object).object).toBe(object);
  });
});

describe("compileSchema().validate() of embedded resources", () => {
  it("reports what can't be decoded as an error of the field", () => {
    const resource = { apiVersion: "v1", kind: "Pod" };
    const errorsOf = (metadata: unknown) =>
      compiled.validate({ spec: { r: { ...resource, metadata } } }).map(formatFieldError);
    expect(errorsOf({ labels: { a: 1 } })).toEqual([
      'spec.r.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    ]);
    expect(errorsOf({ labels: { a: null } })).toEqual([]);
    expect(errorsOf({ ownerReferences: [null] })).toHaveLength(4);
  });
});
