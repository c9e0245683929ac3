import { describe, expect, it } from "vitest";
import { compileSchema, formatFieldError } from "../index.ts";

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

describe("compileSchema().prune() decodes embedded resources", () => {
  it("and says what can't be decoded, in the words of an API server", () => {
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
    expect(malformed({ kind: 5 })).toBe("spec.r.kind: Invalid value: 5: must be a string");
  });

  it("and leaves what it can decode without change the same object", () => {
    const object = {
      spec: { r: { apiVersion: "v1", kind: "Pod", metadata: { name: "a", labels: { x: "y" } } } },
    };
    expect(compiled.prune(object)).toEqual({ object, unknown: [] });
    expect(compiled.prune(object).object).toBe(object);
  });
});
