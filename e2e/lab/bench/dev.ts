/**
 * The development loop: from saving to the first reconcile of the new code, and from nothing to the first reconcile.
 * `tsbuilder dev` on a scaffolded project is compared with what a kubebuilder project does with envtest: an operator on
 * controller-runtime, `go build` with a warm cache, a restart, a real kube-apiserver and etcd. Its generators, `go vet`
 * and the linking of test binaries are left out, in its favour. Then the duration of the demo.
 * Needs `npm run build`. Run: [ROUNDS=9] npm run lab -- bench dev
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { startControlPlane } from "../../oracle/real/control-plane.ts";
import { findBinaries } from "../../oracle/real/control-plane-binaries.ts";
import { repository } from "../../support/source-imports.ts";
import { prepareCounters } from "./side-by-side/counters.ts";
import { describeRatios, percentile } from "./side-by-side/statistics.ts";

const rounds = Number(process.env["ROUNDS"] ?? 9);
const folder = mkdtempSync(join(tmpdir(), "tsbuilder-bench-dev-"));
const cli = join(repository, "bin/tsbuilder.js");

/** A development loop that is running. */
interface Loop {
  /** Milliseconds from nothing to the first reconcile. */
  readonly start: number;
  /** Saves new code; returns the ms until it has reconciled. */
  save(round: number): Promise<number>;
  stop(): Promise<void>;
}

const loops = new Map<string, Loop>();
try {
  loops.set("tsbuilder dev", await startOurs());
  const theirs = await startTheirs();
  if (typeof theirs === "string") console.log(`left out: Go and envtest: ${theirs}`);
  else loops.set("go build and envtest", theirs);
  const saves = new Map<string, number[]>([...loops.keys()].map((name) => [name, []]));
  // Alternating, so that other load on the machine affects both.
  for (let round = 1; round <= rounds; round += 1) {
    for (const [name, loop] of loops) {
      saves.get(name)!.push(await loop.save(round));
      // Nobody saves twice within a second, so work between two saves is not measured.
      await delay(2000);
    }
  }
  const load = loadavg().map((value) => value.toFixed(1));
  console.log(`${rounds} rounds, node ${process.version}, load ${load.join(" ")}; medians:`);
  report("save → first reconcile, ms", saves);
  report("nothing → first reconcile, ms", new Map([...loops].map(([name, { start }]) => [name, [start]])));
} finally {
  await Promise.all([...loops.values()].map((loop) => loop.stop()));
  rmSync(folder, { recursive: true, force: true });
}
demo();

function report(what: string, results: ReadonlyMap<string, readonly number[]>): void {
  const [ours, theirs] = [...results.values()];
  const medians = [...results].map(([name, values]) => {
    const [least, most] = [Math.min(...values), Math.max(...values)].map(Math.round);
    return `${name} ${percentile(values, 50).toFixed(0)} (${least} to ${most})`;
  });
  const ratio = theirs ? `, ratio ${describeRatios(ours!, theirs)}` : "";
  console.log(`  ${what}: ${medians.join(", ")}${ratio}`);
}

async function startOurs(): Promise<Loop> {
  const project = join(folder, "counter-operator");
  mkdirSync(project);
  const tsbuilder = (...args: string[]): void =>
    void execFileSync(process.execPath, [cli, ...args], {
      cwd: project,
      stdio: ["ignore", "ignore", "inherit"],
    });
  tsbuilder("init", "--domain", "example.com");
  tsbuilder("create", "api", "--group", "bench", "--version", "v1", "--kind", "Counter");
  const file = join(project, "src/controller/counter_controller.ts");
  const text = readFileSync(file, "utf8");
  const startedAt = performance.now();
  const dev = startProcess(process.execPath, [cli, "dev", "--plain", "--samples"], project);
  await dev.says('"Reconciled Counter"');
  const start = performance.now() - startedAt;
  return {
    start,
    async save(round) {
      const line = `Reconciled Counter, round ${round}`;
      const savedAt = performance.now();
      writeFileSync(file, text.replace('"Reconciled Counter"', `"${line}"`));
      await dev.says(line);
      return performance.now() - savedAt;
    },
    stop: () => dev.stop(),
  };
}

/** Starts the Go operator, or returns what is missing for it. */
async function startTheirs(): Promise<Loop | string> {
  const binaries = findBinaries({ build: false });
  if ("missing" in binaries) return binaries.missing;
  const project = join(folder, "go-operator");
  cpSync(join(import.meta.dirname, "operators/controller-runtime"), project, { recursive: true });
  const file = join(project, "main.go");
  const text = readFileSync(file, "utf8");
  const build = (): void =>
    void execFileSync("go", ["build", "-o", "operator", "."], { cwd: project, stdio: "inherit" });
  try {
    build();
  } catch (error) {
    return (error as Error).message;
  }
  const env = { WATCH: "counters", WORKERS: "1", OBJECTS: "1" };
  const startedAt = performance.now();
  const control = await startControlPlane(binaries.folder);
  const client = createClient(await loadConfig({ kubeconfig: control.kubeconfig, env: {} }));
  await prepareCounters(client, 1);
  await client.close();
  const run = async (): Promise<Running> => {
    const operator = startProcess(join(project, "operator"), [], project, {
      ...env,
      KUBECONFIG: control.kubeconfig,
    });
    await operator.says('"first":true');
    return operator;
  };
  build();
  let operator = await run();
  const start = performance.now() - startedAt;
  return {
    start,
    async save(round) {
      const savedAt = performance.now();
      writeFileSync(file, text.replace("+ r.round.Load()", `+ r.round.Load() + ${round}`));
      build();
      await operator.stop();
      operator = await run();
      return performance.now() - savedAt;
    },
    async stop() {
      await operator.stop();
      await control.stop();
    },
  };
}

/** The demo prints how long it took without npm. */
function demo(): void {
  const printed = execFileSync(
    process.execPath,
    [...process.execArgv, join(repository, "e2e/lab/demo/demo.ts")],
    { encoding: "utf8" },
  );
  console.log(`  the demo: ${/done in .*/.exec(printed)?.[0] ?? "did not say how long it took"}`);
}

interface Running {
  /** Resolves with the next line that contains a text. */
  says(text: string): Promise<void>;
  stop(): Promise<void>;
}

function startProcess(
  file: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Running {
  const child: ChildProcess = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", process.env["LOGS"] ? "inherit" : "ignore"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => {
      process.off("exit", kill);
      resolve();
    });
  });
  const lines = createInterface(child.stdout!);
  return {
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = (line: string): void => {
          if (!line.includes(text)) return;
          lines.off("line", look);
          resolve();
        };
        lines.on("line", look);
        void ended.then(() => reject(new Error(`${file} ended; LOGS=1 shows why`)));
      }),
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
