import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { CustomResourceDefinition } from "../crd/custom-resource-definition.ts";
import {
  optionsFor,
  readExamples,
  runExample,
  runMarkerExample,
  sha256,
  yamlOf,
} from "../testdata/example.ts";

const folder = join(import.meta.dirname, "testdata");
const markerPages = ["roles.md", "webhooks.md"];
const pages = readdirSync(folder).filter((file) => file.endsWith(".md") && !markerPages.includes(file));

// The YAML was written by controller-gen from Go types that say the same: see e2e/oracle/real/controller-gen.
describe.each(pages)("controller-gen conformance: %s", (page) => {
  const examples = readExamples(readFileSync(join(folder, page), "utf8"));
  it.each(examples.map((example) => [example.title, example] as const))("%s", async (_, { blocks }) => {
    const ts = blocks.find(({ language }) => language === "ts")?.code ?? "";
    const yaml = blocks.find(({ language }) => language === "yaml");
    const { crd, spec, diagnostics } = await runExample(ts, optionsFor(page));
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const written = yamlOf(yaml?.info === "crd" ? withoutTypeTexts(crd) : spec);
    expect(yaml?.info === "sha256" ? sha256(written) : written).toBe(yaml?.code);
  });
});

describe.each(markerPages)("controller-gen conformance: %s", (page) => {
  const examples = readExamples(readFileSync(join(folder, page), "utf8"));
  it.each(examples.map((example) => [example.title, example] as const))("%s", async (_, { blocks }) => {
    const [ts, yaml] = blocks;
    expect(await runMarkerExample(ts?.code ?? "")).toBe(yaml?.code);
  });
});

/** The texts of apiVersion and kind are Kubernetes' own, and are not kept in this repository. */
function withoutTypeTexts(crd: CustomResourceDefinition | undefined): CustomResourceDefinition | undefined {
  for (const { schema } of crd?.spec.versions ?? []) {
    for (const key of ["apiVersion", "kind"]) schema.openAPIV3Schema.properties![key] = { type: "string" };
  }
  return crd;
}
