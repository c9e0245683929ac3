import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Runs all benchmarks, or the named ones; each prints its ratios. The beginning of names stands for all that begin so. */
const all = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".ts") && file !== "run.ts");
const wanted = process.argv.slice(2);
const benches = all.filter((file) => wanted.length === 0 || wanted.some((name) => isNamed(file, name)));

for (const bench of benches) {
  console.log(`\n== ${bench}`);
  const { status } = spawnSync(process.execPath, [...process.execArgv, join(import.meta.dirname, bench)], {
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}

function isNamed(file: string, name: string): boolean {
  return all.includes(`${name}.ts`) ? file === `${name}.ts` : file.startsWith(name);
}
