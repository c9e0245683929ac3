import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** A program and its arguments. */
export type Command = readonly [file: string, ...args: string[]];

/** Builds our operator as the image and the Deployment of a project run it, and the Go operator if Go is installed. */
export async function buildOperators(folder: string): Promise<ReadonlyMap<string, Command>> {
  const operators = new Map<string, Command>([
    ["tsbuilder", [process.execPath, ...deployedOptions(), await bundle(folder)]],
  ]);
  const twin = buildTwin(folder, ".");
  if (twin) operators.set("controller-runtime", [twin]);
  else console.log("left out: controller-runtime: Go was not found");
  return operators;
}

/** Node's options in the image and the Deployment that `init` scaffolds. */
function deployedOptions(): string[] {
  const image = readOptions(
    "typescript/init/project/Dockerfile.hbs",
    /^ENTRYPOINT \["node", (.*), "\S+"\]$/m,
  );
  const deployment = readOptions(
    "kustomize/init/base/config/manager/manager.yaml.hbs",
    /name: NODE_OPTIONS\s+value: (.*)/,
  );
  return [...(JSON.parse(`[${image}]`) as string[]), ...deployment.split(" ")];
}

function readOptions(template: string, pattern: RegExp): string {
  const path = new URL(`../../../../templates/${template}`, import.meta.url);
  const [, found] = pattern.exec(readFileSync(path, "utf8")) ?? [];
  if (found === undefined) throw new Error(`${template} sets no options of Node`);
  return found;
}

async function bundle(folder: string): Promise<string> {
  const outfile = join(folder, "operator.mjs");
  const require =
    'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';
  await build({
    entryPoints: [new URL("../operators/tsbuilder.ts", import.meta.url).pathname],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    sourcemap: "linked",
    sourcesContent: false,
    conditions: ["@tsbuilder/source"],
    banner: { js: require },
    logLevel: "error",
  });
  return outfile;
}

/** Builds a Go operator of `../operators/controller-runtime`; undefined without Go. */
export function buildTwin(folder: string, place: "." | "./elected" | "./successor"): string | undefined {
  const output = join(folder, "operator");
  const cwd = new URL("../operators/controller-runtime", import.meta.url).pathname;
  const { status } = spawnSync("go", ["build", "-o", output, place], {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return status === 0 ? output : undefined;
}
