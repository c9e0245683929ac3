import { expect, test } from "vitest";
import { encodeSwagger } from "./encode-swagger.ts";

const document = {
  swagger: "2.0",
  info: {
    title: "Kubernetes",
    version: "v1.36",
  },
  paths: {
    "/api/v1/pods/{name}": {
      get: {
        operationId: "readPod",
        produces: ["application/json"],
        schemes: ["https"],
        responses: {
          "200": {
            description: "OK",
            schema: {
              $ref: "#/definitions/Pod",
            },
          },
          "401": {
            $ref: "#/responses/x",
          },
        },
      },
      post: {
        operationId: "createPod",
        parameters: [
          {
            name: "body",
            in: "body",
            required: true,
            schema: {
              $ref: "#/definitions/Pod",
            },
          },
          {
            $ref: "#/parameters/dryRun",
          },
        ],
        responses: {},
      },
      parameters: [
        {
          name: "name",
          in: "path",
          required: true,
          type: "string",
          uniqueItems: true,
        },
        {
          name: "limit",
          in: "query",
          type: "integer",
          maximum: 5,
        },
        {
          name: "X-A",
          in: "header",
          type: "string",
        },
      ],
    },
  },
  definitions: {
    Pod: {
      description: "A pod",
      type: "object",
      required: ["spec"],
      properties: {
        spec: {
          type: "object",
          additionalProperties: {
            type: "string",
          },
        },
        free: {
          type: "object",
          additionalProperties: true,
        },
        list: {
          type: "array",
          items: {
            type: "integer",
            format: "int32",
          },
          minItems: 1,
        },
        any: {
          allOf: [
            {
              $ref: "#/definitions/Pod",
            },
          ],
        },
      },
    },
  },
  parameters: {
    dryRun: {
      name: "dryRun",
      in: "query",
      type: "string",
    },
  },
  securityDefinitions: {
    BearerToken: {
      type: "apiKey",
      name: "authorization",
      in: "header",
    },
  },
  security: [
    {
      BearerToken: [],
    },
  ],
};

/** The recorded output of gnostic's Go package for the same document. */
const recorded = Buffer.from(
  [
    "CgMyLjASEwoKS3ViZXJuZXRlcxIFdjEuMzZCuAIStQIKEy9hcGkvdjEvcG9kcy97bmFtZX0SnQISZCoHcmVhZFBvZDIQYXBw",
    "bGljYXRpb24vanNvbkpACiQKAzIwMBIdChsKAk9LEhUKEwoRIy9kZWZpbml0aW9ucy9Qb2QKGAoDNDAxEhESDwoNIy9yZXNw",
    "b25zZXMveFIFaHR0cHMiTyoJY3JlYXRlUG9kQicKJQojEgRib2R5GgRib2R5IAEqEwoRIy9kZWZpbml0aW9ucy9Qb2RCFxIV",
    "ChMjL3BhcmFtZXRlcnMvZHJ5UnVuSgBKHwodEhsiGQgBEgRwYXRoIgRuYW1lKgZzdHJpbmeYAQFKJgokEiIaIBIFcXVlcnki",
    "BWxpbWl0MgdpbnRlZ2VyWQAAAAAAABRAShsKGRIXChUSBmhlYWRlciIDWC1BKgZzdHJpbmdKtAEKsQEKA1BvZBKpASIFQSBw",
    "b2SaAQRzcGVjsgEICgZvYmplY3TKAYwBCiMKBHNwZWMSG6oBDQoLsgEICgZzdHJpbmeyAQgKBm9iamVjdAoYCgRmcmVlEhCq",
    "AQIQAbIBCAoGb2JqZWN0CiwKBGxpc3QSJHgBsgEHCgVhcnJheboBFQoTEgVpbnQzMrIBCQoHaW50ZWdlcgodCgNhbnkSFsIB",
    "EwoRIy9kZWZpbml0aW9ucy9Qb2RSJwolCgZkcnlSdW4SGxIZGhcSBXF1ZXJ5IgZkcnlSdW4yBnN0cmluZ2IRCg8KC0JlYXJl",
    "clRva2VuEgBqMgowCgtCZWFyZXJUb2tlbhIhEh8KBmFwaUtleRINYXV0aG9yaXphdGlvbhoGaGVhZGVy",
  ].join(""),
  "base64",
);

test("encodeSwagger() writes what gnostic writes, byte by byte", async () => {
  expect((await encodeSwagger(document)).equals(recorded)).toBe(true);
});

test("encodeSwagger() writes extensions and defaults as YAML", async () => {
  const groupVersionKind = [{ group: "", kind: "Pod", version: "v1" }];
  const bytes = await encodeSwagger({
    swagger: "2.0",
    paths: {},
    definitions: {
      Pod: { type: "string", default: "TCP", "x-kubernetes-group-version-kind": groupVersionKind },
    },
  });
  expect(bytes.toString("latin1")).toContain(JSON.stringify(groupVersionKind));
  expect(bytes.toString("latin1")).toContain('"TCP"');
});

test("encodeSwagger() omits fields that the protobuf form does not have", async () => {
  const bytes = await encodeSwagger({
    swagger: "2.0",
    unknown: "word",
    paths: {},
    definitions: { Pod: { nullable: true } },
  });
  expect(bytes.toString("latin1")).not.toMatch(/unknown|word|nullable/u);
});

test("encodeSwagger() lets others run after each path and definition", async () => {
  const paths = { "/a": {}, "/b": {} };
  let pauses = 0;
  await encodeSwagger({ swagger: "2.0", paths, definitions: { A: { type: "object" } } }, async () => {
    pauses++;
  });
  expect(pauses).toBe(3);
});
