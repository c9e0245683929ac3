import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type BuildOptions, buildSync } from "esbuild";
import { createCache } from "../../../src/generators/sources/cache.ts";
import { planManifests } from "../../../src/generators/manifests.ts";
import { toScripts } from "../../../src/packaging/to-scripts.ts";
import { diskTree } from "../../../src/scaffold/tree.ts";
import { findControllerGen, prepareTwins } from "../../oracle/real/controller-gen/go-twin.ts";

// CRDs of 1, 10, 100 and 300 kinds with fifty fields each, without pod templates and with one in a tenth of them, compared
// with controller-gen on the same types in Go: a process that finds nothing of an earlier one, a process after an edit,
// as somebody runs `npm run manifests`, and the time to regenerate in a process that watches.

const fieldCount = 50;
const rounds = 5;
/** Unmeasured rounds fill the caches of the file system, and those of compiled code. */
const unmeasured = 4;

const repository = join(import.meta.dirname, "../../..");
const bundle = bundleOnce();

const binary = findControllerGen();
if (!binary) console.log("left out: controller-gen: Go, which installs it, was not found");
for (const withTemplates of [false, true]) {
  console.log(`\n${withTemplates ? "a pod template in a tenth of the kinds" : "no pod templates"}`);
  console.log(`${" ".repeat(19)}time${" ".repeat(44)}processor time${" ".repeat(16)}memory`);
  console.log(
    "kinds    first   ratio    edited   ratio   watching   controller-gen     first   edited     ours   controller-gen   ratio",
  );
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
    `import { planGenerated } from "${repository}/src/cli/project/plan-generated.ts";
import { applyPlan } from "${repository}/src/scaffold/apply.ts";
import { diskTree, Draft } from "${repository}/src/scaffold/tree.ts";
export async function main(root: string): Promise<void> {
  const draft = new Draft(diskTree(root));
  await planGenerated(draft, {}, { root });
  const changes = draft.changes();
  applyPlan(root, changes);
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ files: changes.length, megabytes }));
}
`,
  );
  write(
    join(folder, "start.ts"),
    `import { Scripts, fitShortRun, openCodeFolder } from "${start}/scripts.ts";
fitShortRun([]);
const scripts = new Scripts("${out}", openCodeFolder("bench", process.env));
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
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, ".cache") };
  const project = join(folder, "project");
  try {
    for (const [path, text] of typescriptProject(count, withTemplates)) write(join(project, path), text);
    const memories: number[] = [];
    const run = (files: number): void => {
      const said = execFileSync(process.execPath, [bundle, project], { encoding: "utf8", env });
      const result = JSON.parse(said) as { files: number; megabytes: number };
      if (result.files !== files) throw new Error(`wrote ${result.files} of ${files} CRDs`);
      memories.push(result.megabytes);
    };
    const forget = (): void => {
      for (const made of ["project/config", ".cache/tsbuilder/generated"])
        rmSync(join(folder, made), { recursive: true, force: true });
    };
    let round = 0;
    const edit = (): void =>
      write(join(project, "api/v1/kind0_types.ts"), typescriptKind(0, `round${round++}`, withTemplates));
    const twin = binary ? controllerGen(binary, count, withTemplates) : undefined;
    const [first, edited, theirs] = medians(
      { before: forget, run: () => run(count) },
      { before: edit, run: () => run(1) },
      ...(twin ? [{ before: () => undefined, run: twin.run }] : []),
    );
    // Runs that are not measured also write down what V8 compiled.
    const memory = Math.max(...memories.slice(2 * unmeasured));
    const theirMemory = twin ? await twin.memory() : undefined;
    const watching = await measureEdit(project, withTemplates);
    const ratio = (ours: number | undefined, other: number | undefined): string =>
      other === undefined ? "–" : `${(ours! / other).toFixed(2)}×`;
    const columns: readonly (readonly [text: string, width: number])[] = [
      [String(count), 5],
      [`${first!.time.toFixed(0)} ms`, 9],
      [ratio(first!.time, theirs?.time), 8],
      [`${edited!.time.toFixed(0)} ms`, 10],
      [ratio(edited!.time, theirs?.time), 8],
      [`${watching.toFixed(0)} ms`, 11],
      [theirs ? `${theirs.time.toFixed(0)} ms` : "–", 17],
      [ratio(first!.processorTime, theirs?.processorTime), 10],
      [ratio(edited!.processorTime, theirs?.processorTime), 9],
      [`${memory} MB`, 9],
      [theirMemory === undefined ? "–" : `${theirMemory.toFixed(0)} MB`, 17],
      [ratio(memory, theirMemory), 8],
    ];
    console.log(columns.map(([text, width]) => text.padStart(width)).join(""));
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

interface Contestant {
  readonly before: () => void;
  readonly run: () => void;
}

/** Runs contestants alternately, so that other load on the machine affects all of them; returns the medians of each. */
function medians(...contestants: readonly Contestant[]): { time: number; processorTime: number }[] {
  const measured = contestants.map(() => ({ times: [] as number[], processorTimes: [] as number[] }));
  for (let round = -unmeasured; round < rounds; round++) {
    for (const [i, { before, run }] of contestants.entries()) {
      before();
      const start = performance.now();
      const processor = childrenTime();
      run();
      if (round < 0) continue;
      measured[i]!.times.push(performance.now() - start);
      measured[i]!.processorTimes.push(childrenTime() - processor);
    }
  }
  return measured.map(({ times, processorTimes }) => ({
    time: median(times),
    processorTime: median(processorTimes),
  }));
}

/** Processor time of all processes that this one has waited for, in milliseconds; 0 where the system does not say. */
function childrenTime(): number {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /u, "")
      .split(" ");
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0;
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
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
  const isTemplated = withTemplates && hasTemplate(i);
  const template = isTemplated ? "  template?: PodTemplateSpec;\n" : "";
  const imported = isTemplated
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
