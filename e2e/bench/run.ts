import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Runs all benchmarks, or the named ones; each prints its ratios. */
const wanted = process.argv.slice(2);
const benches = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.startsWith(name)));

for (const bench of benches) {
  console.log(`\n== ${bench}`);
  const { status } = spawnSync(process.execPath, [...process.execArgv, join(import.meta.dirname, bench)], {
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
