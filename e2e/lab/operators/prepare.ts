import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";
import { bundleProgram } from "../../support/bundle-program.ts";
import { downloadGoModule } from "../../support/go-module.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import type { ForeignOperator } from "./catalog.ts";

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tsbuilder/operators");

/**
 * Builds an operator and renders its manifests, outside of this checkout; a program is built once. Returns its folder, which has
 * `bin/manager`, `install.yaml` and `config/samples`, as if somebody worked there.
 */
export async function prepareOperator(operator: ForeignOperator): Promise<string> {
  const folder = join(cache, operator.name);
  const source = join(cache, "sources", operator.name);
  if (!existsSync(source)) copyModule(operator, source);
  const program = join(folder, "bin/manager");
  if (!existsSync(program)) {
    mkdirSync(join(folder, "bin"), { recursive: true });
    run("go", ["build", "-ldflags=-s -w", "-o", program, `./${operator.main}`], source);
  }
  const { standIn } = operator;
  if (standIn !== undefined) {
    const file = join(import.meta.dirname, "stand-ins", `${standIn}.ts`);
    await bundleProgram({ file }, join(folder, "bin", `${standIn}.mjs`));
  }
  writeManifests(operator, folder, source);
  return folder;
}

/** A module in Go's cache can't be written, and a version that is built elsewhere may have replaced modules. */
function copyModule({ module, version }: ForeignOperator, source: string): void {
  const { Dir } = downloadGoModule(`${module}@${version}`);
  const partly = `${source}.${process.pid}`;
  cpSync(Dir, partly, { recursive: true });
  run("chmod", ["-R", "u+w", partly], cache);
  run("mv", [partly, source], cache);
}

/** Renders the manifests as their users would, with kustomize. */
function writeManifests(operator: ForeignOperator, folder: string, source: string): void {
  const kustomization = join(folder, "kustomization");
  mkdirSync(kustomization, { recursive: true });
  const resources = operator.manifests.map((path) => relative(kustomization, join(source, path)));
  writeYaml(join(kustomization, "kustomization.yaml"), { namespace: operator.namespace, resources });
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: operator.namespace } };
  const own = [...(operator.namespace === "default" ? [] : [namespace]), ...(operator.extras ?? [])];
  const programs = findPrograms("36");
  if ("missing" in programs) throw new Error(programs.missing);
  const rendered = run(
    programs.kubectl,
    ["kustomize", "--load-restrictor", "LoadRestrictionsNone", kustomization],
    folder,
  );
  const texts = [rendered, ...own.map((object) => emitYaml(object as YamlValue))];
  writeFileSync(join(folder, "install.yaml"), texts.join("---\n"));
  rmSync(kustomization, { recursive: true });
  mkdirSync(join(folder, "config/samples"), { recursive: true });
  writeYaml(join(folder, "config/samples/sample.yaml"), operator.sample);
}

function writeYaml(path: string, value: object): void {
  writeFileSync(path, emitYaml(value as YamlValue));
}

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return stdout;
  throw new Error(error?.message ?? stderr.trim().split("\n").slice(-10).join("\n"));
}
