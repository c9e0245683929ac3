import { expect, test } from "vitest";
import { patchOf, useWebhooks } from "../../../../e2e/support/cluster/webhook-scene.ts";

const scene = useWebhooks();

const replace = (path: string, value: unknown) => patchOf([{ op: "replace", path, value }]);
const encoded = (text: string) => ({
  ...patchOf([]),
  patch: Buffer.from(text).toString("base64"),
});
const undecodable =
  'Internal error occurred: failed calling webhook "o.example.com": received undecodable patch in webhook response: ';

test.each([
  ["null", encoded("null"), 201, undefined],
  [
    "an operation without a name",
    encoded("[null]"),
    500,
    "Internal error occurred: Unexpected kind: unknown",
  ],
  ["no JSON", encoded("{"), 500, `${undecodable}unexpected end of JSON input`],
  [
    "an object",
    encoded("{}"),
    500,
    `${undecodable}json: cannot unmarshal object into Go value of type jsonpatch.Patch`,
  ],
  [
    "a number as operation",
    encoded("[1]"),
    500,
    `${undecodable}json: cannot unmarshal number into Go value of type jsonpatch.Operation`,
  ],
  [
    "of the kind",
    replace("/kind", "Secret"),
    500,
    "converting (v1.Secret) to (core.ConfigMap): unknown conversion",
  ],
  [
    "of the version",
    replace("/apiVersion", "v2"),
    500,
    'Internal error occurred: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
  ],
  ["that removes the kind", patchOf([{ op: "remove", path: "/kind" }]), 201, undefined],
  [
    "that removes the metadata",
    patchOf([{ op: "remove", path: "/metadata" }]),
    422,
    'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
  ],
  [
    "that makes the metadata a number",
    replace("/metadata", 5),
    500,
    "Internal error occurred: json: cannot unmarshal number into Go struct field ConfigMap.metadata of type v1.ObjectMeta",
  ],
])("a webhook's patch, %s, has the same effect as on a real server", async (_, answer, expected, message) => {
  scene.hooks.answers = { "/o": () => answer };
  await scene.configure("Mutating", "o", {});
  const { code, body } = await scene.create("odd", "?dryRun=All");
  expect([code, (body as { message?: string }).message]).toEqual([expected, message]);
});
