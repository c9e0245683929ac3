import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { pythonPlugin, writeExecutable } from "../../e2e/support/plugins/executable-plugin.ts";
import { goldenHost } from "../../e2e/golden/golden-projects.ts";
import { useProjectFolder } from "../../e2e/support/projects/project-folder.ts";
import { dispatch } from "./start/main.ts";

const folder = useProjectFolder();
const { call, read, snapshot } = folder;
const has = (path: string): boolean => existsSync(join(folder.root, path));
const edit = (path: string, text: string): void => writeFileSync(join(folder.root, path), text);
const key = "paint.example.com/v1";
const init = "init --domain example.com --project-name shop";
const createOrder = "create api --group apps --version v1 --kind Order --make=false";
const deleteOrder = "delete api --group apps --version v1 --kind Order --make=false";

const hasPython = spawnSync("python3", ["-c", ""]).status === 0;

let plugins: string;
beforeEach(() => {
  plugins = mkdtempSync(join(tmpdir(), "tsbuilder-plugins-"));
  vi.stubEnv("EXTERNAL_PLUGINS_PATH", plugins);
  writeExecutable(plugins, key, pythonPlugin, ".py");
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(plugins, { recursive: true });
});

describe.skipIf(!hasPython)("a plugin in Python that speaks kubebuilder's protocol", () => {
  beforeEach(() => call(`${init} --plugins ${key} --color red`));

  test("writes and changes files of a new project", () => {
    expect(read("docs/color.md")).toBe("# Color\n\nred\n");
    expect(read("README.md")).toMatch(/\nPainted red\.\n$/u);
    expect(read("PROJECT")).toContain(`- ${key}\n`);
    expect(read("PROJECT")).toContain(`  ${key}:\n    executable: true\n`);
  });

  test("takes part in create api, with its flags", async () => {
    expect(await call("create api --help")).toContain("shade of the kind's page");
    const said = await call(`${createOrder} --shade 3`);
    expect(said).toContain("painted Order of example.com chain 2");
    expect(read("docs/order.md")).toBe("Order in shade 3\n");
    expect(read("docs/color.md")).toBe("# Color\n\nred\n\n## Order\n");
    await expect(call(`${createOrder} --shade dark`)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  });

  test("only shows its changes with --dry-run and --diff", async () => {
    const before = snapshot();
    expect(await call(`${createOrder} --dry-run`)).toContain("create docs/order.md");
    expect(await call(`${createOrder} --diff`)).toContain("+## Order");
    expect(snapshot()).toEqual(before);
  });

  test("loses what it did for a kind when the kind is deleted, without being asked", async () => {
    const before = snapshot();
    await call(createOrder);
    rmSync(join(plugins, key), { recursive: true });
    await call(deleteOrder);
    expect(snapshot()).toEqual(before);
  });

  test("keeps what the user wrote since into the same file", async () => {
    await call(createOrder);
    edit("docs/color.md", read("docs/color.md").replace("# Color", "# Colors"));
    await call(deleteOrder);
    expect(read("docs/color.md")).toBe("# Colors\n\nred\n");
  });

  test("does not take back what the user edited", async () => {
    await call(createOrder);
    edit("docs/color.md", read("docs/color.md").replace("## Order", "## Orders"));
    const before = snapshot();
    await expect(call(deleteOrder)).rejects.toMatchObject({
      code: "FILE_CHANGED",
      message: `you edited what plugin "${key}" wrote into "docs/color.md"`,
    });
    expect(snapshot()).toEqual(before);
    await call(`${deleteOrder} --keep`);
    expect(read("docs/color.md")).toContain("## Orders");
  });

  test("is removed with everything that it did", async () => {
    await call(createOrder);
    await call(`edit --remove-plugins ${key} --make=false`);
    const removed = snapshot();
    rmSync(folder.root, { recursive: true });
    await call(init).catch(() => undefined);
    expect([has("docs/order.md"), Object.keys(removed).includes("docs/color.md")]).toEqual([false, false]);
    expect(removed["README.md"]).not.toContain("Painted");
    expect(removed["PROJECT"]).not.toContain("plugins:");
  });

  test("runs again for an upgrade, and the user's edits are kept", async () => {
    await call(createOrder);
    await call("scaffold baseline");
    const baseline = new Map(
      Object.entries(snapshot())
        .filter(([path]) => path.startsWith("baseline/"))
        .map(([path, text]) => [path.slice("baseline/".length), text]),
    );
    expect(baseline.get("docs/color.md")).toBe(read("docs/color.md"));
    expect(baseline.get("README.md")).toBe(read("README.md"));
    writeExecutable(plugins, key, pythonPlugin.replace("Painted ", "Painted all "), ".py");
    edit("README.md", `Mine.\n${read("README.md")}`);
    const host = { ...goldenHost, version: () => "0.0.0-newer", baseline: async () => baseline };
    const ui = { print: () => undefined, note: () => undefined, isInteractive: false };
    await dispatch(["upgrade", "--skip-install", "--make=false"], folder.root, ui, host);
    expect(read("README.md")).toMatch(/^Mine\.\n[\s\S]*\nPainted all red\.\n$/u);
    expect(read("docs/order.md")).toBe("Order in shade 1\n");
  });

  test("is listed with its description", async () => {
    expect(await call("plugins"))
      .toContain(`${key} (${join(plugins, key)}/paint.example.com.py): used for the project
    pages in color`);
  });
});

describe("an executable that fails writes nothing", () => {
  const respond = (response: string): string => `#!/bin/sh\ncat >/dev/null\nprintf '%s' '${response}'\n`;
  const universe = (path: string): string => respond(JSON.stringify({ universe: { [path]: "evil\n" } }));

  test.each([
    ["reports an error", respond('{"error":true,"errorMsgs":["no","never"]}'), "failed: no; never"],
    ["reports no message", respond('{"error":true}'), "without a message"],
    ["exits with 3", "#!/bin/sh\necho broken >&2\nexit 3\n", "exited with 3"],
    ["says nothing", "#!/bin/sh\ncat >/dev/null\n", "with nothing"],
    ["says no JSON", respond("hello"), "with no JSON object: hello"],
    ["says a list", respond("[]"), "with no JSON object"],
    ["has another version", respond('{"apiVersion":"v2"}'), 'the apiVersion "v2"'],
    ["has files without texts", respond('{"universe":{"x":1}}'), "a universe that is not texts by path"],
    ["is no program", "#!/nowhere/at/all\n", "could not be run"],
    ["writes outside", universe("../x"), "is not a plain path"],
    ["writes PROJECT", universe("PROJECT"), "belongs to tsbuilder"],
    ["writes the record", universe(".tsbuilder/owned.json"), "belongs to tsbuilder"],
    ["writes git's hooks", universe(".git/hooks/pre-commit"), "in a folder of git"],
    ["writes below a file", universe("Makefile/x"), 'is below "Makefile"'],
    ["writes a folder", universe("src"), '"src" is a folder'],
    ["writes what it was not told", universe(".dockerignore.d/../.npmrc"), "is not a plain path"],
    ["writes npm's settings", universe(".npmrc"), "belongs to tsbuilder"],
  ])("if it %s", async (_, text, message) => {
    await folder.initialize();
    const before = snapshot();
    writeExecutable(plugins, "evil.example.com/v1", text);
    const failure = call("edit --plugins evil.example.com/v1 --make=false");
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toMatchObject({
      message: expect.stringMatching(/^plugin "evil\.example\.com\/v1": /u) as string,
    });
    expect(snapshot()).toEqual(before);
  });

  test.skipIf(!hasPython)("if it is gone, and the error says where it belongs", async () => {
    await call(`${init} --plugins ${key}`);
    rmSync(join(plugins, key), { recursive: true });
    const before = snapshot();
    await expect(call(createOrder)).rejects.toMatchObject({
      code: "NOT_FOUND",
      hint: expect.stringContaining(join(plugins, key)) as string,
    });
    expect(snapshot()).toEqual(before);
  });
});

test.skipIf(!hasPython)("its record does not lead out of the project", async () => {
  await call(`${init} --plugins ${key}`);
  const file = join(folder.root, ".tsbuilder/plugins.json");
  writeFileSync(file, readFileSync(file, "utf8").replaceAll("docs/color.md", "../color.md"));
  await expect(call("edit --enable prometheus")).rejects.toMatchObject({ code: "INVALID_PROJECT" });
});
