import { expect, test } from "vitest";
import { joinSwagger, toSwagger, type V3Document } from "./swagger.ts";

const convert = (...documents: V3Document[]) => joinSwagger(documents.map(toSwagger), "v1.36.0");

const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const preserving = { "x-kubernetes-preserve-unknown-fields": true };
const ofKind = { "x-kubernetes-group-version-kind": [{ group: "a", kind: "Thing", version: "v1" }] };

const pods = {
  paths: {
    "/api/v1/pods/{name}": {
      parameters: [
        { name: "name", in: "path", required: true, schema: { type: "string", uniqueItems: true } },
      ],
      get: {
        operationId: "readPod",
        responses: {
          "200": { description: "OK", content: { "application/json": { schema: schema("Pod") } } },
        },
      },
      put: {
        parameters: [{ name: "dryRun", in: "query", schema: { type: "string" } }],
        requestBody: { content: { "*/*": { schema: schema("Pod") } }, required: true },
        responses: { "200": { description: "OK" } },
      },
      patch: {
        requestBody: {
          content: {
            "application/merge-patch+json": { schema: { type: "object" } },
            "application/json-patch+json": { schema: { type: "array", items: { type: "object" } } },
          },
          required: true,
        },
        responses: {},
        "x-kubernetes-action": "patch",
      },
    },
  },
  components: {
    schemas: {
      Pod: {
        type: "object",
        properties: {
          spec: { description: "What is wanted", default: {}, allOf: [schema("Spec")] },
          port: { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
          size: { oneOf: [{ type: "string" }, { type: "number" }] },
          labels: { type: "object", additionalProperties: { type: "string" } },
          list: { type: "array", items: schema("Spec") },
        },
      },
    },
  },
};

const document = convert(pods, { paths: {}, components: { schemas: { Apps: {} } } });
const operations = (document.paths as unknown as typeof pods.paths)["/api/v1/pods/{name}"];
const definitions = document.definitions as unknown as Record<string, { properties: object }>;

test("joinSwagger() joins documents, sorted by name", () => {
  expect(Object.keys(definitions)).toEqual(["Apps", "Pod"]);
  expect(document).toMatchObject({ swagger: "2.0", info: { title: "Kubernetes", version: "v1.36.0" } });
});

test("toSwagger() converts references to v2, and keeps their siblings but defaults", () => {
  expect(definitions["Pod"]!.properties).toEqual({
    spec: { description: "What is wanted", $ref: "#/definitions/Spec" },
    port: { type: "string", format: "int-or-string" },
    size: { type: "string" },
    labels: { type: "object", additionalProperties: { type: "string" } },
    list: { type: "array", items: { $ref: "#/definitions/Spec" } },
  });
});

test.each([
  [
    "a field that can be null",
    {
      type: "object",
      required: ["a", "b"],
      properties: { a: { type: "array", nullable: true, items: {} }, b: { type: "string" } },
    },
    { type: "object", required: ["b"], properties: { a: {}, b: { type: "string" } } },
  ],
  [
    "a map whose values can be null",
    { type: "object", required: ["a"], additionalProperties: { type: "string", nullable: true } },
    { type: "object", additionalProperties: {} },
  ],
  [
    "a field that keeps unknown ones",
    { type: "object", ...preserving, required: ["a"], properties: { a: { type: "string" } } },
    { ...preserving, required: ["a"] },
  ],
  [
    "a kind that keeps unknown fields",
    { type: "object", description: "Open", ...preserving, ...ofKind, properties: { a: { type: "string" } } },
    { type: "object", ...ofKind },
  ],
])("toSwagger() omits what kubectl can't validate in %s", (_, v3, v2) => {
  const { definitions } = convert({ paths: {}, components: { schemas: { Thing: v3 } } });
  expect(definitions).toEqual({ Thing: v2 });
});

test("toSwagger() converts bodies to parameters, and flattens the others", () => {
  expect(operations.put.parameters).toEqual([
    { name: "body", in: "body", required: true, schema: { $ref: "#/definitions/Pod" } },
    { name: "dryRun", in: "query", type: "string" },
  ]);
  expect(operations.parameters).toEqual([
    { name: "name", in: "path", required: true, type: "string", uniqueItems: true },
  ]);
});

test("toSwagger() separates media types from schemas", () => {
  expect(operations.get.responses).toEqual({
    "200": { description: "OK", schema: { $ref: "#/definitions/Pod" } },
  });
  expect(operations.patch).toMatchObject({
    consumes: ["application/json-patch+json", "application/merge-patch+json"],
    parameters: [{ name: "body", in: "body", required: true, schema: { type: "object" } }],
    "x-kubernetes-action": "patch",
  });
});
