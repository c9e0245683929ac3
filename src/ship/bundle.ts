import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type * as Esbuild from "esbuild";
import { type PackageManager, packageManagerOf } from "../project/package-manager.ts";
import { refuseLinkedFile } from "../scaffold/apply.ts";
import { atFile, makeFolder } from "../shared/files.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { describeLicenses, licensesFile } from "../shared/third-party-licenses.ts";

/** A bundle that can be rebuilt; only changed files are read again. */
export interface IncrementalBundle {
  rebuild(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Bundles a project's `src/main.ts` and everything it imports into one file, for an image or for `node`, and writes the
 * licenses of the packages in it beside it. `conditions` are those of `exports`, besides Node's own.
 */
export async function bundleOperator(
  project: string,
  outfile: string,
  { conditions = [] }: { readonly conditions?: string[] } = {},
): Promise<void> {
  const { build } = await import("esbuild");
  await withExplainedErrors(project, async () => {
    const built = await build({ ...esbuildOptions(project, outfile), conditions, metafile: true });
    const licenses = describeLicenses(project, Object.keys(built.metafile.inputs));
    writeFiles(project, [
      ...built.outputFiles,
      { path: join(dirname(outfile), licensesFile), contents: Buffer.from(licenses) },
    ]);
  });
}

/** Marks the resolutions that the plugin asks esbuild for, since they reach the plugin again. */
const fromPlugin = Symbol("own question");

/** Keeps our packages out of a bundle if Node can resolve them from `node_modules`. */
const externalPackages: Esbuild.Plugin = {
  name: "external-packages",
  setup: (build) =>
    build.onResolve({ filter: /^@tsbuilder\// }, async ({ path, pluginData, importer, kind, resolveDir }) => {
      if (pluginData === fromPlugin) return undefined;
      const found = await build.resolve(path, { importer, kind, resolveDir, pluginData: fromPlugin });
      return found.path.includes("/node_modules/") ? { path, external: true } : found;
    }),
};

/**
 * Prepares a bundle for the development loop. Our packages are kept external if Node can resolve them: they make up
 * most of a bundle, no edit changes them, and a process can load them before the bundle is ready.
 */
export async function watchableBundle(project: string, outfile: string): Promise<IncrementalBundle> {
  const { context } = await import("esbuild");
  const build = await context({ ...esbuildOptions(project, outfile), plugins: [externalPackages] });
  // During a rebuild, esbuild returns that rebuild's result, which may be based on older sources.
  let lastRebuild: Promise<unknown> = Promise.resolve();
  return {
    rebuild: () => {
      const next = lastRebuild.then(() =>
        withExplainedErrors(project, async () => writeFiles(project, (await build.rebuild()).outputFiles)),
      );
      lastRebuild = next.catch(() => undefined);
      return next;
    },
    close: () => build.dispose(),
  };
}

function esbuildOptions(project: string, outfile: string) {
  return {
    absWorkingDir: project,
    entryPoints: ["src/main.ts"],
    outfile,
    bundle: true,
    // esbuild reports a file that it can't write as if a source were wrong.
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: "linked",
    sourcesContent: false,
    // Scripts and SQL statements of an operator are files of their own, for shellcheck and for readers.
    loader: { ".sh": "text", ".sql": "text", ".cnf": "text" },
    // Dependencies in CommonJS call `require`, which an ES module does not have.
    banner: {
      js: 'import { createRequire as __cr } from "node:module"; const require = __cr(import.meta.url);',
    },
    logLevel: "silent",
  } satisfies Esbuild.BuildOptions;
}

function writeFiles(project: string, files: readonly Pick<Esbuild.OutputFile, "path" | "contents">[]): void {
  for (const { path, contents } of files) {
    refuseLinkedFile(project, path);
    atFile(path, () => {
      makeFolder(dirname(path));
      writeFileSync(path, contents);
    });
  }
}

/** Runs work with esbuild. Throws its first error with its position and a hint. */
async function withExplainedErrors(project: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw explain(error, packageManagerOf(project));
  }
}

interface BuildFailure {
  readonly errors?: readonly {
    readonly text: string;
    readonly notes?: readonly { readonly text: string }[];
    readonly location: { readonly file: string; readonly line: number; readonly column: number } | null;
  }[];
}

function explain(error: unknown, { install, add }: PackageManager): unknown {
  const first = (error as BuildFailure).errors?.[0];
  if (!first) return error;
  const { location, text, notes = [] } = first;
  const name = /^Could not resolve "(?![./])((?:@[^/"]+\/)?[^/"]+)/u.exec(text)?.[1];
  const isInstalled = notes.some((note) =>
    /not exported by package|not found on the file system/u.test(note.text),
  );
  const missing = isInstalled
    ? `"${name}" is installed, and has no such module: fix the path${name === "@tsbuilder/runtime" ? `; kinds are in "${name}/k8s/GROUP/VERSION", such as "${name}/k8s/core/v1"` : ""}`
    : `install the project's packages: ${install}; or add the missing one: ${add} ${name}`;
  return new TsbuilderError(text, {
    code: "INVALID_SOURCE",
    hint: name === undefined ? "fix the source; nothing was written" : missing,
    ...(location ? { at: { file: location.file, line: location.line, column: location.column + 1 } } : {}),
  });
}
