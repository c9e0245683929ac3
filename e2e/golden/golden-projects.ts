import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { elideDescriptions } from "./elide-descriptions.ts";
import { dispatch } from "../../src/cli/start/main.ts";
import type { Host } from "../../src/cli/packages/host.ts";
import { diskTree } from "../../src/scaffold/tree.ts";
import type { Ui } from "../../src/cli/reporting/report.ts";

const folder = new URL(".", import.meta.url).pathname;

/** The golden projects: each is what the calls in the script of its name make of an empty folder. */
export const goldenProjects: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith(".sh"))
  .map((name) => basename(name, ".sh"))
  .sort();

/** Makes a golden project anew below a folder. */
export async function makeGolden(name: string, parent: string): Promise<string> {
  const project = join(parent, name);
  rmSync(project, { recursive: true, force: true });
  mkdirSync(project, { recursive: true });
  for (const argv of readCalls(name)) await run(argv, project);
  elideBelow(project);
  return project;
}

function elideBelow(project: string): void {
  const tree = diskTree(project);
  const sources = tree.list("api").map((path) => tree.read(path)!);
  for (const path of tree.list("config/crd/bases")) {
    writeFileSync(join(project, path), elideDescriptions(tree.read(path)!, sources));
  }
}

/** Runs the CLI in this process, as a golden's script does. */
export async function run(argv: readonly string[], cwd: string): Promise<string> {
  const printed: string[] = [];
  const ui: Ui = {
    print: (text) => void printed.push(text),
    note: (text) => void printed.push(text),
    isInteractive: false,
  };
  const install = argv[0] === "init" ? ["--skip-install"] : [];
  await dispatch([...argv, ...install], cwd, ui, goldenHost);
  return printed.join("\n");
}

/** A tsbuilder without a version and without packages: neither belongs into what is committed. */
export const goldenHost: Host = {
  version: () => "0.0.0-golden",
  vendorPackages: async () => ({
    packages: {
      runtime: "file:vendor/tsbuilder-runtime-0.0.0-golden.tgz",
      cluster: "file:vendor/tsbuilder-cluster-0.0.0-golden.tgz",
      simulation: "file:vendor/tsbuilder-simulation-0.0.0-golden.tgz",
      tsbuilder: "file:vendor/tsbuilder-0.0.0-golden.tgz",
    },
    files: new Map(),
  }),
  baseline: () => Promise.reject(new Error("a golden project has no tsbuilder of its own")),
};

/** The script's lines, split into words as a shell does. */
export function readCalls(name: string): string[][] {
  return readFileSync(join(folder, `${name}.sh`), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("tsbuilder "))
    .map((line) =>
      [...line.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain!).slice(1),
    );
}
