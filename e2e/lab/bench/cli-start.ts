import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The start time of the bundled CLI (`npm run build`), compared with a Node that does nothing. */
const runs = 15;
const repository = join(import.meta.dirname, "../../..");
const cli = join(repository, "bin/tsbuilder.js");

if (!existsSync(join(repository, "dist/cli/start.cjs")))
  throw new Error("the CLI is not bundled yet: run npm run build");
const project = mkdtempSync(join(tmpdir(), "tsbuilder-bench-"));
try {
  run(cli, "init", "--domain", "example.com", "--project-name", "bench", "--skip-install");
  const createApi = (kind: string): number =>
    run(cli, "create", "api", "--group", "apps", "--version", "v1", "--kind", kind, "--make=false");
  // V8's compiled code is cached: the first runs write it.
  for (const kind of ["First", "Second", "Third", "Fourth"]) createApi(kind);
  // Alternating, so that other load on the machine affects all of them.
  const times = { node: [] as number[], version: [] as number[], help: [] as number[], api: [] as number[] };
  for (let i = 0; i < runs; i++) {
    times.node.push(run("-e", "0"));
    times.version.push(run(cli, "--version"));
    times.help.push(run(cli, "--help"));
    times.api.push(createApi(`Kind${i}`));
  }
  const base = median(times.node);
  console.log(`${"node -e 0".padEnd(34)}${base.toFixed(0)} ms`);
  report("tsbuilder --version", median(times.version), base, 1.2);
  report("tsbuilder --help", median(times.help), base, 2);
  report("tsbuilder create api --make=false", median(times.api), base, 2);
} finally {
  rmSync(project, { recursive: true });
}

function report(name: string, time: number, base: number, goal: number): void {
  console.log(
    `${name.padEnd(34)}${time.toFixed(0)} ms  ${(time / base).toFixed(2)}x (goal: at most ${goal}x)`,
  );
}

function run(...args: string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
