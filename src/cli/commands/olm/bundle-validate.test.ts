import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { bundleTexts, damage, rightBundle } from "../../../../e2e/support/olm/right-bundle.ts";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";
import { dispatch } from "../../start/main.ts";
import type { Details } from "../../reporting/report.ts";

const folder = useProjectFolder();
const csv = "manifests/shop-operator.clusterserviceversion.yaml";

function write(files: Record<string, unknown>): void {
  for (const [path, text] of Object.entries(bundleTexts(files))) {
    mkdirSync(dirname(join(folder.root, path)), { recursive: true });
    writeFileSync(join(folder.root, path), text);
  }
}

async function run(...words: string[]): Promise<{ exitCode: number; printed: string[]; details: Details }> {
  const printed: string[] = [];
  let details: Details = {};
  const exitCode = await dispatch(["bundle", "validate", ...words], folder.root, {
    print: (text) => void printed.push(...text.split("\n")),
    note: () => undefined,
    isInteractive: false,
    add: (more) => void (details = { ...details, ...more }),
  });
  return { exitCode, printed, details };
}

test("a valid bundle exits with 0, also with all optional rules", async () => {
  write(rightBundle());
  const words = ["--select-optional", "suite=operatorframework", "--require-digests"];
  const { exitCode, printed } = await run(...words, "--optional-values", "k8s-version=1.36");
  expect([exitCode, printed]).toEqual([0, ["The bundle is valid: 0 errors, 0 warnings"]]);
});

test("an invalid one exits with 1, and each finding has file, position, rule and hint", async () => {
  const files = rightBundle();
  damage(files, csv, "spec version", "1.1");
  write(files);
  const { exitCode, printed, details } = await run("bundle");
  expect(exitCode).toBe(1);
  expect(printed).toEqual([
    `bundle/${csv}:4:9: warning: the name "shop-operator.v1.1.0" does not say its package and version (csv-name-convention)`,
    "    call it shop-operator.v1.1, as catalogs and people expect",
    `bundle/${csv}:16:12: error: spec.version "1.1" is not a semantic version (csv-version)`,
    "    use MAJOR.MINOR.PATCH, such as 1.0.0, without a v",
    "The bundle is not valid: 1 error, 1 warning",
  ]);
  expect(details.problems?.map(({ rule, position }) => [rule, position.line, position.column])).toEqual([
    ["csv-name-convention", 4, 9],
    ["csv-version", 16, 12],
  ]);
});

test("warnings alone exit with 0", async () => {
  const files = rightBundle();
  damage(files, csv, "spec icon", undefined);
  write(files);
  const { exitCode, printed } = await run();
  expect([exitCode, printed.at(-1)]).toEqual([0, "The bundle is valid: 0 errors, 1 warning"]);
});

test("the optional sets are listed with their rules", async () => {
  const { exitCode, printed } = await run("--list-optional");
  expect([exitCode, printed[0]]).toEqual([0, expect.stringMatching(/^operatorhub: /u)]);
  expect(printed).toContainEqual(expect.stringMatching(/^ {2}community-openshift \(error\): /u));
});

test.each([
  [["nosuch"], '"nosuch" is not a folder'],
  [[".", "--select-optional", "name=comunity"], 'no optional set of rules "name=comunity"'],
  [[".", "--optional-values", "k8s-version=new"], '"k8s-version=new" is not a value'],
])("%j is refused", async (words, message) => {
  await expect(run(...words)).rejects.toThrow(message);
});
