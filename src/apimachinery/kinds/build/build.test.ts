import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buildResources } from "./build-resources.ts";
import { addDescriptions } from "./descriptions.ts";
import { readBlocks, readModel } from "./model.ts";
import { writeTypeModules } from "./write-type-modules.ts";
import { readReleases, writeTables } from "./write-tables.ts";

const nodeModules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
const generated = new URL("../generated/", import.meta.url);

test("readModel() reads structure, enums and Go's declarations", () => {
  const model = readModel();
  const port = model.get("core/v1.ServicePort")!;
  expect(port.fields.map(({ name, required, type, number }) => [name, required, type, number])).toEqual([
    ["appProtocol", false, "string", "6"],
    ["name", false, "string", "1?"],
    ["nodePort", false, "int32", "5?"],
    ["port", true, "int32", "3"],
    ["protocol", false, "string", "2?"],
    ["targetPort", false, "IntOrString", "4"],
  ]);
  expect(port.fields.find(({ name }) => name === "protocol")!.enum).toEqual(["SCTP", "TCP", "UDP"]);
  expect(port.go).toContain("protocol?:v1.Protocol");
  const service = model.get("core/v1.Service")!;
  expect(service.fields.map(({ name }) => name)).toEqual([
    "apiVersion",
    "kind",
    "metadata",
    "spec",
    "status",
  ]);
});

test("readModel() rejects a line that it doesn't understand", () => {
  expect(() => readModel(readBlocks(["core/v1.EnvVar", " name"]))).toThrow("not a field: name");
});

test("addDescriptions() describes fields with and without a type of their own, in Kubernetes' lines", () => {
  const model = addDescriptions(nodeModules, readModel());
  const describe = (type: string, field: string): string | undefined =>
    model.get(type)!.fields.find(({ name }) => name === field)?.description;
  expect(describe("core/v1.ServicePort", "port")).toBe("The port that will be exposed by this service.");
  expect(describe("core/v1.Container", "lifecycle")).toContain("in response to container lifecycle events");
  expect(describe("batch/v1.JobSpec", "podFailurePolicy")).toMatch(/^Specifies the policy.*\n\nThis field/u);
  expect(describe("apiextensions/v1.JSONSchemaProps", "x-kubernetes-list-type")).toContain("topology");
  expect(describe("apps/v1.DeploymentStrategy", "type")).not.toContain("Possible enum values");
  expect(describe("core/v1.VolumeProjection", "clusterTrustBundle")).toContain("`.spec.trustBundle`");
  expect(describe("storage/v1.CSIDriverSpec", "fsGroupPolicy")?.split("\n").length).toBeGreaterThan(2);
  const described = [...model.values()].flatMap(({ fields }) =>
    fields.map(({ description }) => description !== ""),
  );
  expect(described.filter((is) => is).length / described.length).toBeGreaterThan(0.94);
});

test("the generated files are deterministic and up to date", () => {
  const resources = buildResources();
  const model = addDescriptions(nodeModules, readModel());
  const write = (types: typeof model): Map<string, string> =>
    new Map([...writeTables(types, readReleases()), ...writeTypeModules(types, resources)]);
  const files = write(model);
  expect(write(new Map([...model].toReversed()))).toEqual(files);
  for (const name of [
    "resources.ts",
    "core-v1.ts",
    "apps-v1-descriptions.ts",
    "meta-v1-numbers.ts",
    "modules.ts",
  ]) {
    expect(readFileSync(new URL(name, generated), "utf8"), `${name}: run npm run lab -- tables`).toBe(
      files.get(name),
    );
  }
});
