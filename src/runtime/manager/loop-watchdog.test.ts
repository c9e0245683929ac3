import { expect, onTestFinished, test } from "vitest";
import { useProcessor } from "../../../e2e/support/runtime/use-processor.ts";
import { RequestChannel } from "../controller/source.ts";
import { createLogger } from "../log/logger.ts";
import { eventually } from "../testing/eventually.ts";
import { Manager } from "./manager.ts";
import { LoopWatchdog } from "./process-watch.ts";

test("a reconcile that blocks the event loop is logged by name and counted", async () => {
  const lines: { msg: string; reconciling?: string[]; seconds?: number }[] = [];
  const requests = new RequestChannel<string>();
  const manager = new Manager({
    name: "busy",
    config: { server: "http://127.0.0.1:1" },
    logger: createLogger({ write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[0]) }),
    metrics: { bindAddress: "127.0.0.1:0" },
    blockedAfter: "100ms",
  });
  manager
    .controllerOf<string>((request) => request)
    .named("hashes")
    .watchesSource(requests)
    .complete({
      async reconcile(request) {
        await new Promise(setImmediate);
        if (request === "heavy") useProcessor(400);
      },
    });
  const end = manager.start();
  onTestFinished(async () => {
    manager.stop();
    await end;
  });
  await manager.started;
  requests.send("light");
  // Longer than the watchdog's period, so that its timer fires first, however slow the machine is.
  await new Promise((resolve) => setTimeout(resolve, 50));
  lines.length = 0;
  requests.send("heavy");
  const line = await eventually(() => {
    const found = lines.find(({ reconciling }) => reconciling?.includes("hashes heavy"));
    expect(found).toBeDefined();
    return found!;
  });
  expect(line.reconciling).toEqual(["hashes heavy"]);
  expect(line.seconds).toBeGreaterThanOrEqual(0.2);
  const metrics = await (await fetch(`http://${manager.addresses.metrics}/metrics`)).text();
  const [, counted] = /^tsbuilder_event_loop_blocked_seconds_total (\S+)$/m.exec(metrics) ?? [];
  expect(Number(counted)).toBeGreaterThanOrEqual(0.2);
});

test("a loop that stands still because the process gets no processor is logged as such, and not counted", async () => {
  const lines: { msg: string; seconds?: number }[] = [];
  const blocked: number[] = [];
  // From then on the process has had no processor at all, as far as the system says.
  let start = Infinity;
  const watchdog = new LoopWatchdog({
    controllers: () => [],
    log: createLogger({ write: (line) => void lines.push(JSON.parse(line) as (typeof lines)[0]) }),
    blockedAfter: 100,
    onBlocked: (milliseconds) => blocked.push(milliseconds),
    readStarvedTime: () => Math.max(0, performance.now() - start),
  });
  await watchdog.start();
  onTestFinished(() => watchdog.stop());
  await new Promise((resolve) => setTimeout(resolve, 50));
  lines.length = 0;
  start = performance.now();
  while (performance.now() < start + 400);
  // A busy machine stops the loop for shorter times, too.
  const line = await eventually(() => {
    const found = lines.find(({ seconds = 0 }) => seconds >= 0.2);
    expect(found).toBeDefined();
    return found!;
  });
  expect(line.msg).toBe("The process got no processor: the machine is busy, or the container is throttled");
  expect(blocked.filter((milliseconds) => milliseconds >= 200)).toEqual([]);
});
