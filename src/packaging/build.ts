// Builds everything that is published: compiled packages, the bundled CLI, and the tarballs of our packages.

import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { type Plugin, build as bundle } from "esbuild";
import { precompiledTemplates } from "../scaffold/compiled-templates.ts";
import { describeLicenses, licensesFile } from "../shared/third-party-licenses.ts";
import { readCommit } from "./commit.ts";
import { findOwnPackage } from "./own-package.ts";
import { type PackageSource, libraryFolders, packSiblings, readCli, readLibraries } from "./pack.ts";
import { toScripts } from "./to-scripts.ts";

const root = findOwnPackage().folder;
const bundleOptions = { absWorkingDir: root, bundle: true, logLevel: "warning" } as const;
const nodeOptions = { ...bundleOptions, platform: "node", target: "node20" } as const;

await step("compile the packages", () => {
  for (const folder of libraryFolders) deleteStale(join(root, folder));
  run("node_modules/typescript-native/bin/tsc", ["-b", ...libraryFolders]);
});

await step("bundle the CLI", bundleCli);
await step("bundle what others build on", bundleLibrary);
await step("pack the tarballs", packAll);

/** Deletes what was compiled from sources that are gone: the compiler leaves it, and it would be packed. */
function deleteStale(folder: string): void {
  const dist = join(folder, "dist");
  if (!existsSync(dist)) return;
  for (const path of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
    const name = /^(.*)\.d\.ts$/u.exec(path)?.[1];
    if (name === undefined || existsSync(join(folder, `${name}.ts`))) continue;
    for (const extension of ["d.ts", "d.ts.map", "js", "js.map"])
      rmSync(join(dist, `${name}.${extension}`), { force: true });
  }
}

/** Bundles the CLI. Each command becomes a script of its own, loaded on demand; esbuild, which few need, stays external. */
async function bundleCli(): Promise<void> {
  rmSync(join(root, "dist/cli"), { recursive: true, force: true });
  const { metafile } = await bundle({
    ...nodeOptions,
    entryPoints: ["src/cli/start/main.ts"],
    outdir: "dist/cli",
    splitting: true,
    format: "esm",
    conditions: ["@tsbuilder/source"],
    external: ["esbuild"],
    define: { TSBUILDER_COMMIT: JSON.stringify(readCommit(root)) ?? "undefined" },
    legalComments: "linked",
    metafile: true,
    plugins: [replaceTemplates(precompiledTemplates())],
  });
  toScripts(join(root, "dist/cli"));
  await bundle({
    ...nodeOptions,
    entryPoints: ["src/cli/start/start.ts"],
    outfile: "dist/cli/start.cjs",
    format: "cjs",
    define: { "import.meta.url": "__url" },
    banner: { js: 'const __url = require("node:url").pathToFileURL(__filename).href;' },
  });
  const page = await bundlePage();
  // The bundled parser is cut out of TypeScript, so that the bundler no longer knows its package.
  const inputs = [...Object.keys(metafile.inputs), ...page, "node_modules/typescript/lib/typescript.js"];
  const licenses = describeLicenses(root, inputs);
  copyFileSync(join(root, "src/cli/output.schema.json"), join(root, "dist/cli/output.schema.json"));
  writeFileSync(join(root, "dist/cli", licensesFile), licenses);
}

/** Bundles the page of `tsbuilder dev`. Returns the files that it was made from. */
async function bundlePage(): Promise<string[]> {
  const outdir = join(root, "dist/cli/page");
  const { metafile } = await bundle({
    ...bundleOptions,
    entryPoints: [
      { in: "src/dashboard/main.tsx", out: "page" },
      { in: "src/dashboard/page.css", out: "page" },
    ],
    outdir,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    conditions: ["@tsbuilder/source"],
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    metafile: true,
  });
  copyFileSync(join(root, "src/dashboard/page.html"), join(outdir, "page.html"));
  for (const file of ["page.js", "page.css"])
    writeFileSync(join(outdir, `${file}.br`), brotliCompressSync(readFileSync(join(outdir, file))));
  return Object.keys(metafile.inputs);
}

/** Bundles `tsbuilder/scaffold` and `tsbuilder/generators` with their types, and what `eject` copies. Packages that every project has stay external. */
async function bundleLibrary(): Promise<void> {
  const folder = join(root, "dist/lib");
  rmSync(folder, { recursive: true, force: true });
  run("node_modules/typescript-native/bin/tsc", ["-p", ".config/tsconfig.library.json"]);
  keepReachable(folder, ["plugins/library.d.ts", "generators/library.d.ts"]);
  const { metafile } = await bundle({
    ...nodeOptions,
    entryPoints: {
      scaffold: "src/plugins/library.ts",
      generators: "src/generators/library.ts",
      ejected: "src/cli/eject/ejected.ts",
    },
    outdir: "dist/lib",
    splitting: true,
    format: "esm",
    external: ["esbuild", "@tsbuilder/*"],
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    legalComments: "none",
    metafile: true,
    plugins: [replaceTemplates("export const compiledTemplates = () => [];")],
  });
  const inputs = [...Object.keys(metafile.inputs), "node_modules/typescript/lib/typescript.js"];
  writeFileSync(join(folder, licensesFile), describeLicenses(root, inputs));
}

/** Removes the declarations of a folder that no entry needs, directly or through others. */
function keepReachable(folder: string, entries: readonly string[]): void {
  const reachable = new Set(entries.map((entry) => join(folder, entry)));
  // The loop over a Set also visits files that it adds.
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

/** Replaces the module of compiled templates: the CLI has them compiled by the build, and the library has none. */
function replaceTemplates(contents: string): Plugin {
  const filter = /scaffold.compiled-templates\.ts$/;
  return {
    name: "replace templates",
    setup(build) {
      build.onLoad({ filter }, () => ({ contents, resolveDir: root, loader: "js" }));
    },
  };
}

/** Packs the libraries, and once more the libraries with a CLI that contains their tarballs. */
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

/** Runs a script of Node; ends this process if it fails. */
function run(script: string, args: string[]): void {
  const { status } = spawnSync(process.execPath, [join(root, script), ...args], {
    stdio: "inherit",
    cwd: root,
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Does a step of the build, and prints how long it took. */
async function step(name: string, work: () => void | Promise<void>): Promise<void> {
  const started = performance.now();
  process.stdout.write(`${name}: `);
  await work();
  console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`);
}
