import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { file, initWith, plugin, useEvilFolder } from "../../e2e/support/plugins/evil-plugin.ts";
import { writePlugin } from "../../e2e/support/plugins/plugin-package.ts";
import { complete } from "./completion/complete.ts";

const { folder, choose, others } = useEvilFolder();
const { call, read } = folder;

describe("a plugin may not write", () => {
  test.each([
    ["../outside.txt", "is not a plain path inside of the project"],
    ["docs/../../outside.txt", "is not a plain path inside of the project"],
    ["/tmp/outside.txt", "is not a plain path inside of the project"],
    ["./README.md", "is not a plain path inside of the project"],
    ["docs//x.md", "is not a plain path inside of the project"],
    ["..\\outside.txt", "characters that not all systems allow"],
    ["C:/outside.txt", "characters that not all systems allow"],
    ["x\0.md", "characters that not all systems allow"],
    ["PROJECT", "belongs to tsbuilder, npm or git"],
    ["project", "belongs to tsbuilder, npm or git"],
    ["PROJECT/x.md", "belongs to tsbuilder, npm or git"],
    [".tsbuilder/owned.json", "belongs to tsbuilder, npm or git"],
    [".tsbuilder/stage/journal.json", "belongs to tsbuilder, npm or git"],
    [".TSBUILDER/plugins.json", "belongs to tsbuilder, npm or git"],
    ["package.json", "belongs to tsbuilder, npm or git"],
    [".git/hooks/pre-commit", "is in a folder of git or npm"],
    ["docs/.GIT/config", "is in a folder of git or npm"],
    ["node_modules/typescript/index.js", "is in a folder of git or npm"],
    ["vendor/tsbuilder-runtime-1.tgz", "belongs to tsbuilder, npm or git"],
    ["PROJECT.", "a name that ends with a dot"],
    ["git~1/hooks/pre-commit", "characters that not all systems allow"],
    [".g\u200cit/hooks/pre-commit", "characters that not all systems allow"],
    [".t\u017fbuilder/owned.json", "belongs to tsbuilder, npm or git"],
    ["docs/aux.md", "a name that Windows reserves"],
    ["", "is empty or too long"],
    ["x/".repeat(300), "is empty or too long"],
    ["src/main.ts", "is a file of tsbuilder"],
    ["SRC/Main.ts", "is a file of tsbuilder"],
    ["src", "exists, and it did not write it"],
    ["Makefile/x.md", `is below "Makefile", which is a file`],
    ["mine.md", "exists, and it did not write it"],
    ["mine", "exists, and it did not write it"],
  ])("%j", async (path, message) => {
    writeFileSync(join(folder.root, "mine.md"), "mine\n");
    mkdirSync(join(folder.root, "mine"));
    const before = others();
    for (const more of ["", ', ownership: "generated"']) {
      await expect(choose(file(path, more))).rejects.toMatchObject({
        code: "REFUSED",
        message: expect.stringMatching(/^plugin "evil\.example\.com\/v1": /u) as string,
      });
      await expect(call("edit --plugins ./tools/evil --force --make=false")).rejects.toThrow(message);
    }
    expect(others()).toEqual(before);
  });

  test("when its code came with the project and somebody presses TAB", async () => {
    await choose(plugin(""));
    writePlugin(join(folder.root, "tools/other"), {
      name: "evil",
      code: `globalThis.isEvilLoaded = true;\n${plugin("")}`,
      files: {},
    });
    writeFileSync(join(folder.root, "PROJECT"), read("PROJECT").replace("tools/evil", "tools/other"));
    expect(await complete(["create", "api", "--"], folder.root)).toContainEqual(
      expect.stringContaining("--kind"),
    );
    expect(await complete(["edit", "--plugins", "./tools/other", "--"], folder.root)).not.toEqual([]);
    expect(globalThis).not.toHaveProperty("isEvilLoaded");
  });

  test("through a symbolic link", async () => {
    const outside = mkdtempSync(join(tmpdir(), "outside-"));
    onTestFinished(() => rmSync(outside, { recursive: true }));
    symlinkSync(outside, join(folder.root, "docs"));
    await expect(choose(file("docs/x.md"))).rejects.toMatchObject({
      code: "REFUSED",
      message: expect.stringContaining("is a symbolic link that leads out of it") as string,
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  test("the files of another plugin", async () => {
    writePlugin(join(folder.root, "tools/first"), {
      name: "first",
      code: `export default { key: "first.example.com/v1", summary: "first", init: () => ({ files: [{ path: "FIRST.md", content: "1" }] }) };`,
    });
    await call("edit --plugins ./tools/first --make=false");
    const before = others();
    await expect(choose(file("first.md"))).rejects.toThrow('is a file of plugin "first.example.com/v1"');
    expect(others()).toEqual(before);
  });
});

test("lines that were there before do not go with a plugin", async () => {
  const main = read("src/main.ts");
  await choose(
    initWith(
      "{ inserts: [{ file: 'src/main.ts', marker: 'setup', text: 'await manager.start();' }], files: [{ path: 'x.md', content: '' }] }",
    ),
  );
  await call("edit --remove-plugins evil.example.com/v1 --make=false");
  expect(read("src/main.ts")).toBe(main);
});

test("what a plugin changes in its input is lost", async () => {
  await choose(
    plugin(
      `init({ project, options }) { project.domain = "evil"; project.resources.push({}); options.x = 1; return {} }`,
    ),
  );
  expect(read("PROJECT")).toContain("domain: example.com");
  expect(read("PROJECT")).not.toMatch(/: evil\n|options/u);
});
