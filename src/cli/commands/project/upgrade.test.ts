import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { newerHost } from "../../../../e2e/support/projects/newer-host.ts";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";
import { dispatch } from "../../start/main.ts";
import type { Host } from "../../packages/host.ts";

const folder = useProjectFolder();
const { call, initialize, read, snapshot } = folder;

describe("upgrade", () => {
  /** What an earlier version scaffolded. */
  let baseline: Record<string, string>;

  beforeEach(async () => {
    await initialize();
    await call("create api --group apps --version v1 --kind Order");
    writeOlder("README.md", "## Developing", "## Working on it");
    writeOlder("Makefile", ".PHONY", ".GONE");
    baseline = snapshot();
  });

  const write = (path: string, text: string): void => writeFileSync(join(folder.root, path), text);
  const writeOlder = (path: string, now: string, then: string): void =>
    write(path, read(path).replace(now, then));

  const upgrade = (...flags: string[]): Promise<string> => upgradeBy(newerHost(baseline), ...flags);

  async function upgradeBy(host: Host, ...flags: string[]): Promise<string> {
    const printed: string[] = [];
    const keep = (text: string): void => void printed.push(text);
    const ui = { print: keep, note: keep, isInteractive: false };
    await dispatch(["upgrade", "--skip-install", ...flags], folder.root, ui, host);
    return printed.join("\n");
  }

  test("applies what changed, and keeps what the user edited", async () => {
    write("README.md", `${read("README.md")}\nMine.\n`);
    const controller = read("src/controller/order_controller.ts").replace("Add your logic", "ADD YOUR LOGIC");
    write("src/controller/order_controller.ts", controller);
    await upgrade();
    expect(read("README.md")).toMatch(/## Developing[\s\S]*\nMine\.\n$/);
    expect(read("Makefile")).toContain(".PHONY");
    expect(read("src/controller/order_controller.ts")).toBe(controller);
    expect(read("PROJECT")).toContain("cliVersion: 0.0.0-newer");
  });

  test("leaves a line alone that npm run fmt broke", async () => {
    await call("create api --group apps --version v1 --kind VeryLongDatabaseClusterReplication");
    baseline = snapshot();
    const types = "api/v1/verylongdatabaseclusterreplication_types.ts";
    writeOlder(types, " extends Custom", "\n  extends Custom");
    const formatted = read(types);
    expect(formatted).toContain("Replication\n  extends Custom");
    await upgrade();
    expect(read(types)).toBe(formatted);
  });

  test("replaces our packages, and keeps the user's dependencies", async () => {
    const { dependencies, ...rest } = JSON.parse(read("package.json")) as { dependencies: object };
    write("package.json", JSON.stringify({ ...rest, dependencies: { ...dependencies, pino: "10.0.0" } }));
    mkdirSync(join(folder.root, "vendor"));
    write("vendor/tsbuilder-0.0.0-golden.tgz", "\0");
    write("vendor/theirs.tgz", "\0");
    await upgrade();
    expect(JSON.parse(read("package.json"))).toMatchObject({
      dependencies: { "@tsbuilder/runtime": "file:vendor/tsbuilder-runtime-0.0.0-newer.tgz", pino: "10.0.0" },
    });
    expect(existsSync(join(folder.root, "vendor/tsbuilder-0.0.0-golden.tgz"))).toBe(false);
    expect(existsSync(join(folder.root, "vendor/tsbuilder-0.0.0-newer.tgz"))).toBe(true);
    expect(existsSync(join(folder.root, "vendor/theirs.tgz"))).toBe(true);
  });

  test("names a package that it removes: a script of the user's may run it", async () => {
    const biome = '"devDependencies": {\n    "@biomejs/biome": "2.5.4",';
    writeOlder("package.json", '"devDependencies": {', biome);
    baseline = snapshot();
    writeOlder("package.json", '"dev":', '"check": "biome check",\n    "dev":');
    const printed = await upgrade();
    expect(read("package.json")).not.toContain("@biomejs");
    expect(printed).toContain("if you do, npm install --save-dev @biomejs/biome@2.5.4");
    expect(printed).toContain("Next: npm run fmt, npm run vet, npm test");
  });

  test("moves ranges to a released version, also those that npm moved, and deletes vendor/", async () => {
    baseline["package.json"] = read("package.json").replaceAll(/"file:vendor[^"]*"/gu, '"^0.1.0"');
    write("package.json", baseline["package.json"].replace('runtime": "^0.1.0"', 'runtime": "^0.1.7"'));
    mkdirSync(join(folder.root, "vendor"));
    write("vendor/tsbuilder-0.1.0-dev.h1.tgz", "\0");
    const newer = newerHost(baseline, "0.2.0");
    const packages = { runtime: "^0.2.0", cluster: "^0.2.0", simulation: "^0.2.0", tsbuilder: "0.2.0" };
    const host = {
      ...newer,
      vendorPackages: async () => ({ packages, files: new Map<string, Uint8Array>() }),
    };
    const printed = await upgradeBy(host);
    expect(JSON.parse(read("package.json"))).toMatchObject({
      dependencies: { "@tsbuilder/runtime": "^0.2.0" },
      devDependencies: { "@tsbuilder/simulation": "^0.2.0", tsbuilder: "0.2.0" },
    });
    expect(printed).not.toContain("kept your");
    expect(existsSync(join(folder.root, "vendor"))).toBe(false);
    expect(existsSync(join(folder.root, ".npmrc"))).toBe(false);
  });

  test("writes nothing on conflicts until the user chooses how to resolve them", async () => {
    write("README.md", read("README.md").replace("## Working on it", "## My way"));
    const before = snapshot();
    await expect(upgrade()).rejects.toMatchObject({
      code: "FILE_CHANGED",
      message: `conflicts with your changes in "README.md"`,
    });
    expect(snapshot()).toEqual(before);
    await upgrade("--keep");
    expect(read("README.md")).toContain("## My way");
    expect(read("README.md.new")).toContain("## Developing");
  });

  test("upgrades an operator of an older template, and deletes files that the template no longer has", async () => {
    await call("create api --group apps --version v1 --kind AppService --template appservice");
    const [controller, resources] = ["controller", "resources"].map(
      (part) => `src/controller/appservice_${part}.ts`,
    );
    const now = read(controller!);
    writeOlder(controller!, "children.set", "child.set");
    write("src/controller/appservice_children.ts", "export class Children {}\n");
    baseline = snapshot();
    write(resources!, read(resources!).replaceAll("IfNotPresent", "Always"));
    await upgrade();
    expect(read(controller!)).toBe(now);
    expect(read(resources!)).toContain("Always");
    expect(existsSync(join(folder.root, "src/controller/appservice_children.ts"))).toBe(false);
  });

  test("does nothing if the project is at this version", async () => {
    await upgrade();
    const after = snapshot();
    expect(await upgrade()).toContain("is already at version 0.0.0-newer");
    expect(snapshot()).toEqual(after);
  });
});

describe("scaffold", () => {
  test.runIf(process.platform === "linux")("ends where no folder can be made", async () => {
    await initialize();
    await expect(call("scaffold /proc/fresh/project")).rejects.toMatchObject({
      syscall: "mkdir",
      path: "/proc/fresh/project",
    });
  });

  test("scaffolds the project without later edits", async () => {
    await initialize();
    await call("create api --group apps --version v1 --kind Order --make=false");
    const { "src/controller/order_controller.ts": controller, ...rest } = snapshot();
    writeFileSync(join(folder.root, "src/controller/order_controller.ts"), "// mine\n");
    await call("scaffold fresh");
    for (const [path, text] of Object.entries(rest)) expect(read(join("fresh", path))).toBe(text);
    expect(read("fresh/src/controller/order_controller.ts")).toBe(controller);
  });

  test("refuses a folder that is not empty", async () => {
    await initialize();
    await expect(call("scaffold src")).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
  });
});
