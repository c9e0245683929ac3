import { createRequire } from "node:module";
import { join } from "node:path";
import type * as Esbuild from "esbuild";
import { TsbuilderError } from "../shared/errors.ts";

/** Bundles the operator again and again; only what changed is read anew. */
export interface OperatorBundle {
  /** The file to run. */
  readonly file: string;
  rebuild(): Promise<void>;
  close(): Promise<void>;
}

/** Prepares the bundle of a project's `src/main.ts`, with the project's own esbuild. */
export async function bundleOperator(project: string, file: string): Promise<OperatorBundle> {
  const { context } = loadEsbuild(project);
  const build = await context({
    absWorkingDir: project,
    entryPoints: ["src/main.ts"],
    outfile: file,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    sourcemap: "linked",
    logLevel: "silent",
    banner: {
      js: 'import { createRequire as __cr } from "node:module"; const require = __cr(import.meta.url);',
    },
  });
  return {
    file,
    rebuild: async () => {
      try {
        await build.rebuild();
      } catch (error) {
        throw explain(error);
      }
    },
    close: () => build.dispose(),
  };
}

function loadEsbuild(project: string): typeof Esbuild {
  try {
    return createRequire(join(project, "package.json"))("esbuild") as typeof Esbuild;
  } catch (error) {
    throw new TsbuilderError("the project's esbuild is not installed", {
      code: "TOOL_MISSING",
      hint: "install the project's dependencies: npm install",
      cause: error,
    });
  }
}

interface BuildFailure {
  readonly errors?: readonly {
    readonly text: string;
    readonly location: { readonly file: string; readonly line: number; readonly column: number } | null;
  }[];
}

function explain(error: unknown): unknown {
  const first = (error as BuildFailure).errors?.[0];
  if (!first) return error;
  const { location, text } = first;
  return new TsbuilderError(text, {
    code: "INVALID_SOURCE",
    hint: "mend it and save; dev goes on by itself",
    ...(location ? { at: { file: location.file, line: location.line, column: location.column + 1 } } : {}),
  });
}
