import { expect, test } from "vitest";
import type { WriteRequest } from "../../registry/resource.ts";
import { configMap, mostDataBytes, secret } from "./config-maps-and-secrets.ts";

const metadata = { name: "a", namespace: "default" };
const half = mostDataBytes / 2;

test.each([
  ["nothing", half, []],
  ["the whole ConfigMap", half + 1, [{ field: "[]", body: "Too long: may not be more than 1048576 bytes" }]],
])("refuses %s when text and binary data have that many bytes together", (_, bytes, expected) => {
  const data = { text: "x".repeat(half) };
  const binaryData = { bytes: Buffer.alloc(bytes).toString("base64") };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data, binaryData };
  expect(problemsOf(configMap, object)).toMatchObject(expected);
});

test.each([
  ["nothing", mostDataBytes, []],
  [
    "the data of a Secret",
    mostDataBytes + 1,
    [{ field: "data", body: "Too long: may not be more than 1048576 bytes" }],
  ],
])("refuses %s when it has that many bytes, decoded", (_, bytes, expected) => {
  const data = { bytes: Buffer.alloc(bytes).toString("base64") };
  expect(problemsOf(secret, { apiVersion: "v1", kind: "Secret", metadata, data })).toMatchObject(expected);
});

test("accepts a key that every JavaScript object has", () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { constructor: "text" } };
  expect(problemsOf(configMap, object)).toEqual([]);
});

function problemsOf({ strategy }: typeof configMap, object: object): unknown {
  if (typeof strategy !== "object") throw new TypeError("the strategy depends on the store");
  return strategy.validate!(object as never, {} as WriteRequest);
}
