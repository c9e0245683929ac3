import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { scaffoldPacked, usePackedTsbuilder } from "../../support/registries/packed-tsbuilder.ts";
import { run, tryRun } from "../../support/shell.ts";

const packed = usePackedTsbuilder();

test("a packed tsbuilder installs, scaffolds, and requests none of our names from a registry", async () => {
  const project = await scaffoldPacked(packed(), "mysql-operator");
  const crd = readFileSync(join(project.folder, "config/crd/bases/apps.example.com_mysqls.yaml"), "utf8");
  expect(crd).toContain("kind: CustomResourceDefinition");
  await run(project, "npm", "test");
  await run(project, "npm", "run", "lint");
  expect(packed().registry.asked).toEqual([]);
  // 57 packages with 88.3 MB when this was written: src/decisions/installed-packages.md says what they are.
  expect(installedPackages(project.folder).length).toBeLessThanOrEqual(60);
  expect(installedMegabytes(project.folder)).toBeLessThan(91);
});

function installedPackages(project: string): string[] {
  const lock = readFileSync(join(project, "node_modules/.package-lock.json"), "utf8");
  return Object.keys((JSON.parse(lock) as { packages: object }).packages);
}

function installedMegabytes(project: string): number {
  const modules = join(project, "node_modules");
  const sizes = readdirSync(modules, { recursive: true, encoding: "utf8" })
    .map((path) => statSync(join(modules, path)))
    .map((file) => (file.isFile() ? file.size : 0));
  return sizes.reduce((sum, size) => sum + size, 0) / 1e6;
}

test("an editor goes from the runtime's types to the sources, which the package holds", async () => {
  const project = await scaffoldPacked(packed(), "edited-operator");
  const types = join(project.folder, "node_modules/@tsbuilder/runtime/dist");
  const maps = readdirSync(types, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".d.ts.map"),
  );
  expect(maps).toContain(join("manager", "manager.d.ts.map"));
  const missing = maps.flatMap((path) => {
    const { sources } = JSON.parse(readFileSync(join(types, path), "utf8")) as { sources: string[] };
    return sources.filter((source) => !existsSync(join(types, dirname(path), source)));
  });
  expect(missing).toEqual([]);
});

test("the licenses of bundled packages are in the tarball and beside the operator's bundle", async () => {
  const project = await scaffoldPacked(packed(), "licensed-operator");
  const own = join(packed().work, "prefix/lib/node_modules/tsbuilder/dist/cli/third-party-licenses.txt");
  for (const name of ["commander", "execa", "handlebars", "inquirer", "yaml"])
    expect(readFileSync(own, "utf8")).toMatch(new RegExp(`^${name} \\d`, "m"));
  await run(project, "npm", "run", "build");
  const operators = readFileSync(join(project.folder, "dist/third-party-licenses.txt"), "utf8");
  expect(operators).toMatch(/^@tsbuilder\/runtime \d/m);
  expect(operators).toContain("Apache License");
});

test("a scaffolded project has its types checked by build and test, and a missing await found by lint", async () => {
  const project = await scaffoldPacked(packed(), "careless-operator");
  const controller = join(project.folder, "src/controller/mysql_controller.ts");
  const correct = readFileSync(controller, "utf8");
  const tryWith = async (from: string, to: string, ...script: string[]) => {
    writeFileSync(controller, correct.replace(from, to));
    return tryRun(project, "npm", ...script);
  };
  const noAwait = ["await this.#client.patchStatus", "this.#client.patchStatus"] as const;
  expect(await tryWith(...noAwait, "run", "lint")).toMatchObject({
    exitCode: 1,
    stdout: expect.stringContaining("no-floating-promises") as string,
  });
  for (const script of [["test"], ["run", "build"]]) {
    const { exitCode, stdout } = await tryWith('status: "True"', 'status: "Maybe"', ...script);
    expect(exitCode).not.toBe(0);
    expect(stdout).toContain('"Maybe"');
  }
  expect(existsSync(join(project.folder, "dist/main.js"))).toBe(false);
});
