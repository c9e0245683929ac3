import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { file, initWith, plugin, useEvilFolder } from "../../e2e/support/plugins/evil-plugin.ts";
import { writePlugin } from "../../e2e/support/plugins/plugin-package.ts";

const { folder, choose, others } = useEvilFolder();
const { call, read } = folder;

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
    await call("plugins allow ./tools/other");
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
    ["kustomize.common.kubebuilder.io/v2", "INVALID_ARGUMENT"],
    ["deploy-image.go.kubebuilder.io/v1-alpha", "INVALID_ARGUMENT"],
    ["autoupdate.kubebuilder.io/v1-alpha", "INVALID_ARGUMENT"],
    ["mine.kubebuilder.io/v1", "NOT_FOUND"],
  ])("if there is no %s", async (name, code) => {
    await expect(call(`edit --plugins ${name}`)).rejects.toMatchObject({ code });
  });
});
