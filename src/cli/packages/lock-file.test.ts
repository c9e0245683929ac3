import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { releasedHost } from "../../../e2e/support/projects/released-host.ts";
import { dispatch } from "../start/main.ts";
import type { Host } from "./host.ts";

const folder = useProjectFolder();
const { read, snapshot } = folder;
const write = (path: string, text: string): void => writeFileSync(join(folder.root, path), text);

async function call(host: Host, words: string, cwd = folder.root): Promise<string> {
  const printed: string[] = [];
  const keep = (text: string): void => void printed.push(text);
  await dispatch(words.split(" "), cwd, { print: keep, note: keep, isInteractive: false }, host);
  return printed.join("\n");
}

const init = "init --domain example.com --project-name shop --skip-install";
const older = releasedHost("0.1.0");

interface Lock {
  readonly name: string;
  readonly packages: Readonly<Record<string, { version: string }>>;
}
const readLock = (): Lock => JSON.parse(read("package-lock.json")) as Lock;
const locked = (name: string): unknown => readLock().packages[`node_modules/${name}`]?.version;

describe("init", () => {
  test("writes the lock file of what was tested, the same each time", async () => {
    expect(await call(older, `${init} --dry-run`)).toContain("create package-lock.json");
    await call(older, init);
    const text = read("package-lock.json");
    expect(readLock()).toMatchObject({
      name: "shop",
      packages: { "node_modules/tsbuilder": { version: "0.1.0" } },
    });
    await call(older, "create api --group apps --version v1 --kind Order");
    await call(older, "edit --multigroup --enable prometheus");
    expect(read("package-lock.json")).toBe(text);
    rmSync(join(folder.root, "PROJECT"));
    await call(older, `${init} --force`);
    expect(read("package-lock.json")).toBe(text);
  });

  test.each([
    ["yarn", "yarn.lock", "npx --yes @yarnpkg/cli-dist@4 install --immutable"],
    ["pnpm", "pnpm-lock.yaml", "npx --yes pnpm@10 install --frozen-lockfile"],
    ["bun", "bun.lock", "npx --yes bun@1 install --frozen-lockfile"],
  ])(
    "writes that of %s instead where it was chosen, and has all others install by it",
    async (name, file, command) => {
      await call(older, `${init} --package-manager ${name}`);
      const chosen = snapshot();
      const lock = chosen[file]!;
      expect(chosen[".github/workflows/test.yml"]).toContain(`- run: ${command}\n`);
      expect(chosen[".github/workflows/test.yml"]).not.toContain("cache: npm");
      expect(chosen[".devcontainer/post-install.sh"]).toContain(`\n${command}\n`);
      expect(chosen["Dockerfile"]).toContain(`COPY package.json ${file}`);
      expect(chosen[".dockerignore"]).toContain(`!${file}\n`);
      expect(".yarnrc.yml" in chosen).toBe(name === "yarn");
      expect(Object.values(chosen).join("\n")).not.toMatch(/npm ci|package-lock/u);
      await call(older, "create api --group apps --version v1 --kind Order");
      await call(older, "doctor");
      expect(read(file)).toBe(lock);
      expect(read("Dockerfile")).toBe(chosen["Dockerfile"]);
      // An empty lock file says so, too.
      for (const path of Object.keys(chosen)) rmSync(join(folder.root, path));
      rmSync(join(folder.root, "api"), { recursive: true });
      rmSync(join(folder.root, "src"), { recursive: true });
      rmSync(join(folder.root, "config"), { recursive: true });
      write(file, "");
      await call(older, init);
      expect(snapshot()).toEqual(chosen);
    },
  );

  test("refuses another than npm where the project carries our packages, and writes nothing", async () => {
    const unreleased: Host = {
      ...older,
      vendorPackages: async () => ({ ...(await older.vendorPackages()), lock: () => undefined }),
    };
    await expect(call(unreleased, `${init} --package-manager pnpm`)).rejects.toMatchObject({
      code: "REFUSED",
    });
    expect(snapshot()).toEqual({});
  });

  test("refuses to overwrite a lock file that belongs to something else", async () => {
    write("package-lock.json", "{}");
    await expect(call(older, init)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      message: '"package-lock.json" already exists',
    });
    expect(snapshot()).toEqual({ "package-lock.json": "{}" });
    await call(older, `${init} --force`);
    expect(locked("tsbuilder")).toBe("0.1.0");
  });

  test.each([
    ["package.json", '{"workspaces":["operators/*"]}', false],
    ["package.json", '{"workspaces":{"packages":["./operators/**"]}}', false],
    ["pnpm-workspace.yaml", "packages:\n  - operators/shop\n", false],
    ["package.json", '{"workspaces":["packages/*"]}', true],
    ["package.json", '{"workspaces":["operators"]}', true],
    ["package.json", "no JSON", true],
  ])("leaves the lock file of a workspace to the folder above: %s, %s", async (file, text, hasLock) => {
    write(file, text);
    const member = join(folder.root, "operators/shop");
    mkdirSync(member, { recursive: true });
    await call(older, init, member);
    expect("operators/shop/package-lock.json" in snapshot()).toBe(hasLock);
  });
});

describe("create api with a template that needs a package", () => {
  const create = "create api --group data --version v1 --kind Maria --template mysql";
  const dependencies = (): object =>
    (JSON.parse(read("package.json")) as { dependencies: object }).dependencies;

  test("adds it to package.json and the lock file, as init does, and delete api takes it away", async () => {
    await call(older, `${init} --template mysql`);
    const ofInit = { manifest: read("package.json"), lock: read("package-lock.json") };
    for (const path of Object.keys(snapshot())) rmSync(join(folder.root, path));
    await call(older, init);
    const before = { manifest: read("package.json"), lock: read("package-lock.json") };
    expect(locked("mysql2")).toBeUndefined();
    await call(older, create);
    expect({ manifest: read("package.json"), lock: read("package-lock.json") }).toEqual(ofInit);
    expect(dependencies()).toMatchObject({ mysql2: locked("mysql2") });
    await call(older, "delete api --group data --version v1 --kind Maria");
    expect({ manifest: read("package.json"), lock: read("package-lock.json") }).toEqual(before);
  });

  test("leaves it there for the files that are kept", async () => {
    await call(older, init);
    await call(older, create);
    const added = dependencies();
    await call(older, "delete api --group data --version v1 --kind Maria --keep");
    expect(dependencies()).toEqual(added);
  });

  test("runs nothing of the project's to show what it would do", async () => {
    await call(older, init);
    mkdirSync(join(folder.root, "node_modules/oxfmt/bin"), { recursive: true });
    write("node_modules/oxfmt/bin/oxfmt", 'require("fs").writeFileSync("ran", "")');
    await call(older, `${create} --dry-run`);
    expect(existsSync(join(folder.root, "ran"))).toBe(false);
  });

  test("keeps the user's packages and versions, and leaves the lock file to npm, and says so", async () => {
    await call(older, init);
    const manifest = JSON.parse(read("package.json")) as { dependencies: object };
    const mine = { ...manifest.dependencies, mysql2: "3.0.0", pino: "10.0.0" };
    const text = JSON.stringify({ ...manifest, dependencies: mine }, undefined, "\t");
    write("package.json", text);
    const lock = read("package-lock.json");
    expect(await call(older, create)).toContain("npm install adds what is new to it");
    expect(read("package.json")).toBe(text);
    expect(read("package-lock.json")).toBe(lock);
    await call(older, "delete api --group data --version v1 --kind Maria");
    expect(dependencies()).toEqual(mine);
  });

  test.each([
    ["a lock file of an older format", ".", "npm-shrinkwrap.json"],
    ["the lock file of a workspace", "operators/shop", "package-lock.json"],
  ])("says that npm has to add it to %s", async (_, project, lockFile) => {
    write("package.json", '{"workspaces":["operators/*"]}');
    const root = join(folder.root, project);
    mkdirSync(root, { recursive: true });
    await call(older, `${init} --force`, root);
    rmSync(join(root, "package-lock.json"), { force: true });
    write(lockFile, "{}");
    const said = await call(older, create, root);
    expect(said).toContain(`${lockFile}" has other packages`);
    expect(said).toContain("npm install adds what is new to it");
  });
});

describe("upgrade", () => {
  const upgrade = (): Promise<string> => call(releasedHost("0.2.0", baseline), "upgrade --skip-install");
  let baseline: Record<string, string>;

  beforeEach(async () => {
    await call(older, init);
    // The older version was tested with an older compiler.
    const now = locked("typescript") as string;
    for (const file of ["package.json", "package-lock.json"])
      write(file, read(file).replaceAll(now, "7.0.1"));
    baseline = snapshot();
  });

  test("brings the lock file of the newer version, be it that npm wrote the old one in its own way", async () => {
    const lock = readLock() as unknown as Record<string, unknown>;
    write("package-lock.json", JSON.stringify({ ...lock, name: "renamed" }));
    const printed = await upgrade();
    expect(locked("typescript")).not.toBe("7.0.1");
    expect(locked("@tsbuilder/runtime")).toBe("0.2.0");
    expect(printed).not.toContain("other packages");
  });

  test("writes one for a project of a tsbuilder that wrote none, and keeps one that npm has made since", async () => {
    delete baseline["package-lock.json"];
    const before = read("package-lock.json");
    expect(await upgrade()).toContain("npm install adds what is new to it");
    expect(read("package-lock.json")).toBe(before);
    rmSync(join(folder.root, "package-lock.json"));
    write("PROJECT", read("PROJECT").replace("0.2.0", "0.1.0"));
    await upgrade();
    expect(locked("@tsbuilder/runtime")).toBe("0.2.0");
  });

  test("leaves it to npm where the project has packages of its own, and says so", async () => {
    const manifest = JSON.parse(read("package.json")) as { dependencies: object };
    const dependencies = { ...manifest.dependencies, pino: "10.0.0" };
    write("package.json", `${JSON.stringify({ ...manifest, dependencies }, undefined, 2)}\n`);
    const before = read("package-lock.json");
    const printed = await upgrade();
    expect(read("package-lock.json")).toBe(before);
    expect(printed).toContain('"package-lock.json" has other packages');
    expect(printed).toContain("npm install adds what is new to it");
  });

  test("leaves versions alone that the user moved", async () => {
    const { version } = readLock().packages["node_modules/vite"]!;
    write("package-lock.json", read("package-lock.json").replaceAll(version, "8.0.1"));
    const before = read("package-lock.json");
    expect(await upgrade()).toContain("npm install adds what is new to it");
    expect(read("package-lock.json")).toBe(before);
  });

  test.each(["no lock file", "<<<<<<< yours\n"])("leaves %j alone", async (text) => {
    write("package-lock.json", text);
    await upgrade();
    expect(read("package-lock.json")).toBe(text);
  });

  test("brings that of another package manager, be it that Yarn added the hashes of ours", async () => {
    for (const path of Object.keys(snapshot())) rmSync(join(folder.root, path));
    await call(older, `${init} --package-manager yarn --force`);
    baseline = snapshot();
    write(
      "yarn.lock",
      read("yarn.lock").replace(/^(  resolution: "tsbuilder@.*)$/mu, "$1\n  checksum: 10c0/abc"),
    );
    await upgrade();
    expect(read("yarn.lock")).toContain('"tsbuilder@npm:0.2.0":');
    expect(read("Dockerfile")).toContain("yarn.lock");
  });

  test("restores none that the user deleted", async () => {
    rmSync(join(folder.root, "package-lock.json"));
    await upgrade();
    expect(Object.keys(snapshot())).not.toContain("package-lock.json");
  });
});
