import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readSnippets } from "../../lab/snippets/read-snippets.ts";
import { initProject } from "../../support/projects/init-project.ts";
import { run, type Shell } from "../../support/shell.ts";

// `tsbuilder/scaffold` and `tsbuilder/generators` as packed: the CLI of the guide, on the package that a project installs.

let project: Shell;

beforeAll(async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "tsbuilder-library-")), "shop");
  mkdirSync(folder);
  project = { folder, env: {} };
  await initProject(project);
});
afterAll(() => rmSync(join(project.folder, ".."), { recursive: true, force: true }));

const { code } = readSnippets().find((snippet) => snippet.code.includes("export async function start(root"))!;
const write = (path: string, text: string): void => writeFileSync(join(project.folder, path), text);

test("the guide's CLI compiles and writes its files", async () => {
  write("src/own-cli.ts", code);
  await run(project, "npx", "--no-install", "tsc", "--noEmit");
  write(
    "own-cli.mjs",
    `${transformSync(code, { loader: "ts" }).code}\nconsole.log(await start(process.cwd()));\n`,
  );
  expect((await run(project, "node", "own-cli.mjs")).stdout).toBe("[]\n");
  expect(readFileSync(join(project.folder, "docs/intro.md"), "utf8")).toBe("# Introduction\n");
});
