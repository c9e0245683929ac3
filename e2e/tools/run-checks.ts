import { spawn } from "node:child_process";
import { repository } from "../support/source-imports.ts";
import type { Check } from "./plan-checks.ts";

/** Runs the checks in order, two at a time, and prints the duration of each, and its output if it fails. */
export async function runChecks(checks: readonly Check[], print: (text: string) => void): Promise<boolean> {
  const waiting = [...checks];
  let passed = true;
  async function work(): Promise<void> {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const started = performance.now();
      const { code, output } = await runNode(check.command);
      const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6);
      print(`${code === 0 ? "ok    " : "FAILED"} ${seconds} s  ${check.name}`);
      if (code === 0) continue;
      print(output);
      passed = false;
    }
  }
  await Promise.all([work(), work()]);
  return passed;
}

function runNode(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...args], { cwd: repository, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
