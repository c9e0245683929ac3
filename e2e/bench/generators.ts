import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { createCache } from "../../src/generators/project-sources.ts";
import { planManifests } from "../../src/generators/manifests.ts";
import { toScripts } from "../../src/packaging/to-scripts.ts";
import { diskTree } from "../../src/scaffold/tree.ts";
import { findControllerGen, prepareTwins } from "../real/controller-gen/go-twin.ts";

// CRDs of 1, 10, 100 and 300 kinds with fifty fields each, without pod templates and with one in a tenth of them: a cold
// process compared with controller-gen on the same types in Go, and the time to regenerate after an edit.

const fieldCount = 50;
const rounds = 5;
/** They fill the caches of the file system, and those of compiled code. */
const unmeasured = 4;

const repository = join(import.meta.dirname, "../..");
const bundle = bundleOnce();

const binary = findControllerGen();
if (!binary) console.log("left out: controller-gen: Go, which installs it, was not found");
for (const withTemplates of [false, true]) {
  console.log(`\n${withTemplates ? "a pod template in a tenth of the kinds" : "no pod templates"}`);
  console.log("kinds   ours cold   controller-gen   ratio   after an edit   memory   controller-gen   ratio");
  for (const count of [1, 10, 100, 300]) await measure(count, withTemplates);
}

/** Bundles the code of the cold process, which starts as the CLI does: with what V8 compiled in earlier processes. */
function bundleOnce(): string {
  const folder = join(repository, "node_modules/.cache/bench-generators");
  const start = join(repository, "src/cli/start");
  const out = join(folder, "out");
  rmSync(folder, { recursive: true, force: true });
  write(
    join(folder, "main.ts"),
    `import { planManifests } from "${repository}/src/generators/manifests.ts";
import { diskTree } from "${repository}/src/scaffold/tree.ts";
export async function main(project: string): Promise<void> {
  const plan = await planManifests(diskTree(project));
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  const errors = plan.diagnostics.filter(({ severity }) => severity === "error").length;
  console.log(JSON.stringify({ files: plan.changes.length, errors, megabytes }));
}
`,
  );
  write(
    join(folder, "start.ts"),
    `import { openCodeFolder } from "${start}/code-folder.ts";
import { Scripts } from "${start}/scripts.ts";
import { fitShortRun } from "${start}/short-run.ts";
fitShortRun([]);
const scripts = new Scripts("${out}", openCodeFolder("bench", { XDG_CACHE_HOME: "${folder}" }));
process.once("exit", () => scripts.keepCode());
void scripts.load("main.cjs").main(process.argv[2]);
`,
  );
  const options = {
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@tsbuilder/source"],
  } satisfies BuildOptions;
  buildSync({ ...options, entryPoints: [join(folder, "main.ts")], splitting: true, outdir: out });
  toScripts(out);
  buildSync({
    ...options,
    entryPoints: [join(folder, "start.ts")],
    format: "cjs",
    outfile: join(out, "start.cjs"),
  });
  return join(out, "start.cjs");
}

async function measure(count: number, withTemplates: boolean): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-bench-"));
  try {
    for (const [path, text] of typescriptProject(count, withTemplates)) write(join(folder, path), text);
    let memory = 0;
    const runOurs = (): void => {
      const result = JSON.parse(execFileSync(process.execPath, [bundle, folder], { encoding: "utf8" })) as {
        files: number;
        errors: number;
        megabytes: number;
      };
      if (result.files !== count || result.errors > 0)
        throw new Error(`wrote ${result.files} of ${count} CRDs`);
      memory = Math.max(memory, result.megabytes);
    };
    const twin = binary ? controllerGen(binary, count, withTemplates) : undefined;
    const [ours = 0, theirs] = medians(runOurs, ...(twin ? [twin.run] : []));
    const theirMemory = twin ? await twin.memory() : undefined;
    const edit = await measureEdit(folder, withTemplates);
    const cells = [
      String(count).padStart(5),
      `${ours.toFixed(0)} ms`.padStart(12),
      theirs === undefined ? "–".padStart(16) : `${theirs.toFixed(0)} ms`.padStart(16),
      theirs === undefined ? "–".padStart(7) : `${(ours / theirs).toFixed(2)}×`.padStart(7),
      `${edit.toFixed(0)} ms`.padStart(15),
      `${memory} MB`.padStart(8),
      theirMemory === undefined ? "–".padStart(16) : `${theirMemory.toFixed(0)} MB`.padStart(16),
      theirMemory === undefined ? "–".padStart(7) : `${(memory / theirMemory).toFixed(2)}×`.padStart(7),
    ];
    console.log(cells.join(" "));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** controller-gen on the same types in Go: a run, and the most memory that one takes, without the `go list` it starts. */
function controllerGen(command: string, count: number, withTemplates: boolean) {
  const code = goTypes(count, withTemplates);
  const cwd = prepareTwins([{ name: "bench", group: "bench.example.com", code }]);
  const args = ["crd", "paths=./api/...", "output:crd:dir=out"];
  const env = { ...process.env, GOFLAGS: "-mod=mod" };
  return {
    run: () => void execFileSync(command, args, { cwd, env, stdio: "pipe" }),
    async memory(): Promise<number> {
      const child = spawn(command, args, { cwd, env, stdio: "ignore" });
      let most = 0;
      const timer = setInterval(() => (most = Math.max(most, peakMemory(child.pid!))), 1);
      await once(child, "exit");
      clearInterval(timer);
      return most;
    },
  };
}

/** In megabytes; 0 if the system does not report it. */
function peakMemory(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** The second run in a watching process, after one file of the project changed. */
async function measureEdit(folder: string, withTemplates: boolean): Promise<number> {
  const cache = createCache();
  const tree = diskTree(folder);
  await planManifests(tree, {}, cache);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const file = join(folder, "api/v1/kind0_types.ts");
    write(file, typescriptKind(0, `round${round}`, withTemplates));
    const start = performance.now();
    await planManifests(tree, {}, cache);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)]!;
}

/** Runs contestants alternately, so that other load on the machine affects all of them; returns the median of each. */
function medians(...runs: readonly (() => void)[]): number[] {
  const times = runs.map((): number[] => []);
  for (let round = -unmeasured; round < rounds; round++) {
    for (const [i, run] of runs.entries()) {
      const start = performance.now();
      run();
      if (round >= 0) times[i]!.push(performance.now() - start);
    }
  }
  return times.map((one) => one.sort((a, b) => a - b)[Math.floor(rounds / 2)]!);
}

function typescriptProject(count: number, withTemplates: boolean): [string, string][] {
  const groupVersion = `import type { GroupVersion } from "@tsbuilder/runtime";
export const groupVersion: GroupVersion = { group: "bench.example.com", version: "v1" };
`;
  const kinds = Array.from({ length: count }, (_, i): [string, string] => [
    `api/v1/kind${i}_types.ts`,
    typescriptKind(i, "field", withTemplates),
  ]);
  return [["api/v1/groupversion_info.ts", groupVersion], ...kinds];
}

function typescriptKind(i: number, name: string, withTemplates: boolean): string {
  const fields = Array.from({ length: fieldCount }, (_, n) => {
    const kind = n % 5;
    const type = ["string", "int32", "boolean", "string[]", "Record<string, string>"][kind]!;
    const marker = ["MaxLength=63", "Minimum=0", "", "MaxItems=10", "MaxProperties=8"][kind]!;
    const markers = marker ? `  // +kubebuilder:validation:${marker}\n` : "";
    return `  /** Field ${n} says what ${name} is like. */\n${markers}  ${name}${n}?: ${type};\n`;
  });
  const template = withTemplates && hasTemplate(i) ? "  template?: PodTemplateSpec;\n" : "";
  const imported = hasTemplate(i)
    ? 'import type { PodTemplateSpec } from "@tsbuilder/runtime/k8s/core/v1";\n'
    : "";
  return `import { type CustomResource, defineKind, type int32 } from "@tsbuilder/runtime";
${imported}import { groupVersion } from "./groupversion_info.ts";
export interface Kind${i}Spec {
${fields.join("")}${template}}
/** Kind${i} is measured. */
// +kubebuilder:subresource:status
export interface Kind${i} extends CustomResource<Kind${i}Spec> {}
export const Kind${i} = defineKind<Kind${i}>(groupVersion, { kind: "Kind${i}", plural: "kind${i}s" });
`;
}

function goTypes(count: number, withTemplates: boolean): string {
  return Array.from({ length: count }, (_, i) => {
    const fields = Array.from({ length: fieldCount }, (_, n) => {
      const kind = n % 5;
      const type = ["string", "int32", "bool", "[]string", "map[string]string"][kind]!;
      const marker = ["MaxLength=63", "Minimum=0", "", "MaxItems=10", "MaxProperties=8"][kind]!;
      const markers = marker ? `\t// +kubebuilder:validation:${marker}\n` : "";
      return `\t// Field ${n} says what field is like.\n${markers}\tField${n} ${type} \`json:"field${n},omitempty"\`\n`;
    });
    const template =
      withTemplates && hasTemplate(i)
        ? '\tTemplate corev1.PodTemplateSpec `json:"template,omitempty"`\n'
        : "";
    return `type Kind${i}Spec struct {
${fields.join("")}${template}}

// Kind${i} is measured.
// +kubebuilder:subresource:status
type Kind${i} struct {
	metav1.TypeMeta   \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty"\`

	Spec Kind${i}Spec \`json:"spec"\`
}
`;
  }).join("\n");
}

function hasTemplate(i: number): boolean {
  return i % 10 === 0;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
