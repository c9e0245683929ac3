import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@tsbuilder/runtime/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type OperatorOptions, type OperatorProcess, operatorProcess } from "./operator-process.ts";

let folder: string;
let lines: string[];
let exits: string[];
let messages: unknown[];
let operator: OperatorProcess;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "operator process "));
  lines = [];
  exits = [];
  messages = [];
});

afterEach(async () => {
  await operator.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("a restart stops the old operator first, and loads the current bundle in the standby process", async () => {
  writeOperator("first");
  prepare();
  await operator.restart();
  const [first, waiting] = await twoStarted();
  writeOperator("second");
  await operator.restart();
  await sees("second began");
  expect(lines).toEqual([
    `first began --one,--two ${first}`,
    "first ended",
    `second began --one,--two ${waiting}`,
  ]);
  expect(exits).toEqual([]);
});

test("something is done while no operator runs, and one is started also if that fails", async () => {
  writeOperator("first");
  prepare();
  await operator.restart();
  await sees("first began");
  let wasRunning: boolean | undefined;
  const restarting = operator.restart(async () => {
    wasRunning = operator.isRunning();
    expect(lines.at(-1)).toBe("first ended");
    writeOperator("second");
    throw new Error("no luck");
  });
  await expect(restarting).rejects.toThrow("no luck");
  await sees("second began");
  expect(wasRunning).toBe(false);
});

test("a killed standby process is replaced, and ends with the operator", async () => {
  writeOperator("first");
  prepare();
  await operator.restart();
  const [, waiting] = await twoStarted();
  process.kill(waiting, "SIGKILL");
  await eventually(() => !isRunning(waiting));
  writeOperator("second");
  await operator.restart();
  await sees("second began");
  await eventually(() => expect(started()).toHaveLength(4));
  await operator.stop();
  await eventually(() => started().every((pid) => !isRunning(pid)));
  expect(exits).toEqual([]);
});

test("with a debugger there is no standby process, since it would hold the debugger's port", async () => {
  writeOperator("first");
  prepare({ inspect: "127.0.0.1:0" });
  await operator.restart();
  await sees("Debugger listening on ws://127.0.0.1");
  await sees("first began");
  await operator.restart();
  await eventually(() => expect(lines.filter((line) => line.startsWith("first began"))).toHaveLength(2));
  expect(started()).toHaveLength(2);
});

test("an operator that exits on its own is reported, and can be restarted", async () => {
  writeFileSync(file(), "process.exit(3);");
  prepare();
  await operator.restart();
  await eventually(() => expect(exits).toEqual(["with code 3"]));
  expect(operator.isRunning()).toBe(false);
  writeOperator("mended");
  await operator.restart();
  await sees("mended began");
});

test("an exit is expected while somebody waits for it, and no later one", async () => {
  const isExpected: boolean[] = [];
  writeFileSync(file(), `setInterval(() => {}, 1000); console.log("pid", process.pid, "waits");`);
  prepare({ onExit: (_, expected) => isExpected.push(expected) });
  const { signal } = new AbortController();
  const kill = async (): Promise<void> => {
    process.kill(Number(/^pid (\d+) waits$/u.exec(lines.at(-1)!)![1]), "SIGKILL");
  };
  await operator.restart();
  await sees("waits");
  expect(await operator.endsAfter(kill, signal)).toBe(true);
  expect(isExpected).toEqual([true]);
  lines = [];
  await operator.restart();
  await sees("waits");
  expect(await operator.endsAfter(async () => {}, AbortSignal.abort())).toBe(false);
  await kill();
  await eventually(() => expect(isExpected).toEqual([true, false]));
});

test("what a process sends is received, also what it sends last; then its end", async () => {
  writeFileSync(file(), `process.send(["first"]); process.on("exit", () => process.send(["last"]));`);
  prepare();
  await operator.restart();
  await eventually(() => expect(messages).toEqual([["first"], ["last"], "end"]));
});

function file(): string {
  return join(folder, "operator.mjs");
}

/** An operator that prints its name once it can be stopped, and takes a while to stop. */
function writeOperator(name: string): void {
  writeFileSync(
    file(),
    `process.on("SIGTERM", () => setTimeout(() => { console.log("${name} ended"); process.exit(); }, 50));
    console.log("${name} began", process.argv.slice(2).join(), process.pid);
    setInterval(() => {}, 1000);`,
  );
}

function prepare(options: Partial<OperatorOptions> = {}): void {
  const note = `import fs from "node:fs"; fs.appendFileSync(${JSON.stringify(join(folder, "started"))}, process.pid + "\\n");`;
  operator = operatorProcess({
    file: file(),
    project: folder,
    preload: [`data:text/javascript,${encodeURIComponent(note)}`],
    args: ["--one", "--two"],
    env: {},
    standbyDelay: 10,
    listen: () => ({ message: (message) => messages.push(message), end: () => messages.push("end") }),
    onLine: (line) => lines.push(line),
    onExit: (reason) => exits.push(reason),
    ...options,
  });
}

/** The processes started so far, in standby or as the operator. */
function started(): number[] {
  return readFileSync(join(folder, "started"), "utf8").trim().split("\n").map(Number);
}

/** The first operator and the standby process; either may have started first. */
async function twoStarted(): Promise<[first: number, waiting: number]> {
  await sees("first began");
  await eventually(() => expect(started()).toHaveLength(2));
  const first = Number(/^first began .* (\d+)$/m.exec(lines.join("\n"))![1]);
  return [first, started().find((pid) => pid !== first)!];
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function sees(text: string): Promise<void> {
  return eventually(() => expect(lines.join("\n")).toContain(text));
}
