import { expect, test } from "vitest";
import { type DescribedSchema, describeFields, fieldInWords, kindInWords } from "./descriptors.ts";

test.each([
  ["size", "Size"],
  ["minReadySeconds", "Min Ready Seconds"],
  ["clusterIPs", "Cluster IPs"],
  ["tlsCASecret", "Tls CA Secret"],
])("%s in words is %s", (name, words) => {
  expect(fieldInWords(name)).toBe(words);
});

test("kinds are split less eagerly: they may be names", () => {
  expect(["AppService", "MySQL", "Order"].map(kindInWords)).toEqual(["App Service", "MySQL", "Order"]);
});

const amounts = { limits: {}, requests: {} };

test.each<[string, DescribedSchema, readonly string[]]>([
  ["paused", { type: "boolean" }, ["booleanSwitch"]],
  ["replicas", { type: "integer" }, ["podCount"]],
  ["size", { type: "string", enum: ["s", "l"] }, ["select:s", "select:l"]],
  ["image", { type: "string" }, ["text"]],
  ["resources", { type: "object", properties: amounts }, ["resourceRequirements"]],
])("the console edits %s as its type says", (name, schema, controls) => {
  const [field] = describeFields({ properties: { [name]: schema } }, "spec");
  expect(field!["x-descriptors"]).toEqual(
    controls.map((each) => `urn:alm:descriptor:com.tectonic.ui:${each}`),
  );
});

test("the console shows conditions of a status, and edits nothing there", () => {
  const schema = { properties: { conditions: { type: "array" }, replicas: { type: "integer" } } };
  expect(describeFields(schema, "status").map((field) => field["x-descriptors"])).toEqual([
    ["urn:alm:descriptor:io.kubernetes.conditions"],
    undefined,
  ]);
});
