/**
 * The cost of an import of the runtime: an empty program with the runtime bundled into one file, compared with one
 * without.
 * Run: node --conditions=@tsbuilder/source --import tsx e2e/lab/bench/run.ts runtime-import
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleProgram } from "../../support/bundle-program.ts";

const rounds = 7;
const folder = mkdtempSync(join(tmpdir(), "tsbuilder-bench-"));
try {
  const bundle = join(folder, "runtime.mjs");
  const text = 'import { Manager } from "@tsbuilder/runtime"; Object.assign(globalThis, { kept: Manager });';
  await bundleProgram({ text, folder: import.meta.dirname }, bundle);
  const empty = join(folder, "empty.mjs");
  writeFileSync(empty, "");
  const [bare, runtime] = [measure(empty), measure(bundle)];
  console.log(
    `bundle: ${(statSync(bundle).size / 1024).toFixed(0)} KiB, node ${process.version}, medians of ${rounds}`,
  );
  console.log(
    `empty program: ${bare.milliseconds.toFixed(0)} ms to import, ${bare.megabytes.toFixed(0)} MB RSS`,
  );
  console.log(
    `runtime: ${runtime.milliseconds.toFixed(0)} ms to import, ${runtime.megabytes.toFixed(0)} MB RSS`,
  );
  console.log(`RSS ratio: ${(runtime.megabytes / bare.megabytes).toFixed(2)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measure(file: string): { milliseconds: number; megabytes: number } {
  const program = `
    const started = performance.now();
    await import(${JSON.stringify(file)});
    console.log(JSON.stringify({ milliseconds: performance.now() - started, megabytes: process.memoryUsage.rss() / 1048576 }));
  `;
  const results = Array.from({ length: rounds }, () => {
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
      encoding: "utf8",
    });
    return JSON.parse(stdout) as { milliseconds: number; megabytes: number };
  });
  const median = (field: keyof (typeof results)[0]): number =>
    results.map((result) => result[field]).sort((a, b) => a - b)[Math.floor(rounds / 2)]!;
  return { milliseconds: median("milliseconds"), megabytes: median("megabytes") };
}
