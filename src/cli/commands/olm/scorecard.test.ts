import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";
import type { BundleFiles } from "../../../../e2e/support/olm/right-bundle.ts";
import { bundleTexts, damage, rightBundle } from "../../../../e2e/support/olm/right-bundle.ts";
import { dispatch } from "../../start/main.ts";

const folder = useProjectFolder();
const config = "tests/scorecard/config.yaml";

const tests = [
  ["scorecard-test", "basic-check-spec", "basic"],
  ["scorecard-test", "olm-bundle-validation", "olm"],
  ["custom-test", "upgrade", "custom"],
].map(([program, name, suite]) => ({
  image: "example.com/scorecard:v1",
  entrypoint: [program, name],
  labels: { suite, test: `${name}-test` },
}));

function bundle(): BundleFiles {
  const files = rightBundle();
  damage(files, config, "stages", [{ parallel: true, tests: tests.slice(0, 1) }, { tests: tests.slice(1) }]);
  return files;
}

/** Calls the command for a bundle that is of no project. */
async function scorecard(files: BundleFiles, ...words: string[]) {
  for (const [path, text] of Object.entries(bundleTexts(files))) {
    mkdirSync(dirname(join(folder.root, path)), { recursive: true });
    writeFileSync(join(folder.root, path), text);
  }
  const printed: string[] = [];
  const notes: string[] = [];
  const exitCode = await dispatch(["scorecard", ...words], folder.root, {
    print: (text) => void printed.push(...text.split("\n")),
    note: (text) => void notes.push(text),
    isInteractive: false,
  });
  return { exitCode, printed, notes };
}

test("the tests are listed, and selected, without running", async () => {
  expect(await scorecard(bundle(), "--list", "-l", "suite in (basic,custom)")).toEqual({
    exitCode: 0,
    printed: [
      "scorecard-test basic-check-spec  suite=basic,test=basic-check-spec-test",
      "custom-test upgrade  suite=custom,test=upgrade-test",
    ],
    notes: [],
  });
});

test("a bundle of no project is checked without its operator", async () => {
  expect(await scorecard(bundle(), "--selector", "suite!=custom")).toEqual({
    exitCode: 0,
    printed: ["pass: basic-check-spec", "pass: olm-bundle-validation", "2 passed, 0 failed"],
    notes: ["This bundle belongs to no project: its examples are checked as they are, without the operator."],
  });
});

test.each([
  ["[{", "alm-examples is not a JSON list of objects"],
  ['[{"kind":"Shop","metadata":{"name":"a"}}]', "the example 0 has no apiVersion"],
  ['[{"apiVersion":"apps.example.com/v1","kind":"Shop"}]', "the example 0 has no metadata.name"],
])("with the examples %j, no test that looks at them passes", async (examples, message) => {
  const files = bundle();
  damage(
    files,
    "manifests/shop-operator.clusterserviceversion.yaml",
    "metadata annotations alm-examples",
    examples,
  );
  const { exitCode, printed } = await scorecard(files, "--selector", "suite=basic");

  expect(exitCode).toBe(1);
  expect(printed.slice(0, 2)).toEqual(["error: basic-check-spec", `    ${message}`]);
});

test("a test in an image is an error", async () => {
  expect(await scorecard(bundle(), "bundle", "-l", "suite=custom")).toMatchObject({
    exitCode: 1,
    printed: [
      "error: upgrade-test",
      "    the test is a program in the image example.com/scorecard:v1",
      expect.stringContaining("write it as test/scorecard/NAME.test.ts") as string,
      "0 passed, 1 failed",
    ],
  });
});

test("another configuration is read with --config", async () => {
  const files = { ...bundle(), "other.yaml": rightBundle()[config] };
  const { exitCode, printed } = await scorecard(files, "-c", "bundle/other.yaml", "--output", "xunit");

  expect([exitCode, printed]).toEqual([
    0,
    ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="scorecard">', "</testsuites>"],
  ]);
});

test.each([
  [["nosuch"], '"nosuch" is not a folder'],
  [["--config", "none.yaml"], 'the bundle has no tests: "none.yaml" is missing'],
  [["--wait-time", "soon"], '"soon" is not a duration'],
  [["--skip-cleanup"], "--skip-cleanup and --namespace are for a cluster that stays"],
  [["-l", "suite=("], "is not a label selector"],
])("%j is refused", async (words, message) => {
  await expect(scorecard(bundle(), ...words)).rejects.toThrow(message);
});
