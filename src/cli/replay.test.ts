import { compareText } from "@tsbuilder/apimachinery/text";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { goldenHost, run } from "../../e2e/golden/golden-projects.ts";
import { repository } from "../../e2e/support/source-imports.ts";
import { parseProject } from "../project/store.ts";
import { ownedFile } from "../scaffold/owned-files.ts";
import { everythingBelow, memoryTree } from "../scaffold/tree.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { planProjectChange } from "../plugins/plan-project.ts";

let folder: string;
beforeAll(() => {
  // Inside of the repository, so that imports of our packages are found when the projects are compiled.
  mkdirSync(join(repository, ".tmp"), { recursive: true });
  folder = mkdtempSync(join(repository, ".tmp/replay-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const kinds = ["MySQL", "FirstMate", "Bar", "HTTPRoute"];
const groups = ["apps", "crew", "foo.policy"];
const versions = ["v1", "v1beta1", "v2"];

const kindFlags = fc
  .record({
    group: fc.constantFrom(...groups),
    version: fc.constantFrom(...versions),
    kind: fc.constantFrom(...kinds),
  })
  .map(({ group, version, kind }) => ["--group", group, "--version", version, "--kind", kind]);
const features = fc.subarray(["prometheus", "alerts", "network-policy", "metrics-tls", "metrics"], {
  minLength: 1,
});

/** Plausible command lines; the invalid ones must fail and change nothing. */
const call = fc.oneof(
  { weight: 5, arbitrary: kindFlags.map((kind) => ["create", "api", ...kind]) },
  { weight: 2, arbitrary: kindFlags.map((kind) => ["create", "api", ...kind, "--controller=false"]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(kindFlags, fc.constantFrom("backup", "mysql-backup"))
      .map(([kind, name]) => ["create", "api", ...kind, "--resource=false", "--controller-name", name]),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(kindFlags, fc.subarray(["--defaulting", "--programmatic-validation"], { minLength: 1 }))
      .map(([kind, which]) => ["create", "webhook", ...kind, ...which]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(kindFlags, fc.constantFrom(...versions))
      .map(([kind, spoke]) => ["create", "webhook", ...kind, "--conversion", "--spoke", spoke]),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ["create", "api", "--group", "apps", "--version", "v1", "--kind", "Deployment", "--resource=false"],
      ["create", "webhook", "--group", "core", "--version", "v1", "--kind", "Pod", "--defaulting"],
    ),
  },
  { weight: 2, arbitrary: kindFlags.map((kind) => ["delete", "api", ...kind]) },
  { weight: 1, arbitrary: kindFlags.map((kind) => ["delete", "webhook", ...kind, "--conversion"]) },
  { weight: 2, arbitrary: fc.boolean().map((on) => ["edit", `--multigroup=${on}`]) },
  { weight: 1, arbitrary: fc.boolean().map((on) => ["edit", `--namespaced=${on}`]) },
  { weight: 1, arbitrary: features.map((names) => ["edit", "--enable", names.join(",")]) },
  { weight: 1, arbitrary: features.map((names) => ["edit", "--disable", names.join(",")]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("none", "apache2").map((license) => ["edit", "--license", license]),
  },
);

describe("a project after any sequence of commands", () => {
  test("is what its PROJECT file describes", async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(call, { minLength: 1, maxLength: 12 }),
        async (multigroup, calls) => {
          const root = await newProject(`replay-${count++}`, multigroup);
          for (const argv of calls) await tryCall(argv, root);
          expect(read(root)).toEqual(await replay(root));
        },
      ),
      { numRuns: 20 },
    );
  });

  test("is as before once what was created is deleted", async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 6 }), kindFlags, async (calls, kind) => {
        const root = await newProject(`delete-${count++}`, true);
        for (const argv of calls) await tryCall(argv, root);
        const before = read(root);
        if (!(await tryCall(["create", "api", ...kind], root))) return;
        await tryCall(["create", "webhook", ...kind, "--programmatic-validation"], root);
        await run(["delete", "api", ...kind, "--make=false"], root);
        expect(read(root)).toEqual(before);
      }),
      { numRuns: 10 },
    );
  });
});

describe("scaffolded code", () => {
  test("compiles for any sequence of commands, and any name of the kind", async () => {
    const sample = fc.sample(fc.array(call, { minLength: 6, maxLength: 12 }), { numRuns: 8 });
    for (const [i, calls] of sample.entries()) {
      const root = await newProject(`compiled-${i}`, i % 2 === 0);
      for (const argv of calls) await tryCall(argv, root);
    }
    const root = await newProject("names", true);
    const names = fc.sample(fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,30}$/), { numRuns: 40 });
    const awkward = [
      "Class",
      "Default",
      "Import",
      "New",
      "Manager1",
      "Kind",
      "Hub",
      "Test",
      "X",
      "Spec",
      "Status",
    ];
    for (const kind of new Set([...awkward, ...names])) {
      const flags = ["--group", "apps", "--version", "v1", "--kind", kind];
      if (!(await succeeds(["create", "api", ...flags], root))) continue;
      await succeeds(["create", "webhook", ...flags, "--defaulting", "--programmatic-validation"], root);
    }
    expect(compile()).toEqual([]);
  });
});

/** Type-checks all projects of this file with their own options; our sources are checked elsewhere. */
function compile(): string[] {
  const config = join(folder, "tsconfig.json");
  const { compilerOptions } = JSON.parse(
    readFileSync(join(repository, "e2e/golden/mysql-operator/tsconfig.json"), "utf8"),
  ) as { compilerOptions: object };
  const source = {
    customConditions: ["@tsbuilder/source"],
    typeRoots: [join(repository, "node_modules/@types")],
  };
  const include = [join(folder, "**/api/**/*.ts"), join(folder, "**/src/**/*.ts")];
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...compilerOptions, ...source }, include }));
  const tsc = join(repository, "node_modules/typescript-native/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, "-p", config, "--pretty", "false"], {
    cwd: repository,
    encoding: "utf8",
  });
  return stdout.split("\n").filter((line) => line.startsWith(".tmp/"));
}

async function newProject(name: string, multigroup: boolean): Promise<string> {
  const root = join(folder, name);
  // A repository of its own: the files of a project in a folder of another one name that folder, which PROJECT doesn't.
  mkdirSync(join(root, ".git"), { recursive: true });
  await run(["init", "--domain", "example.com", `--multigroup=${multigroup}`], root);
  return root;
}

/** Returns whether the command succeeded; a failing one must leave every file as it was. */
async function tryCall(argv: readonly string[], root: string): Promise<boolean> {
  const before = read(root);
  if (await succeeds(argv, root)) return true;
  if (JSON.stringify(read(root)) !== JSON.stringify(before))
    throw new Error(`${argv.join(" ")} failed and left traces`);
  return false;
}

async function succeeds(argv: readonly string[], root: string): Promise<boolean> {
  try {
    await run([...argv, "--make=false"], root);
    return true;
  } catch (error) {
    if (error instanceof TsbuilderError) return false;
    throw error;
  }
}

async function replay(root: string): Promise<Record<string, string>> {
  const { project } = parseProject(readFileSync(join(root, "PROJECT"), "utf8"));
  const { packages } = await goldenHost.vendorPackages();
  const { changes } = await planProjectChange({
    folder: root,
    tree: memoryTree(),
    before: undefined,
    after: project,
    packages,
  });
  return Object.fromEntries(
    changes
      .filter(({ path }) => path !== ownedFile)
      .map(({ path, content }): [string, string] => [path, String(content)])
      .sort(([a], [b]) => compareText(a, b)),
  );
}

/** Every file but what tsbuilder keeps for itself. */
function read(root: string): Record<string, string> {
  const paths = everythingBelow(root)
    .list("")
    .filter((path) => path !== ownedFile && path !== ".tsbuilder/.gitignore");
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
}
