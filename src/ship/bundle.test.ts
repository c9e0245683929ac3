import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { bundleOperator, watchableBundle } from "./bundle.ts";

test("a rebuild includes what was saved during the previous one", async () => {
  const project = mkdtempSync(join(tmpdir(), "tsbuilder-bundle-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  mkdirSync(join(project, "src"));
  const main = join(project, "src/main.ts");
  const outfile = join(project, "operator.mjs");
  writeFileSync(main, 'console.log("first");');
  const bundle = await watchableBundle(project, outfile);
  onTestFinished(() => bundle.close());
  await bundle.rebuild();

  for (let round = 0; round < 20; round += 1) {
    writeFileSync(main, "console.log(;");
    const broken = bundle.rebuild();
    broken.catch(() => undefined);
    // The bundler reads the file at some moment of its run; the edit comes before, during or after it.
    await new Promise((resolve) => setTimeout(resolve, round / 4));
    writeFileSync(main, `console.log("round ${round}");`);
    await bundle.rebuild();
    expect(readFileSync(outfile, "utf8")).toContain(`round ${round}`);
  }
});

test("a bundle that is rebuilt keeps our packages external if Node can resolve them", async () => {
  const project = mkdtempSync(join(tmpdir(), "tsbuilder-bundle-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  const write = (path: string, content: string): void => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), content);
  };
  for (const name of ["@tsbuilder/runtime", "other"]) {
    write(
      `node_modules/${name}/package.json`,
      JSON.stringify({ name, type: "module", exports: "./index.js" }),
    );
    write(`node_modules/${name}/index.js`, `export default "code of ${name}";`);
  }
  write(
    "src/main.ts",
    'import runtime from "@tsbuilder/runtime"; import other from "other"; console.log(runtime, other);',
  );
  const bundle = await watchableBundle(project, join(project, "operator.mjs"));
  onTestFinished(() => bundle.close());
  await bundle.rebuild();
  const text = readFileSync(join(project, "operator.mjs"), "utf8");
  expect(text).not.toContain("code of @tsbuilder/runtime");
  expect(text).toContain("code of other");
  expect(execFileSync(process.execPath, [join(project, "operator.mjs")], { encoding: "utf8" })).toBe(
    "code of @tsbuilder/runtime code of other\n",
  );

  rmSync(join(project, "node_modules/@tsbuilder"), { recursive: true });
  await expect(bundle.rebuild()).rejects.toMatchObject({
    message: 'Could not resolve "@tsbuilder/runtime"',
    hint: expect.stringMatching(/npm install; .*: npm install @tsbuilder\/runtime$/u) as string,
    at: { file: "src/main.ts", line: 1, column: 21 },
  });
  write("src/main.ts", 'import "other/nothing";');
  await expect(bundle.rebuild()).rejects.toMatchObject({
    hint: '"other" is installed, and has no such module: fix the path',
  });
  write("src/main.ts", 'import "./nowhere.ts";');
  await expect(bundle.rebuild()).rejects.toMatchObject({
    hint: "fix the source; nothing was written",
  });
});

test("a bundle has the licenses of the packages in it beside it", async () => {
  const project = mkdtempSync(join(tmpdir(), "tsbuilder-bundle-"));
  onTestFinished(() => rmSync(project, { recursive: true, force: true }));
  for (const name of ["used", "unused"]) {
    const folder = join(project, "node_modules", name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version: "1.2.3", license: "MIT" }));
    writeFileSync(join(folder, "index.js"), `export const name = "${name}";`);
    writeFileSync(join(folder, "LICENSE"), `The license of ${name}`);
  }
  mkdirSync(join(project, "src"));
  writeFileSync(join(project, "src/main.ts"), 'import { name } from "used"; console.log(name);');
  await bundleOperator(project, join(project, "dist/main.js"));
  const licenses = readFileSync(join(project, "dist/third-party-licenses.txt"), "utf8");
  expect(licenses).toContain("used 1.2.3 (MIT)\n\nThe license of used\n");
  expect(licenses).not.toContain("unused");
});

test.each([
  ["ENOTDIR", "dist", (path: string) => writeFileSync(path, "")],
  ["EISDIR", "dist/main.js", (path: string) => mkdirSync(path, { recursive: true })],
])(
  "a bundle that can't be written fails with %s, which no source is blamed for",
  async (code, path, obstruct) => {
    const project = mkdtempSync(join(tmpdir(), "tsbuilder-bundle-"));
    onTestFinished(() => rmSync(project, { recursive: true, force: true }));
    mkdirSync(join(project, "src"));
    writeFileSync(join(project, "src/main.ts"), "console.log(1);");
    obstruct(join(project, path));
    await expect(bundleOperator(project, join(project, "dist/main.js"))).rejects.toMatchObject({
      code,
      path: expect.stringContaining(join(project, "dist/main.js")) as string,
    });
  },
);
