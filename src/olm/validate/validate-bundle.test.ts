import { expect, test } from "vitest";
import { budget, csv, damages, oldBudget } from "../../../e2e/support/olm/bundle-damages.ts";
import { replacedFiles } from "../../../e2e/support/olm/replaced-bundle-files.ts";
import { bundleTexts, type BundleFiles, damage, rightBundle } from "../../../e2e/support/olm/right-bundle.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import { optionalSets, type OptionalSet, type RuleName, rules } from "./rules.ts";
import { validateBundle, type ValidateOptions } from "./validate-bundle.ts";

const optional = Object.keys(optionalSets) as OptionalSet[];

interface Found {
  readonly rule: RuleName;
  readonly severity: string;
  /** The text from the finding's position to the end of its line. */
  readonly text: string;
  readonly file: string;
}

async function validate(files: BundleFiles, options: ValidateOptions = {}): Promise<Found[]> {
  const texts = bundleTexts(files);
  const findings = await validateBundle(memoryTree(texts), "bundle", options);
  return findings.map(({ rule, severity, position: { file, line, column } }) => {
    const text = texts[file]?.split("\n")[line - 1]?.slice(column - 1) ?? "";
    return { rule, severity, text, file: file.replace(/^bundle\//u, "") };
  });
}

test("a right bundle has no finding, by the rules of all sets", async () => {
  expect(await validate(rightBundle(), { optional, requireDigests: true, kubernetes: "1.36.0" })).toEqual([]);
});

test.each(damages)("%s: %s with %s %j", async (rule, file, path, value, text) => {
  const files = rightBundle();
  damage(files, file, path, value);
  const found = await validate(files, { optional, requireDigests: true });
  expect(found.map((one) => [one.rule, one.severity, one.text.startsWith(text)])).toContainEqual([
    rule,
    rules[rule].severity,
    true,
  ]);
});

test.each(replacedFiles)("%s: another %s", async (rule, file, content, text) => {
  const found = await validate({ ...rightBundle(), [file]: content }, { optional });
  expect(found.map((one) => [one.rule, one.text.startsWith(text)])).toContainEqual([rule, true]);
});

test("at least forty single damages keep a bundle from being valid, and every rule is broken by one", () => {
  const broken = [...damages, ...replacedFiles].map(([rule]) => rule);
  expect(broken.filter((rule) => rules[rule].severity === "error").length).toBeGreaterThanOrEqual(40);
  const shown = new Set<string>([...broken, "api-removed-later"]);
  expect(Object.keys(rules).filter((rule) => !shown.has(rule))).toEqual([]);
});

test("an API that is gone in a later version is an error only for who asks for that version", async () => {
  const files = { ...rightBundle(), [budget]: oldBudget };
  damage(files, csv, "spec minKubeVersion", "1.24.0");
  const found = async (kubernetes?: string): Promise<string[]> =>
    (await validate(files, { kubernetes })).map(({ rule }) => rule);
  expect(await found()).toEqual(["api-removed-later"]);
  expect(await found("1.24.0")).toEqual(["api-removed-later"]);
  expect(await found("1.25.0")).toEqual(["api-removed"]);
});

test("rules of optional sets hold only if they are asked for", async () => {
  const files = rightBundle();
  damage(files, csv, "metadata annotations categories", "Shops");
  expect(await validate(files)).toEqual([]);
  expect(await validate(files, { optional: ["operatorhub"] })).toEqual([]);
  expect((await validate(files, { optional: ["categories"] })).map(({ rule }) => rule)).toEqual([
    "hub-categories",
  ]);
});

test.each([
  "ann@example.com",
  " ann@example.com ",
  "Acme Inc. <ops@example.com>",
  "J. R. Doe <ann@example.com> ",
  '"Doe, \\"Ann\\"" <ann@example.com>',
  '"Ann" Doe <ann@example.com>',
  "<ann@example.com>",
])("a maintainer may have the address %j", async (email) => {
  const files = rightBundle();
  damage(files, csv, "spec maintainers 0 email", email);
  expect(await validate(files, { optional: ["operatorhub"] })).toEqual([]);
});

test("dependencies that OLM looks for have no finding", async () => {
  const dependencies = [
    { type: "olm.gvk", value: { group: "example.com", version: "v1", kind: "Cart" } },
    { type: "olm.package", value: { packageName: "cart", version: ">=1.0.0 || =0.9.0" } },
    { type: "olm.constraint", value: { cel: { rule: "true" } } },
  ];
  expect(await validate({ ...rightBundle(), "metadata/dependencies.yaml": { dependencies } })).toEqual([]);
});

test("a folder that is no bundle is told what it lacks", async () => {
  const findings = await validateBundle(memoryTree(), "bundle");
  expect(findings.map(({ rule, position }) => [rule, position.file, position.line])).toEqual([
    ["csv-missing", "bundle/manifests", 1],
    ["annotations-missing", "bundle/metadata/annotations.yaml", 1],
  ]);
});
