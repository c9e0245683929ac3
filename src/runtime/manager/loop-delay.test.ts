import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** The longest block that a process of its own measures, in milliseconds. */
function measure(block: string, ...nodeArgs: string[]): number {
  const program = `
    import { LoopDelay } from ${JSON.stringify(new URL("loop-delay.ts", import.meta.url).href)};
    setTimeout(() => {
      const delay = new LoopDelay();
      ${block};
      delay.tick();
      console.log(delay.take().milliseconds);
    });`;
  const args = [...nodeArgs, "--import", "tsx", "--input-type=module", "--eval", program];
  return Number(spawnSync(process.execPath, args, { encoding: "utf8" }).stdout);
}

const stand = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000)";
const compute = "for (const from = process.cpuUsage(); process.cpuUsage(from).user < 1_500_000;);";

test("what stands still for more than a second is a block, but with a debugger only what computes", () => {
  expect(measure(stand)).toBeGreaterThan(1500);
  expect(measure(stand, "--inspect=127.0.0.1:0")).toBeLessThan(500);
  expect(measure(compute, "--inspect=127.0.0.1:0")).toBeGreaterThan(1000);
});
