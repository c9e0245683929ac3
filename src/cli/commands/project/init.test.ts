import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "../../../../e2e/support/source-imports.ts";
import { goldenHost } from "../../../../e2e/golden/golden-projects.ts";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";
import { dispatch } from "../../start/main.ts";

const folder = useProjectFolder();
const { call, initialize, read } = folder;

describe("init", () => {
  test("names ranges of a released tsbuilder, and no vendor/ that isn't there", async () => {
    const quiet = { print: () => undefined, note: () => undefined, isInteractive: false };
    const released = {
      ...goldenHost,
      vendorPackages: async () => ({
        packages: { runtime: "^0.2.0", cluster: "^0.2.0", simulation: "^0.2.0", tsbuilder: "0.2.0" },
        files: new Map<string, Uint8Array>(),
      }),
    };
    const words = "init --domain example.com --project-name shop --skip-install".split(" ");
    await dispatch(words, folder.root, quiet, released);
    expect(JSON.parse(read("package.json"))).toMatchObject({
      dependencies: { "@tsbuilder/runtime": "^0.2.0" },
      devDependencies: { "@tsbuilder/cluster": "^0.2.0", tsbuilder: "0.2.0" },
    });
    const files = Object.entries(folder.snapshot());
    const mentions = files.filter(([path, text]) => path === ".npmrc" || /vendor|npmrc ?\.\//u.test(text));
    expect(mentions).toEqual([]);
    expect(read("Dockerfile")).toContain("COPY package.json package-lock.json ./\nRUN npm ci");
  });

  test("refuses a folder that contains a project", async () => {
    await initialize();
    await expect(initialize()).rejects.toMatchObject({ code: "ALREADY_INITIALIZED" });
  });

  test("scaffolds a complete operator with --template", async () => {
    await call("init --domain example.com --project-name shop --template appservice");
    expect(read("PROJECT")).toContain("template:\n    name: appservice");
    expect(read("src/main.ts")).toContain("setupAppServiceController(manager);");
    expect(existsSync(join(folder.root, "config/crd/bases/apps.example.com_appservices.yaml"))).toBe(true);
  });

  test("scaffolds a project whose tests pass until it has tests, and then fails without any", async () => {
    await initialize();
    symlinkSync(join(repository, "node_modules"), join(folder.root, "node_modules"));
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    expect(scripts["test"]).toBe("tsc && vitest run");
    const vitest = join(repository, "node_modules/vitest/vitest.mjs");
    const runTests = (...args: string[]) =>
      spawnSync(process.execPath, [vitest, "run", ...args], { cwd: folder.root, encoding: "utf8" });
    expect(runTests()).toMatchObject({ status: 0 });
    await call("create api --group apps --version v1 --kind Order --controller=false");
    expect(runTests()).toMatchObject({ status: 0 });
    await call("create api --group apps --version v1 --kind Invoice");
    expect(runTests("typo")).toMatchObject({ status: 1 });
    expect(read("vitest.config.ts")).not.toContain("passWithNoTests");
  });

  test("create api keeps what was changed in vitest.config.ts", async () => {
    await initialize();
    const mine = read("vitest.config.ts").replace("{api,src}", "{api,lib,src}").replace("30_000", "60_000");
    writeFileSync(join(folder.root, "vitest.config.ts"), mine);
    await call("create api --group apps --version v1 --kind Order");
    expect(read("vitest.config.ts")).toContain("{api,lib,src}");
    expect(read("vitest.config.ts")).not.toContain("passWithNoTests");
  });

  test("names the files that --force overwrites, and keeps the others", async () => {
    for (const name of ["README.md", "package.json", "notes.txt"])
      writeFileSync(join(folder.root, name), "{}\n");
    const printed = await call("init --domain example.com --project-name shop --force --dry-run");
    expect(printed).toContain(
      'is not empty: --force overwrites "package.json" and "README.md"; other files are kept.',
    );
    expect(read("README.md")).toBe("{}\n");
    await call("init --domain example.com --project-name shop --force");
    expect(read("README.md")).toContain("# shop");
    expect(read("notes.txt")).toBe("{}\n");
  });

  test("keeps existing files", async () => {
    writeFileSync(join(folder.root, "README.md"), "mine");
    const printed = await initialize();
    expect(read("README.md")).toBe("mine");
    expect(printed).toContain(`kept "README.md", which already exists`);
  });

  test("fails on conflicting files, and writes nothing", async () => {
    writeFileSync(join(folder.root, "package.json"), "{}");
    await expect(initialize()).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    expect(readdirSync(folder.root)).toEqual(["package.json"]);
  });

  test("uses a license header from a file", async () => {
    writeFileSync(join(folder.root, "header.txt"), "/* ours since YEAR */\n");
    await call("init --domain example.com --project-name shop --license-file header.txt");
    await call("create api --group apps --version v1 --kind Order");
    expect(read("api/v1/order_types.ts")).toMatch(/^\/\* ours since \d{4} \*\/\n\nimport/);
  });
});
