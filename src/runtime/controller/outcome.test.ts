import { expect, test } from "vitest";
import { startStringController } from "../../../e2e/support/runtime/string-controller.ts";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import type { Result } from "./reconciler.ts";

const conflict = () => new ApiError({ code: 409, reason: "Conflict", message: "changed" });

test("a reconcile that returns nothing doesn't run again until its request is added again", async () => {
  const seen: string[] = [];
  const { add, clock, results, finish } = await startStringController((request) => void seen.push(request));
  add("a");
  await clock.advance(3_600_000);
  add("a");
  await clock.advance(0);
  expect(seen).toEqual(["a", "a"]);
  expect(results).toEqual(["success", "success"]);
  await finish();
});

test.each(["30s", { seconds: 30 }] as const)(
  "a reconcile that returns requeueAfter %j runs again after that time, or earlier if its request is added",
  async (requeueAfter) => {
    const at: number[] = [];
    const { add, clock, finish } = await startStringController(() => {
      at.push(clock.monotonic());
      return { requeueAfter };
    });
    add("a");
    await clock.advance(30_000);
    await clock.advance(5000);
    add("a");
    await clock.advance(29_999);
    expect(at).toEqual([0, 30_000, 35_000]);
    await finish();
  },
);

test.each(["0s", "-1m"] as const)(
  "a reconcile that returns requeueAfter %s runs again with the delays of an error, and a line says so",
  async (requeueAfter) => {
    const at: number[] = [];
    const { add, clock, lines, results, finish } = await startStringController(() => {
      at.push(clock.monotonic());
      return at.length < 4 ? { requeueAfter } : undefined;
    });
    add("a");
    await clock.advance(1000);
    expect(at).toEqual([0, 5, 15, 35]);
    expect(results).toEqual(["requeue", "requeue", "requeue", "success"]);
    const warnings = lines.filter(({ level }) => level === "warn");
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toMatchObject({ name: "a", requeueAfter });
    await finish();
  },
);

test("a reconcile that throws runs again after 5 ms, doubling, and is logged with its stack", async () => {
  const at: number[] = [];
  const { add, clock, lines, results, finish } = await startStringController(() => {
    at.push(clock.monotonic());
    if (at.length < 5) throw new Error("no luck");
  });
  add("a");
  await clock.advance(10_000);
  expect(at).toEqual([0, 5, 15, 35, 75]);
  expect(results.filter((result) => result === "!error")).toHaveLength(4);
  expect(lines.find(({ msg }) => msg === "Reconciler error")).toMatchObject({
    level: "error",
    name: "a",
    error: "no luck",
    stacktrace: expect.stringContaining("no luck") as string,
  });
  await finish();
});

test("a conflict is retried and logged at debug level only", async () => {
  let runs = 0;
  const { add, clock, lines, results, finish } = await startStringController(() => {
    if (++runs === 1) throw conflict();
  });
  add("a");
  await clock.advance(5);
  expect(results).toEqual(["requeue", "success"]);
  expect(lines.filter(({ level }) => level === "error" || level === "warn")).toEqual([]);
  await finish();
});

test("conflicts without end are logged and counted from the eleventh on", async () => {
  let runs = 0;
  const { add, clock, lines, results, finish } = await startStringController(() => {
    if (++runs <= 12) throw conflict();
  });
  add("a");
  await clock.advance(60_000);
  expect(runs).toBe(13);
  const warnings = lines.filter(({ level }) => level === "warn");
  expect(warnings).toMatchObject([
    { name: "a", retries: 11, error: "changed" },
    { name: "a", retries: 12, error: "changed" },
  ]);
  expect(results.filter((result) => result === "!error")).toHaveLength(2);
  await finish();
});

test("a conflict of field managers is an error in log and metrics, and retried", async () => {
  const causes = [{ reason: "FieldManagerConflict", message: 'conflict with "other"', field: ".spec.size" }];
  const message = 'Apply failed with 1 conflict: conflict with "other": .spec.size';
  let runs = 0;
  const { add, clock, lines, results, finish } = await startStringController(() => {
    if (++runs < 3) throw new ApiError({ code: 409, reason: "Conflict", message, details: { causes } });
  });
  add("a");
  await clock.advance(15);
  expect(results).toEqual(["error", "!error", "error", "!error", "success"]);
  expect(lines.filter(({ level }) => level === "error")).toMatchObject([
    { msg: "Reconciler error", name: "a", error: message },
    { msg: "Reconciler error", name: "a", error: message },
  ]);
  await finish();
});

test("a TerminalError is not retried until the next change", async () => {
  let runs = 0;
  const { add, clock, results, finish } = await startStringController(() => {
    runs++;
    throw new TerminalError("never");
  });
  add("a");
  await clock.advance(100_000);
  expect(runs).toBe(1);
  add("a");
  await clock.advance(0);
  expect(runs).toBe(2);
  expect(results).toContain("!terminal");
  await finish();
});

test.each([
  ["a string", () => Promise.reject("words"), /not an Error: "words"/],
  ["undefined", () => Promise.reject(undefined), /not an Error: undefined/],
  ["a cyclic object", () => Promise.reject(Object.assign({}, { self: globalThis })), /not an Error: object/],
  ["a synchronous TypeError", () => (undefined as unknown as { x: () => never }).x(), /Cannot read/],
  ["an invalid duration", () => ({ requeueAfter: "soon" }), /requeueAfter is "soon"/],
  ["a number without a unit", () => ({ requeueAfter: 30 }), /requeueAfter is 30/],
  ["NaN as the priority", () => ({ requeueAfter: "1s", priority: NaN }), /priority is NaN/],
])("%s fails the reconcile, which is retried", async (_name, reconcile: () => unknown, message) => {
  let runs = 0;
  const { add, clock, lines, results, finish } = await startStringController((request) => {
    if (request === "good") return;
    runs++;
    return reconcile() as Result;
  });
  add("bad");
  add("good");
  await clock.advance(5);
  expect(runs).toBe(2);
  expect(results).toContain("success");
  expect(lines.find(({ msg }) => msg === "Reconciler error")?.["error"]).toMatch(message);
  await finish();
});
