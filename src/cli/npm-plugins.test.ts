import { execFileSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { goldenHost } from "../../e2e/golden/golden-projects.ts";
import { type PluginPackage, teamPlugin, writePlugin } from "../../e2e/support/plugins/plugin-package.ts";
import { useProjectFolder } from "../../e2e/support/projects/project-folder.ts";
import { complete } from "./completion/complete.ts";
import { dispatch } from "./start/main.ts";
import type { Host } from "./packages/host.ts";

const folder = useProjectFolder();
const { call, read, snapshot } = folder;
const has = (path: string): boolean => existsSync(join(folder.root, path));
const install = (plugin: PluginPackage): void =>
  writePlugin(join(folder.root, "node_modules", plugin.name), plugin);
const key = "team.example.com/v1";
const init = "init --domain example.com --project-name shop";
const createOrder = "create api --group apps --version v1 --kind Order --make=false";

beforeEach(() => install(teamPlugin));

/** The project's files, without the packages. */
function files(): Record<string, string> {
  return Object.fromEntries(Object.entries(snapshot()).filter(([path]) => !path.startsWith("node_modules/")));
}

describe("a plugin of an npm package", () => {
  beforeEach(() => call(`${init} --plugins tsbuilder-plugin-team --team storage`));

  test("contributes files and lines to a new project", () => {
    expect(read("docs/shop.md")).toBe("# shop\n\nOwned by storage.\n");
    expect(read("src/main.ts")).toContain('import { team } from "./team.ts";');
    expect(read("PROJECT")).toContain(`layout:
- typescript.tsbuilder.dev/v1
- ${key}
`);
    expect(read("PROJECT")).toContain(`plugins:
  ${key}:
    package: tsbuilder-plugin-team
    options:
      team: storage
`);
  });

  test("has its record in version control", () => {
    execFileSync("git", ["init", "--quiet"], { cwd: folder.root });
    execFileSync("git", ["add", "."], { cwd: folder.root });
    const tracked = execFileSync("git", ["ls-files", ".tsbuilder"], { cwd: folder.root, encoding: "utf8" });
    expect(tracked).toBe(".tsbuilder/owned.json\n.tsbuilder/plugins.json\n");
  });

  test("contributes to each kind, with options of its own, and to its webhooks", async () => {
    await call(`${createOrder} --tier gold`);
    await call("create webhook --group apps --version v1 --kind Order --defaulting --make=false");
    expect(read("docs/kinds/order.md")).toBe("# Order\n\nOf storage: gold.\n");
    expect(read("docs/webhooks/order.md")).toBe("# Webhooks\n");
    expect(read("PROJECT")).toMatch(
      / {4}- group: apps\n.*\n.*\n {6}kind: Order\n {6}options:\n {8}tier: gold\n/u,
    );
  });

  test("loses what it contributed to a kind when the kind is deleted", async () => {
    const before = files();
    await call(createOrder);
    await call("create webhook --group apps --version v1 --kind Order --defaulting --make=false");
    await call("edit --disable webhook,cert-manager --make=false").catch(() => undefined);
    await call("delete api --group apps --version v1 --kind Order --make=false");
    expect(has("docs/kinds/order.md")).toBe(false);
    expect(has("docs/webhooks/order.md")).toBe(false);
    expect(read("PROJECT")).not.toContain("tier");
    expect(Object.keys(files()).filter((path) => path.startsWith("docs/"))).toEqual(
      Object.keys(before).filter((path) => path.startsWith("docs/")),
    );
  });

  test("keeps what the user wrote into its files", async () => {
    await call(createOrder);
    writeFileSync(join(folder.root, "docs/kinds/order.md"), "# Order\n\nOf storage: silver.\n\nMine.\n");
    const edited = files();
    await expect(
      call("delete api --group apps --version v1 --kind Order --make=false"),
    ).rejects.toMatchObject({
      code: "FILE_CHANGED",
    });
    expect(files()).toEqual(edited);
    await call("edit --team billing --make=false");
    expect(read("docs/kinds/order.md")).toBe("# Order\n\nOf billing: silver.\n\nMine.\n");
  });

  test("changes its options by edit, and its files with them", async () => {
    await call("edit --team billing --make=false");
    expect(read("docs/shop.md")).toContain("Owned by billing.");
    expect(read("PROJECT")).toContain("edited: true");
    await expect(call("edit --team B1 --make=false")).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      hint: expect.stringContaining("^[a-z]+$") as string,
    });
  });

  test("only shows its files with --dry-run and --diff", async () => {
    const before = files();
    expect(await call(`${createOrder} --dry-run`)).toContain("create docs/kinds/order.md");
    expect(await call(`${createOrder} --diff`)).toContain("+Of storage: silver.");
    expect(files()).toEqual(before);
  });

  test("is removed with everything that it contributed", async () => {
    await call(createOrder);
    await call(`edit --remove-plugins ${key} --make=false`);
    const removed = files();
    rmSync(folder.root, { recursive: true });
    install(teamPlugin);
    await call(init);
    await call(createOrder);
    expect(removed).toEqual(files());
  });

  test("gives the same project in one step and in several", async () => {
    await call(createOrder);
    await call("edit --team billing --make=false");
    await call("edit --team storage --make=false");
    const { ".tsbuilder/plugins.json": _, ...scaffolded } = files();
    await call("scaffold fresh");
    const fresh = Object.entries(files()).filter(([path]) => path.startsWith("fresh/docs/"));
    expect(fresh.map(([path, text]) => [path.slice("fresh/".length), text])).toEqual(
      Object.entries(scaffolded).filter(([path]) => path.startsWith("docs/")),
    );
    expect(read("fresh/src/main.ts")).toBe(read("src/main.ts"));
  });

  test("refuses to work without its package, and says how to install it", async () => {
    await call(createOrder);
    const before = files();
    rmSync(join(folder.root, "node_modules"), { recursive: true });
    for (const line of ["delete api --group apps --version v1 --kind Order", "edit --enable prometheus"]) {
      await expect(call(line)).rejects.toMatchObject({
        code: "NOT_FOUND",
        message: 'plugin "tsbuilder-plugin-team" is not installed',
        hint: "install it: npm install --save-dev tsbuilder-plugin-team",
      });
    }
    expect(files()).toEqual(before);
    expect(await call("create api --help")).toContain("--cluster-scoped");
    await call(`edit --remove-plugins ${key} --make=false`);
    expect(has("docs/kinds/order.md")).toBe(false);
  });

  test("shows its flags in the help and completes them", async () => {
    expect(await call("create api --help")).toContain("how important the kind is");
    expect(await call("edit --help")).toContain("the team that owns the project");
    expect((await complete(["create", "api", "--"], folder.root)).join("\n")).toContain("--tier");
    expect(await complete(["create", "api", "--tier", ""], folder.root)).toEqual([
      "gold\thow important the kind is",
      "silver\thow important the kind is",
    ]);
    await expect(call(`${createOrder} --tier lead`)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("is listed", async () => {
    expect(await call("plugins")).toContain(`${key} (tsbuilder-plugin-team, 1.0.0): used for the project
    pages that say which team owns a kind`);
    const { plugins } = JSON.parse(await call("plugins --output json")) as { plugins: object[] };
    expect(plugins).toContainEqual(
      expect.objectContaining({ key, use: "project", contributes: ["init", "createApi", "createWebhook"] }),
    );
  });

  describe("in a newer version", () => {
    const newer = {
      ...teamPlugin,
      version: "1.1.0",
      code: teamPlugin.code.replace(/# (?=\$)/u, "# The kind "),
    };

    beforeEach(async () => {
      await call(createOrder);
      await call("scaffold baseline");
      // Another folder: Node loads a module once.
      rmSync(join(folder.root, "node_modules"), { recursive: true });
      writePlugin(join(folder.root, "node_modules", "newer"), newer);
      writeFileSync(
        join(folder.root, "PROJECT"),
        read("PROJECT").replace("package: tsbuilder-plugin-team", "package: ./node_modules/newer"),
      );
      await call("plugins allow");
    });

    const baseline = (): ReadonlyMap<string, string> =>
      new Map(
        Object.entries(snapshot())
          .filter(([path]) => path.startsWith("baseline/"))
          .map(([path, text]) => [path.slice("baseline/".length), text]),
      );

    async function upgrade(...flags: string[]): Promise<string> {
      const printed: string[] = [];
      const keep = (text: string): void => void printed.push(text);
      const host: Host = { ...goldenHost, baseline: async () => baseline() };
      const ui = { print: keep, note: keep, isInteractive: false };
      await dispatch(["upgrade", "--skip-install", "--make=false", ...flags], folder.root, ui, host);
      return printed.join("\n");
    }

    test("does not mix its changes with those of a command", async () => {
      await expect(call("edit --enable prometheus")).rejects.toMatchObject({
        message: `plugin "${key}": version 1.0.0 scaffolded its files, but 1.1.0 is installed`,
        hint: expect.stringContaining("tsbuilder upgrade") as string,
      });
    });

    test("applies them by upgrade, and keeps the user's edits", async () => {
      writeFileSync(join(folder.root, "docs/kinds/order.md"), `${read("docs/kinds/order.md")}\nMine.\n`);
      await upgrade();
      expect(read("docs/kinds/order.md")).toBe("# The kind Order\n\nOf storage: silver.\n\nMine.\n");
      await call("edit --enable prometheus --make=false");
      expect(read("docs/kinds/order.md")).toContain("# The kind Order");
      expect(await upgrade()).toContain("already at version");
    });
  });
});

test("a plugin for one kind only is not in the layout", async () => {
  await call(init);
  await call(`${createOrder} --plugins tsbuilder-plugin-team --tier gold`);
  await call("create api --group apps --version v1 --kind Bill --make=false");
  expect(has("docs/kinds/order.md")).toBe(true);
  expect([has("docs/kinds/bill.md"), has("docs/shop.md")]).toEqual([false, false]);
  expect(read("PROJECT")).not.toContain(`- ${key}`);
  await call("delete api --group apps --version v1 --kind Order --make=false");
  expect(has("docs/kinds/order.md")).toBe(false);
  expect(read("PROJECT")).not.toContain("plugins:");
});

test("a plugin is loaded from a folder, and chained with others", async () => {
  writePlugin(join(folder.root, "tools/second"), {
    name: "second",
    code: `export default { key: "second.example.com/v1-alpha", summary: "more", deprecated: "use third/v1",
      init: () => ({ files: [{ path: "SECOND.md", content: "2\\n" }] }) };`,
  });
  const said = await call(`${init} --plugins tsbuilder-plugin-team,./tools/second --team storage`);
  expect(said).toContain('plugin "second.example.com/v1-alpha" is deprecated: use third/v1');
  expect(read("PROJECT")).toContain(`- ${key}\n- second.example.com/v1-alpha\n`);
  expect(read("PROJECT")).toContain("package: ./tools/second");
  expect([has("SECOND.md"), has("docs/shop.md")]).toEqual([true, true]);
});

test("settings of other tools' plugins are kept", async () => {
  await call(init);
  const mine = "plugins:\n  helm.kubebuilder.io/v2-alpha:\n    manifests: dist/install.yaml\n";
  writeFileSync(join(folder.root, "PROJECT"), `${read("PROJECT")}${mine}`);
  await call(`edit --plugins tsbuilder-plugin-team --team storage --make=false`);
  await call(`edit --remove-plugins ${key} --make=false`);
  expect(read("PROJECT")).toContain(mine);
});
