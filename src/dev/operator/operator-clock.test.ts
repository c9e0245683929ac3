import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@tsbuilder/runtime/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { operatorClock } from "./session-operator.ts";
import { type OperatorProcess, operatorProcess } from "./operator-process.ts";

let folder: string;
let lines: string[];
let operator: OperatorProcess;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "operator clock "));
  lines = [];
  operator = operatorProcess({
    file: join(folder, "operator.mjs"),
    project: folder,
    preload: [operatorClock],
    args: [],
    env: {},
    standbyDelay: 10,
    listen: () => ({ message: () => undefined, end: () => undefined }),
    onLine: (line) => lines.push(line),
    onExit: (reason) => lines.push(reason),
  });
});
afterEach(async () => {
  await operator.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a program that has a clock and keeps running. */
async function run(program: string): Promise<void> {
  const head = `import { channel } from "node:diagnostics_channel";
    const clock = globalThis[Symbol.for("@tsbuilder/clock")];
    const hour = 3_600_000;
    setInterval(() => {}, 1000);
    ${program}
    console.log("began");`;
  writeFileSync(join(folder, "operator.mjs"), head);
  await operator.restart();
  await sees("began");
}

const sees = (line: string): Promise<void> => eventually(() => expect(lines).toContain(line));
const hour = 3_600_000;

test("what waits for the clock is due once it is moved, in its order, and what was cancelled is not", async () => {
  await run(`clock.setTimer(() => console.log("second"), 2 * hour);
    clock.setTimer(() => console.log("first"), hour);
    clock.setTimer(() => console.log("cancelled"), hour)();
    clock.setTimer(() => console.log("never"), 4 * hour);`);
  operator.moveClock(3 * hour);
  await sees("second");
  expect(lines).toEqual(["began", "first", "second"]);
});

test("the time and Date go on from where the clock is, and a Date is still one", async () => {
  await run(`const real = [Date.now(), performance.now(), clock.monotonic()];
    const old = new Date(0);
    clock.setTimer(() => {
      const ahead = (now, since) => Math.round((now - since) / hour);
      console.log("ahead", ahead(clock.now(), real[0]), ahead(clock.monotonic(), real[2]));
      console.log("date", ahead(Date.now(), real[0]), ahead(new Date().getTime(), real[0]), ahead(Date.parse(Date()), real[0]));
      class Day extends Date {}
      const dates = [old, new Date(), new Date(5), new Day()].map((date) => date instanceof Date && date.constructor.name);
      console.log(dates.join(), new Date(5).getTime(), new Date(2024, 0).getFullYear(), Date.UTC(1970, 0), new Day() instanceof Day);
      console.log("performance", ahead(performance.now(), real[1]));
    }, hour);`);
  operator.moveClock(2 * hour);
  await sees("performance 0");
  expect(lines).toEqual([
    "began",
    "ahead 2 2",
    "date 2 2 2",
    "Date,Date,Date,Day 5 2024 0 true",
    "performance 0",
  ]);
});

test("a process that is started later begins where the clock is", async () => {
  await run("");
  operator.moveClock(hour);
  lines.length = 0;
  const real = Date.now();
  await run(`console.log("ahead", Math.round((Date.now() - ${real}) / hour), clock.ahead);`);
  expect(lines).toEqual([`ahead 1 ${hour}`, "began"]);
});

test("the clock waits until no reconcile runs, and moves as far as it was asked meanwhile", async () => {
  await run(`const publish = (name) => channel("tsbuilder:reconcile:" + name).publish({});
    publish("start");
    publish("start");
    clock.moveTo(hour);
    clock.moveTo(2 * hour);
    publish("end");
    console.log("waits", clock.ahead);
    publish("end");
    console.log("moved", clock.ahead);
    clock.moveTo(hour);
    console.log("not back", clock.ahead);`);
  expect(lines).toEqual(["waits 0", `moved ${2 * hour}`, `not back ${2 * hour}`, "began"]);
});
