import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Plugin, build as bundle, transformSync } from "esbuild";
import { precompiledTemplates } from "../scaffold/build/precompile.ts";
import { describeLicenses, licensesFile } from "../shared/third-party-licenses.ts";
import { readCommit } from "./commit.ts";
import { findOwnPackage } from "./own-package.ts";
import { libraryFolders, readCli, readLibraries } from "./own-sources.ts";
import { type PackageSource, packSiblings } from "./pack.ts";

/**
 * Turns the modules of a bundle into scripts: their compiled code can be kept, which Node 20 does for no module. A script
 * is a function of `exports`, `module`, `require` and `__url`: see `Scripts` in src/cli/start.
 */
export function toScripts(folder: string): void {
  const modules = readdirSync(folder).filter((name) => name.endsWith(".js"));
  for (const name of modules) {
    const path = join(folder, name);
    writeFileSync(path.replace(/\.js$/u, ".cjs"), toScript(readFileSync(path, "utf8"), modules));
    rmSync(path);
  }
}

/** Node's own modules that take milliseconds to load, where most commands need none of their functions. */
const seldomUsed =
  /^( *var \w+ = )(?:\(0, \w+\.__require\)|__require|require)\("(?:node:)?(child_process|crypto)"\);$/gmu;

/** The whole of a module by which esbuild imports a CommonJS module later: its exports are that module's, as in Node. */
const wrappedScript = /^export default (require_\w+\(\));$/mu;

/** A module as a script: it requires what the module imports, at once or later. */
function toScript(module: string, modules: readonly string[]): string {
  const { code } = transformSync(module.replace(wrappedScript, "module.exports = $1;"), {
    format: "cjs",
    platform: "node",
    target: "node20",
    supported: { "dynamic-import": false },
    define: { "import.meta.url": "__url", "import.meta.resolve": "require.resolve" },
    logLevel: "error",
  });
  const linked = code.replaceAll(/\brequire\("\.\/([\w-]+\.js)"\)/gu, (written, name: string) =>
    modules.includes(name) ? `require("./${name.replace(/js$/u, "cjs")}")` : written,
  );
  const body = linked
    .replaceAll(seldomUsed, '$1require.later("node:$2");')
    // A copy of the exports would be one more call wherever one script uses another.
    .replace("__toCommonJS(stdin_exports)", '__defProp(stdin_exports, "__esModule", { value: true })');
  return `(function (exports, module, require, __url) {${body}\n})`;
}

/** Builds everything that is published: compiled packages, the bundled CLI, and the tarballs of our packages. */
const root = findOwnPackage().folder;

await step("compile the packages", () =>
  run("node_modules/typescript-native/bin/tsc", ["-b", ...libraryFolders]),
);

await step("bundle the CLI", bundleCli);

await step("bundle what others build on", bundleLibrary);

await step("pack the tarballs", packAll);

/** Each command becomes its own script, loaded on demand; large dependencies that few commands need stay external. */
async function bundleCli(): Promise<void> {
  rmSync(join(root, "dist/cli"), { recursive: true, force: true });
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: ["src/cli/start/main.ts"],
    outdir: "dist/cli",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    conditions: ["@tsbuilder/source"],
    external: ["esbuild"],
    define: { TSBUILDER_COMMIT: JSON.stringify(readCommit(root)) ?? "undefined" },
    legalComments: "linked",
    logLevel: "warning",
    metafile: true,
    plugins: [replaceTemplates(precompiledTemplates())],
  });
  toScripts(join(root, "dist/cli"));
  await bundle({
    absWorkingDir: root,
    entryPoints: ["src/cli/start/start.ts"],
    outfile: "dist/cli/start.cjs",
    bundle: true,
    format: "cjs",
    define: { "import.meta.url": "__url" },
    banner: { js: 'const __url = require("node:url").pathToFileURL(__filename).href;' },
    platform: "node",
    target: "node20",
  });
  const page = await bundlePage();
  // The parser is cut out of TypeScript, and has left its package.
  const inputs = [...Object.keys(metafile.inputs), ...page, "node_modules/typescript/lib/typescript.js"];
  const licenses = describeLicenses(root, inputs);
  copyFileSync(join(root, "src/cli/output.schema.json"), join(root, "dist/cli/output.schema.json"));
  writeFileSync(join(root, "dist/cli", licensesFile), licenses);
}

/** The page of `tsbuilder dev`; returns what it consists of. */
async function bundlePage(): Promise<string[]> {
  const outdir = join(root, "dist/cli/page");
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: [
      { in: "src/dashboard/main.tsx", out: "page" },
      { in: "src/dashboard/page.css", out: "page" },
    ],
    outdir,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    conditions: ["@tsbuilder/source"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
  });
  copyFileSync(join(root, "src/dashboard/page.html"), join(outdir, "page.html"));
  return Object.keys(metafile.inputs);
}

/** `tsbuilder/scaffold` and `tsbuilder/generators`, with their types. What the projects have installed stays outside. */
async function bundleLibrary(): Promise<void> {
  const folder = join(root, "dist/lib");
  rmSync(folder, { recursive: true, force: true });
  run("node_modules/typescript-native/bin/tsc", ["-p", ".config/tsconfig.library.json"]);
  keepReachable(folder, ["plugins/library.d.ts", "generators/library.d.ts"]);
  const { metafile } = await bundle({
    absWorkingDir: root,
    entryPoints: { scaffold: "src/plugins/library.ts", generators: "src/generators/library.ts" },
    outdir: "dist/lib",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["esbuild", "@tsbuilder/*"],
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
    plugins: [replaceTemplates("export const compiledTemplates = () => [];")],
  });
  const inputs = [...Object.keys(metafile.inputs), "node_modules/typescript/lib/typescript.js"];
  writeFileSync(join(folder, licensesFile), describeLicenses(root, inputs));
}

/** Removes the declarations of a folder that no entry needs, directly or through others. */
function keepReachable(folder: string, entries: readonly string[]): void {
  const reachable = new Set(entries.map((entry) => join(folder, entry)));
  // A Set also visits what is added on the way.
  for (const file of reachable) {
    const text = readFileSync(file, "utf8");
    for (const [, specifier = ""] of text.matchAll(/(?:from|import\() ?"(\.[^"]+)\.ts"/gu))
      reachable.add(join(dirname(file), `${specifier}.d.ts`));
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reachable.has(file)) rmSync(file);
  }
}

/** Templates are compiled now, and not when they are filled in; what others build on has none of them. */
function replaceTemplates(contents: string): Plugin {
  const filter = /scaffold.compiled-templates\.ts$/;
  return {
    name: "replace templates",
    setup(build) {
      build.onLoad({ filter }, () => ({ contents, resolveDir: root, loader: "js" }));
    },
  };
}

function packAll(): void {
  const vendor = join(root, "dist/vendor");
  rmSync(vendor, { recursive: true, force: true });
  mkdirSync(vendor, { recursive: true });
  const libraries = readLibraries(root);
  const write = (sources: readonly PackageSource[]): void => {
    for (const { fileName, bytes } of packSiblings(sources)) writeFileSync(join(vendor, fileName), bytes);
  };
  write(libraries);
  write([...libraries, readCli(root, true)]);
}

function run(script: string, args: string[]): void {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], {
    stdio: "inherit",
    cwd: root,
  });
  if (status !== 0) process.exit(status ?? 1);
}

async function step(name: string, work: () => void | Promise<void>): Promise<void> {
  const started = performance.now();
  await work();
  console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`);
}
