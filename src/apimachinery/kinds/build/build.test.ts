import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { buildResources, rootTypes } from "./build-resources.ts";
import { addFormats, readDeclarations } from "./model.ts";
import { writeTypeModules } from "./write-type-modules.ts";
import { writeTables } from "./write-tables.ts";

const nodeModules = fileURLToPath(new URL("../../../../node_modules", import.meta.url));
const generated = new URL("../generated/", import.meta.url);

test("readDeclarations() follows references and reads structure, descriptions and enums", () => {
  const model = readDeclarations(nodeModules, ["core/v1.Service"]);
  const port = model.get("core/v1.ServicePort")!;
  expect(port.fields.map(({ name, required, type }) => [name, required, type])).toEqual([
    ["appProtocol", false, "string"],
    ["name", false, "string"],
    ["nodePort", false, "number"],
    ["port", true, "number"],
    ["protocol", false, "string"],
    ["targetPort", false, "IntOrString"],
  ]);
  const protocol = port.fields.find(({ name }) => name === "protocol")!;
  expect(protocol.enum).toEqual(["SCTP", "TCP", "UDP"]);
  // The original description ends with the list of values, which the type has anyway.
  expect(protocol.description).not.toContain("Possible enum values");
  expect(model.get("meta/v1.ObjectMeta")!.fields.length).toBeGreaterThan(10);
});

test("readDeclarations() rejects a type that the package doesn't have", () => {
  expect(() => readDeclarations(nodeModules, ["core/v1.MySQL"])).toThrow("no core/v1.MySQL");
});

test("addFormats() fails if the two packages disagree on the fields of a type", () => {
  const type = { module: "core/v1", name: "EnvVar", description: "", fields: [] };
  expect(() => addFormats(nodeModules, new Map([["core/v1.EnvVar", type]]))).toThrow(
    "the two packages disagree on core/v1.EnvVar",
  );
});

test("the generated files are deterministic and up to date", () => {
  const resources = buildResources();
  const build = (roots: string[]): Map<string, string> => {
    const model = addFormats(nodeModules, readDeclarations(nodeModules, roots));
    return new Map([...writeTables(model, resources), ...writeTypeModules(model, resources)]);
  };
  const roots = rootTypes(resources);
  const files = build(roots);
  expect(build(roots.toReversed())).toEqual(files);
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
