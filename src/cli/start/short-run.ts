import { setFlagsFromString } from "node:v8";

/** Words of the commands that run until they are stopped. */
const staying = new Set(["cluster", "dev", "run", "--watch"]);

/**
 * Sets flags of V8 for a process that ends within seconds. Functions are optimized many times later, because a short
 * run does not get that time back. The young generation keeps its first size: most objects live until the end, and
 * copying them between growing halves takes memory and time.
 */
export function fitShortRun(argv: readonly string[]): void {
  if (argv.some((word) => staying.has(word))) return;
  for (const flag of ["--semi-space-growth-factor=1", ...lateOptimization()]) setFlagsFromString(flag);
}

/** Node 20 measures what calls cost; from Node 22 on, V8 counts them. */
function lateOptimization(): readonly string[] {
  return Number.parseInt(process.versions.node, 10) < 22
    ? ["--interrupt-budget=600000"]
    : ["--invocation-count-for-maglev=1600", "--invocation-count-for-turbofan=48000"];
}
