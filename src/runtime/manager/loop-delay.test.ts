import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** The longest blocks that a process of its own measures while it stands still, and the same and while it computes with a debugger. */
const program = `
  import { open } from "node:inspector";
  import { LoopDelay } from ${JSON.stringify(new URL("process-watch.ts", import.meta.url).href)};
  const measure = (block, options) => {
    const delay = new LoopDelay(options);
    block();
    delay.tick();
    return delay.take().milliseconds;
  };
  const stand = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  const compute = () => { for (const from = process.cpuUsage(); process.cpuUsage(from).user < 1_200_000;); };
  setTimeout(() => {
    const stood = measure(stand);
    let starved = 0;
    const late = measure(() => { stand(); starved += 1400; }, { readStarvedTime: () => starved });
    open(0, "127.0.0.1");
    console.log(JSON.stringify({ stood, late, paused: measure(stand), computed: measure(compute) }));
    process.exit();
  });`;

test("what stands still for more than a second is a block, unless others ran; with a debugger only what computes is", () => {
  const args = ["--import", "tsx", "--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toContain("Debugger listening");
  const { stood, late, paused, computed } = JSON.parse(stdout) as Record<string, number>;
  expect(stood).toBeGreaterThan(1000);
  expect(late).toBeLessThan(200);
  expect(paused).toBeLessThan(500);
  expect(computed).toBeGreaterThan(1000);
});
