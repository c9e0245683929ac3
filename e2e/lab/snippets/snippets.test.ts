import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository } from "../../support/source-imports.ts";
import { openDefinition, webhookConfiguration } from "./project.ts";
import { readSnippets, type Snippet } from "./read-snippets.ts";
import { stages } from "./stages/index.ts";
import type { Stage } from "./stages/stage.ts";

// People copy what a README shows: every snippet compiles, and does what the README says.

const snippets = readSnippets();

/** Within the repository, where the packages are found. */
const project = join(repository, `node_modules/.cache/snippets-${process.pid}`);

interface Program extends Snippet {
  readonly title: string;
  readonly stage: Stage;
  readonly path: string;
}

const programs = Object.entries(stages).map(([words, stage], at): Program => {
  const [snippet, ...others] = snippets.filter(({ code }) => code.includes(words));
  if (!snippet || others.length > 0) throw new Error(`not one snippet has the words ${words}`);
  return {
    ...snippet,
    title: `${snippet.file}: ${snippet.code.split("\n")[0]!}`,
    stage,
    path: `src/controller/snippet${at}.ts`,
  };
});

beforeAll(async () => {
  const files = {
    ...Object.fromEntries(
      programs.map(({ path, code, stage: { before = "", after = "" } }) => [path, before + code + after]),
    ),
    "api/v1/mysql_types.ts": 'export { MySQL } from "../../src/given.ts";\n',
    "samples/mysql.yaml": JSON.stringify({
      apiVersion: "apps.example.com/v1",
      kind: "MySQL",
      metadata: { namespace: "default", name: "sample" },
      spec: {},
    }),
    "config/webhook/manifests.yaml": JSON.stringify(webhookConfiguration),
    ...Object.fromEntries(
      ["MySQL", "Shop", "Backup"].map((kind) => [
        `config/crd/bases/${kind}.yaml`,
        JSON.stringify(openDefinition(kind)),
      ]),
    ),
    "tsconfig.json": JSON.stringify({
      extends: join(repository, ".config/tsconfig.strict.json"),
      compilerOptions: {
        noEmit: true,
        allowImportingTsExtensions: true,
        rewriteRelativeImportExtensions: false,
      },
      include: ["src"],
    }),
    "package.json": JSON.stringify({ type: "module" }),
  };
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), content);
  }
  cpSync(join(import.meta.dirname, "given.ts"), join(project, "src/given.ts"));
  mkdirSync(join(project, "node_modules"), { recursive: true });
  symlinkSync(repository, join(project, "node_modules/tsbuilder"));
  if (Number(process.versions.node.split(".")[0]) < 22) {
    // The newest version of this package doesn't load here.
    mkdirSync(join(project, "node_modules/@kubernetes"), { recursive: true });
    symlinkSync(
      join(repository, "node_modules/client-node-1"),
      join(project, "node_modules/@kubernetes/client-node"),
    );
  }
  await bundlePrograms();
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

test("every snippet of the READMEs is tried", () => {
  const tried = new Set(programs.map(({ file, line }) => `${file}:${line}`));
  expect(snippets.map(({ file, line }) => `${file}:${line}`).filter((one) => !tried.has(one))).toEqual([]);
});

test("every snippet compiles", () => {
  const tsc = join(repository, "node_modules/typescript-native/bin/tsc");
  let output = "";
  try {
    execFileSync(process.execPath, [tsc, "-p", project], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    output = (error as { stdout: string }).stdout;
  }
  expect(output).toBe("");
});

test.each(programs.map((program) => [program.title, program] as const))(
  "%s …",
  async (_, { path, stage }) => {
    const child = spawn(process.execPath, [programOf(path), ...(stage.args ?? [])], {
      cwd: project,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [errors, [code]] = await Promise.all([
      text(child.stderr),
      once(child, "exit") as Promise<[number]>,
    ]);
    expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
  },
);

/** Bundles all snippets at once, with the code that they share in files of its own. */
async function bundlePrograms(): Promise<void> {
  for (const { path, stage } of programs) if (stage.quicker) shorten(join(project, path), stage.quicker);
  await build({
    entryPoints: programs.map(({ path }) => join(project, path)),
    outbase: project,
    outdir: join(project, "out"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    // A CommonJS module that is imported dynamically would have no named exports.
    external: ["yaml"],
    conditions: ["@tsbuilder/source"],
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    logLevel: "error",
  });
}

function programOf(path: string): string {
  return join(project, "out", path.replace(/\.ts$/, ".mjs"));
}

/** Replaces a part of a snippet. */
function shorten(path: string, [shown, run]: readonly [string, string]): void {
  const code = readFileSync(path, "utf8");
  if (!code.includes(shown)) throw new Error(`no snippet says ${shown}`);
  writeFileSync(path, code.replace(shown, run));
}
