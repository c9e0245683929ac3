import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { writePlugin } from "../../e2e/support/plugin-package.ts";
import { useProjectFolder } from "../../e2e/support/project-folder.ts";
import { complete } from "./complete.ts";

// One file, as all cases are one table of what a plugin may try, by the same few helpers.
const folder = useProjectFolder();
const { call, read, snapshot } = folder;

const plugin = (body: string): string =>
  `export default { key: "evil.example.com/v1", summary: "evil", ${body} };`;
const initWith = (contribution: string): string => plugin(`init: () => (${contribution})`);
const file = (path: string, more = ""): string =>
  initWith(`{ files: [{ path: ${JSON.stringify(path)}, content: "evil\\n" ${more} }] }`);

const choose = async (code: string, files: Record<string, string> = {}): Promise<string> => {
  writePlugin(join(folder.root, "tools/evil"), { name: "evil", code, files });
  return call("edit --plugins ./tools/evil --make=false");
};

/** All but the plugin itself. */
const others = (): Record<string, string> =>
  Object.fromEntries(Object.entries(snapshot()).filter(([path]) => !path.startsWith("tools/")));

beforeEach(() => folder.initialize());

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

describe("a plugin that is broken is an error with its name", () => {
  test.each([
    ["it throws", plugin("init() { throw new Error('no') }"), "init() failed: no"],
    ["it throws no error", plugin("init() { throw undefined }"), "init() failed: undefined"],
    ["it rejects", plugin("init: () => Promise.reject(new TypeError('late'))"), "init() failed: late"],
    ["it returns a number", initWith("7"), "what init() returned is not an object"],
    ["it returns a list", initWith("[]"), "what init() returned is not an object"],
    ["it returns a cycle", plugin("init() { const a = {}; a.files = a; return a }"), "is not plain data"],
    ["its fields throw", initWith("{ get files() { throw new Error('got you') } }"), "is not plain data"],
    ["it returns unknown fields", initWith("{ generated: ['src/main.ts'] }"), 'unknown field "generated"'],
    ["its files are text", initWith("{ files: 'x' }"), "has files that are not a list"],
    [
      "a file has no text",
      initWith("{ files: [{ path: 'x.md' }] }"),
      'what init() returned.files[0] has no text "content"',
    ],
    ["an owner is unknown", file("x.md", ", ownership: 'nobody'"), "has an ownership that is neither"],
    [
      "a file is below a file",
      initWith("{ files: ['a', 'a/b'].map((path) => ({ path, content: '' })) }"),
      '"a" is the folder of "a/b"',
    ],
    [
      "a file comes twice",
      initWith("{ files: ['a', 'b'].map((content) => ({ path: 'x.md', content })) }"),
      'has "x.md" twice',
    ],
    [
      "it is huge",
      initWith("{ files: [{ path: 'x.md', content: 'x'.repeat(11e6) }] }"),
      "more than 10000000",
    ],
    [
      "it has too many files",
      initWith("{ files: Array.from({ length: 1001 }, (_, i) => ({ path: `${i}.md`, content: '' })) }"),
      "more than 1000",
    ],
    [
      "it inserts nothing",
      initWith("{ inserts: [{ file: 'src/main.ts', marker: 'imports', text: ' ' }] }"),
      "inserts nothing",
    ],
    [
      "it inserts an open string",
      initWith("{ inserts: [{ file: 'src/main.ts', marker: 'imports', text: '`' }] }"),
      "could not be found again",
    ],
    [
      "it inserts an open comment",
      initWith("{ inserts: [{ file: 'src/main.ts', marker: 'imports', text: 'f(); /*' }] }"),
      "could not be found again",
    ],
    [
      "it inserts a comment alone",
      initWith("{ inserts: [{ file: 'src/main.ts', marker: 'imports', text: '// hello' }] }"),
      "could not be found again",
    ],
    [
      "it inserts a marker",
      initWith(
        "{ inserts: [{ file: 'src/main.ts', marker: 'imports', text: '// +tsbuilder:scaffold:imports' }] }",
      ),
      "inserts a marker",
    ],
    [
      "it inserts at nonsense",
      initWith("{ inserts: [{ file: 'src/main.ts', marker: '.*', text: 'x' }] }"),
      'has the marker ".*"',
    ],
    [
      "it inserts into PROJECT",
      initWith("{ inserts: [{ file: 'PROJECT', marker: 'imports', text: 'x' }] }"),
      "belongs to tsbuilder",
    ],
    [
      "it inserts into nothing",
      initWith("{ inserts: [{ file: 'gone.ts', marker: 'imports', text: 'x' }] }"),
      '"gone.ts", which does not exist',
    ],
    ["it has no templates", initWith("{ parts: [{ templates: 'x' }] }"), "has no folder of templates"],
    [
      "it reads templates elsewhere",
      plugin("templates: 'templates', init: () => ({ parts: [{ templates: '../../../..' }] })"),
      "outside of its package",
    ],
    [
      "its templates are elsewhere",
      plugin("templates: '/etc', init: () => ({ parts: [{ templates: '.' }] })"),
      "outside of its package",
    ],
    [
      "its templates are on the net",
      plugin("templates: new URL('http://localhost/'), init: () => ({ parts: [{ templates: '.' }] })"),
      "not the URL of a folder",
    ],
    [
      "a template has unknown words",
      plugin("templates: 'templates', init: () => ({ parts: [{ templates: 'words' }] })"),
      '"word" not defined',
    ],
    [
      "a template leads out",
      plugin(
        "templates: 'templates', init: () => ({ parts: [{ templates: 'paths', context: { path: '../../x' } }] })",
      ),
      "is not a plain path",
    ],
    ["it is not found", "import 'nowhere';", "can't be loaded"],
    ["it is no JavaScript", "export default {", "can't be loaded"],
    ["it awaits", "await 1; export default {};", "it awaits at its top level"],
    ["it exports nothing", "export const x = 1;", 'no "key"'],
    ["its key is wrong", `export default { key: "Evil", summary: "x" };`, 'invalid plugin key "Evil"'],
    [
      "its key is ours",
      `export default { key: "typescript.tsbuilder.dev/v1", summary: "x" };`,
      "is the key of tsbuilder itself",
    ],
    ["a function is misspelt", plugin("createAPI: () => ({})"), 'did it mean "createApi"?'],
    ["a function is none", plugin("init: 7"), 'its "init" is not a function'],
    [
      "a flag has no type",
      plugin("flags: { x: { summary: 'x', commands: ['edit'] } }"),
      "its flag --x has no type",
    ],
    [
      "a flag is short",
      plugin("flags: { x: { type: 'string', summary: 'x', short: 'o', commands: ['edit'] } }"),
      'its flag --x has the unknown field "short"',
    ],
    [
      "a flag has no command",
      plugin("flags: { x: { type: 'string', summary: 'x', commands: ['run'] } }"),
      'its flag --x needs "commands"',
    ],
    [
      "a flag is one of ours",
      plugin("flags: { force: { type: 'boolean', summary: 'x', commands: ['edit'] } }"),
      "its flag --force is also one of tsbuilder",
    ],
  ])("if %s", async (_, code, message) => {
    const before = others();
    const failure = choose(code, {
      "templates/words/x.md.hbs": "{{word}}",
      "templates/paths/{{path}}.hbs": "x",
    });
    await expect(failure).rejects.toMatchObject({
      name: "TsbuilderError",
      message: expect.stringMatching(/^plugin "(?:evil\.example\.com\/v1|\.\/tools\/evil)": /u) as string,
    });
    await expect(failure).rejects.toThrow(message);
    expect(others()).toEqual(before);
  });

  test("if another plugin took its place", async () => {
    await choose(file("x.md"));
    writePlugin(join(folder.root, "tools/other"), {
      name: "evil",
      code: file("x.md").replace("evil.example", "other.example"),
    });
    writeFileSync(join(folder.root, "PROJECT"), read("PROJECT").replace("./tools/evil", "./tools/other"));
    await expect(call("edit --enable prometheus")).rejects.toMatchObject({
      code: "REFUSED",
      message: expect.stringContaining('is now the plugin "other.example.com/v1"') as string,
    });
  });

  test.each([
    ["nonsense", "INVALID_NAME"],
    ["gone.example.com/v1", "NOT_FOUND"],
    ["./nowhere", "NOT_FOUND"],
    ["tsbuilder-plugin-gone", "NOT_FOUND"],
    ["helm/v2-alpha", "INVALID_ARGUMENT"],
    ["go.kubebuilder.io/v4", "INVALID_ARGUMENT"],
  ])("if there is no %s", async (name, code) => {
    await expect(call(`edit --plugins ${name}`)).rejects.toMatchObject({ code });
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
