import { FakeClock } from "@tsbuilder/apimachinery/time";
import { ControllerEngine } from "../../../src/runtime/controller/controller.ts";
import { TimeSlices } from "../../../src/runtime/clock/time-slices.ts";
import type { ControllerSpec } from "../../../src/runtime/controller/controller-spec.ts";
import type { Context, Result } from "../../../src/runtime/controller/reconciler.ts";
import type { Enqueue } from "../../../src/runtime/controller/source.ts";
import { createLogger } from "../../../src/runtime/log/logger.ts";

type Reconcile = (request: string, context: Context) => Promise<Result> | Result;
/** A line that the controller logged. */
export type LogLine = { level: string; msg: string } & { [field: string]: unknown };

/** Starts a controller whose requests are strings, on a clock that the test moves. */
export async function startStringController(
  reconcile: Reconcile,
  overrides: Partial<ControllerSpec<string>> = {},
) {
  const clock = new FakeClock();
  const lines: LogLine[] = [];
  const log = createLogger({
    level: "debug",
    clock,
    write: (line) => void lines.push(JSON.parse(line) as LogLine),
  });
  let enqueue: Enqueue<string> = () => {};
  const results: string[] = [];
  const engine = new ControllerEngine<string>({
    name: "test",
    keyOf: (request) => request,
    describe: (name) => ({ name }),
    sources: [{ name: "source", start: (add) => void (enqueue = add) }],
    reconciler: { reconcile },
    maxConcurrentReconciles: 1,
    reconcileTimeout: undefined,
    stuckAfter: 300_000,
    cacheSyncTimeout: 120_000,
    backoff: { base: 5, max: 1_000_000 },
    log,
    events: { normal() {}, warning() {} },
    clock,
    slices: new TimeSlices(clock, () => clock.monotonic()),
    ...overrides,
  });
  engine.observe({
    reconciled: (result) => void results.push(result),
    failed: (kind) => void results.push(`!${kind}`),
    added() {},
    retried() {},
    taken() {},
    finished() {},
  });
  const stop = new AbortController();
  const deadline = new AbortController();
  const end = engine.run(stop.signal, deadline.signal);
  await clock.advance(0);
  return {
    engine,
    clock,
    lines,
    results,
    add: (request: string, options?: Parameters<Enqueue<string>>[1]) => enqueue(request, options),
    stop,
    deadline,
    end,
    finish: () => {
      stop.abort();
      return end;
    },
  };
}
