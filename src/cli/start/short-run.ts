import { setFlagsFromString } from "node:v8";

/** Words of the commands that run until they are stopped. */
const staying = new Set(["cluster", "dev", "run", "--watch"]);

/**
 * Makes V8 fit a process that ends within seconds. Functions are optimized many times later: what a short run spends on
 * that, it does not get back. The young generation stays as small as it begins: most of what is allocated is needed
 * until the end, and copying it between larger and larger halves takes memory and time.
 */
export function fitShortRun(argv: readonly string[]): void {
  if (argv.some((word) => staying.has(word))) return;
  for (const flag of ["--semi-space-growth-factor=1", ...lateOptimization()]) setFlagsFromString(flag);
}

/** From Node 22 on, V8 counts calls and no longer what they cost. */
function lateOptimization(): readonly string[] {
  return Number.parseInt(process.versions.node, 10) < 22
    ? ["--interrupt-budget=600000"]
    : ["--invocation-count-for-maglev=1600", "--invocation-count-for-turbofan=48000"];
}
