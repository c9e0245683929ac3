import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { goldenHost } from "../../../e2e/golden/golden-projects.ts";
import { type PluginPackage, teamPlugin, writePlugin } from "../../../e2e/support/plugins/plugin-package.ts";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { complete } from "../../cli/completion/complete.ts";
import { dispatch } from "../../cli/start/main.ts";

const folder = useProjectFolder();
const { call, read } = folder;
const key = "team.example.com/v1";
const createOrder = "create api --group apps --version v1 --kind Order --make=false";

/** The plugin leaves a file wherever it is loaded. */
const spy: PluginPackage = {
  ...teamPlugin,
  code: `import { writeFileSync } from "node:fs";
writeFileSync(new URL("../../ran", import.meta.url), "");
${teamPlugin.code}`,
};
const hasRun = (): boolean => {
  const file = join(folder.root, "ran");
  const ran = readFileSyncIfAny(file) !== undefined;
  rmSync(file, { force: true });
  return ran;
};
const readFileSyncIfAny = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
};

/** What a clone brings: a project that uses the plugin, which nobody here has allowed. */
async function clone(source: string, path: string): Promise<void> {
  await folder.initialize();
  writePlugin(join(folder.root, path), spy);
  const uses = `plugins:\n  ${key}:\n    package: ${source}\n    options:\n      team: storage\n`;
  const layout = read("PROJECT").replace(/^layout:\n(- .*\n)/mu, `layout:\n$1- ${key}\n`);
  writeFileSync(join(folder.root, "PROJECT"), `${layout}${uses}`);
}

describe.each([
  ["./tools/team", "tools/team"],
  ["tsbuilder-plugin-team", "node_modules/tsbuilder-plugin-team"],
])("the code of the plugin %s, which came with a clone,", (source, path) => {
  beforeEach(() => clone(source, path));

  test.each(["create api --help", "edit --help", "help create webhook", "plugins", "plugins --output json"])(
    "is not run by %s",
    async (line) => {
      await call(line);
      expect(hasRun()).toBe(false);
    },
  );

  test.each([
    `${createOrder} --dry-run`,
    `${createOrder} --diff`,
    createOrder,
    "edit --enable prometheus",
    "upgrade --dry-run",
    "chart --dry-run",
  ])("is not run by %s, which says what to type", async (line) => {
    await expect(call(line)).rejects.toMatchObject({
      code: "CODE_NOT_ALLOWED",
      message: `the code of "${source}" in "${join(folder.root, path)}" may not run before you allow it`,
      hint: expect.stringContaining(`tsbuilder plugins allow ${source}`) as string,
    });
    expect(hasRun()).toBe(false);
  });

  test("is not run by TAB", async () => {
    expect((await complete(["create", "api", "--"], folder.root)).join("\n")).not.toContain("--tier");
    expect(hasRun()).toBe(false);
  });

  test("is listed by what its package says", async () => {
    expect(await call("plugins")).toContain(`${key} (${source}, 1.0.0): used for the project
    its code may not run yet: tsbuilder plugins allow ${source}`);
  });

  test.each(["", ` ${key}`, ` ${source}`])(
    "runs after plugins allow%s, until a file changes",
    async (names) => {
      await call(`plugins allow${names}`);
      expect(hasRun()).toBe(false);
      await call(`${createOrder} --dry-run`);
      expect(hasRun()).toBe(true);
      expect(await call("create api --help")).toContain("--tier");
      writeFileSync(join(folder.root, path, "templates/project/docs/more.md.hbs"), "");
      await expect(call(createOrder)).rejects.toMatchObject({ code: "CODE_NOT_ALLOWED" });
    },
  );

  test("may not run in a copy of the folder", async () => {
    await call("plugins allow");
    renameSync(folder.root, `${folder.root}-copy`);
    try {
      mkdirSync(folder.root);
      await expect(
        dispatch(createOrder.split(" "), `${folder.root}-copy`, silent, goldenHost),
      ).rejects.toMatchObject({ code: "CODE_NOT_ALLOWED" });
    } finally {
      rmSync(`${folder.root}-copy`, { recursive: true });
    }
  });
});

test("plugins allow fails where there is no folder to remember it in", async () => {
  await clone("./tools/team", "tools/team");
  writeFileSync(join(folder.root, "file"), "");
  vi.stubEnv("XDG_STATE_HOME", join(folder.root, "file/state"));
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(call("plugins allow")).rejects.toMatchObject({
    code: "REFUSED",
    message: expect.stringContaining(join(folder.root, "file")) as string,
    hint: expect.stringContaining("XDG_STATE_HOME") as string,
  });
  expect(hasRun()).toBe(false);
});

const silent = { print: () => undefined, note: () => undefined, isInteractive: false };

test("a key allows no package, and runs only the allowed one in whose code it stands", async () => {
  await folder.initialize();
  writePlugin(join(folder.root, "node_modules/tsbuilder-plugin-team"), teamPlugin);
  writePlugin(join(folder.root, "node_modules/tsbuilder-plugin-spy"), {
    ...spy,
    name: "tsbuilder-plugin-spy",
    code: spy.code.replaceAll("team.example.com", "spy.example.com"),
  });
  const choose = `edit --plugins ${key} --team storage --make=false`;
  await expect(call(choose)).rejects.toMatchObject({
    code: "CODE_NOT_ALLOWED",
    hint: expect.stringContaining("tsbuilder plugins allow tsbuilder-plugin-team") as string,
  });
  await call("plugins allow tsbuilder-plugin-team");
  await call(choose);
  expect(read("docs/shop.md")).toContain("storage");
  expect(hasRun()).toBe(false);
});

describe("the entry that package.json names", () => {
  const name = (entry: object): void =>
    writeFileSync(
      join(folder.root, "tools/team/package.json"),
      JSON.stringify({ name: "x", version: "1.0.0", type: "module", ...entry }),
    );
  beforeEach(async () => {
    await clone("./tools/team", "tools/team");
    mkdirSync(join(folder.root, "tools/team/dist"));
  });

  test.each(["./dist", "dist/", "dist/index", "./dist/index.js"])(
    "is found as Node does: %s",
    async (main) => {
      writeFileSync(join(folder.root, "tools/team/dist/index.js"), teamPlugin.code);
      name({ main });
      await call("plugins allow");
      expect(await call("plugins")).toContain(`${key} (./tools/team, 1.0.0): used for the project`);
    },
  );

  test.each([
    { main: "./dist" },
    { exports: "./dist" },
    { exports: "../entry.js" },
    { main: "../".repeat(20) + "dev/zero" },
    { main: "./linked.js" },
    { main: "." },
    { main: "" },
    { main: "a\0b" },
  ])("is a file of the package, or the plugin is broken: %j", async (entry) => {
    rmSync(join(folder.root, "tools/team/index.js"), { force: true });
    writeFileSync(join(folder.root, "tools/entry.js"), teamPlugin.code);
    symlinkSync("../entry.js", join(folder.root, "tools/team/linked.js"));
    name(entry);
    expect(await call("plugins")).toContain("which its package.json names");
    await expect(call("plugins allow")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

test.skipIf(process.getuid?.() === 0)("a plugin with a file that can't be read is broken", async () => {
  await clone("./tools/team", "tools/team");
  writeFileSync(join(folder.root, "tools/team/secret"), "", { mode: 0o000 });
  expect(await call("plugins")).toContain("its files can't be read: EACCES");
});

test("a link in a plugin is not followed, and counts as a file", async () => {
  await clone("./tools/team", "tools/team");
  symlinkSync("/", join(folder.root, "tools/team/root"));
  await call("plugins allow");
  rmSync(join(folder.root, "tools/team/root"));
  await expect(call(createOrder)).rejects.toMatchObject({ code: "CODE_NOT_ALLOWED" });
});

test.each([
  ["./tools/team", "tools/team", "node_modules/dependency", false],
  ["./tools/team", "tools/team", "lib/node_modules/own", false],
  ["./tools/team", "tools/team", ".git", true],
  ["tsbuilder-plugin-team", "node_modules/tsbuilder-plugin-team", "node_modules/dependency", true],
  ["tsbuilder-plugin-team", "node_modules/tsbuilder-plugin-team", "lib/node_modules/own", false],
  ["tsbuilder-plugin-team", "node_modules/tsbuilder-plugin-team", "lib/.git", false],
])("%s stays allowed when %s has another %s: %s", async (source, path, below, staysAllowed) => {
  await clone(source, path);
  const changed = join(folder.root, path, below);
  mkdirSync(changed, { recursive: true });
  writeFileSync(join(changed, "index.js"), "1");
  await call("plugins allow");
  writeFileSync(join(changed, "index.js"), "2");
  expect((await call("plugins")).includes("its code may not run yet")).toBe(!staysAllowed);
});

test("a file with the text of a link's target is not that link", async () => {
  await clone("./tools/team", "tools/team");
  const path = join(folder.root, "tools/team/same.js");
  symlinkSync("index.js", path);
  await call("plugins allow");
  rmSync(path);
  writeFileSync(path, "index.js");
  await expect(call(createOrder)).rejects.toMatchObject({ code: "CODE_NOT_ALLOWED" });
});
