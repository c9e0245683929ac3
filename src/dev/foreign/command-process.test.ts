import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@tsbuilder/runtime/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { OperatorProcess } from "../operator/operator-process.ts";
import { commandProcess, runBuild } from "./command-process.ts";

let folder: string;
let lines: string[];
let exits: string[];
let operator: OperatorProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "command process "));
  [lines, exits, operator] = [[], [], undefined];
});
afterEach(async () => {
  await operator?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function prepare(command: string, env: Record<string, string | undefined> = {}): OperatorProcess {
  operator = commandProcess(
    { command, folder, env },
    {
      listen: () => ({ message: () => undefined, end: () => lines.push("ended") }),
      onLine: (line) => lines.push(line),
      onExit: (reason) => exits.push(reason),
    },
  );
  return operator;
}

/** Returns false also for a process that has ended and that nobody has waited for yet. */
function isAlive(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" });
  return /^[^Z\s]/u.test(stdout);
}

test("a command runs in a shell, in its folder, with the variables of the session", async () => {
  process.env["GONE"] = "there";
  await prepare('echo "$PWD|$KUBECONFIG|${GONE-none}" && exit 3', {
    KUBECONFIG: "k",
    GONE: undefined,
  }).restart();
  delete process.env["GONE"];
  await eventually(() => expect(exits).toEqual(["with code 3"]));
  expect(lines).toEqual([`${folder}|k|none`, "ended"]);
});

test("a restart ends the command with all that it started, and starts it again", async () => {
  // As go run does: the operator is a child of what was typed.
  const process = prepare("sh -c 'echo child $$; exec sleep 600' & echo began; wait");
  await process.restart();
  await eventually(() => expect(lines).toContain("began"));
  const [first] = await pidsOfSleep(1);
  await process.restart();
  await eventually(() => expect(lines.filter((line) => line === "began")).toHaveLength(2));
  expect(isAlive(first!)).toBe(false);
  expect(exits).toEqual([]);
});

async function pidsOfSleep(count: number): Promise<number[]> {
  return eventually(() => {
    const found = lines.flatMap((line) => /^child (\d+)$/u.exec(line)?.[1] ?? []).map(Number);
    expect(found).toHaveLength(count);
    return found;
  });
}

test("a command that waits for the operator is ended with it", async () => {
  await prepare("trap : TERM; sleep 600 & echo child $!; wait $!; wait $!; echo ended after it").restart();
  await pidsOfSleep(1);
  await operator!.stop();
  expect(lines).toContain("ended after it");
});

test("what a command leaves behind ends with it", async () => {
  await prepare("sleep 600 & echo child $!").restart();
  const [left] = await pidsOfSleep(1);
  await eventually(() => expect(exits).toEqual(["with code 0"]));
  await eventually(() => expect(isAlive(left!)).toBe(false));
});

test("a command ends with the process that started it, even if that is killed", async () => {
  const module = JSON.stringify(new URL("command-process.ts", import.meta.url).href);
  writeFileSync(
    join(folder, "parent.mjs"),
    `import { commandProcess } from ${module};
const command = { command: "echo child $$; exec sleep 600", folder: ${JSON.stringify(folder)}, env: {} };
await commandProcess(command, { listen: () => ({ message() {}, end() {} }), onLine: console.log, onExit() {} }).restart();`,
  );
  const loader = ["--conditions=@tsbuilder/source", `--import=${import.meta.resolve("tsx")}`];
  const parent = spawn(process.execPath, [...loader, join(folder, "parent.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  parent.stdout.setEncoding("utf8").on("data", (text: string) => lines.push(text.trim()));
  const [child] = await pidsOfSleep(1);
  parent.kill("SIGKILL");
  await once(parent, "exit");
  await eventually(() => expect(isAlive(child!)).toBe(false));
});

test("a build that fails says so with the end of its output; one that succeeds says nothing", async () => {
  const build = (command: string) => runBuild({ command, folder, env: {} }, new AbortController().signal);
  await build("echo built > result");
  expect(readFileSync(join(folder, "result"), "utf8")).toBe("built\n");
  await expect(build("seq 1 50; echo 'main.go:3: undefined: x' >&2; exit 2")).rejects.toMatchObject({
    message: expect.stringMatching(/^the build ended with code 2\n[^]*main\.go:3: undefined: x/u) as string,
    hint: "fix it and save: it is built again",
  });
});

test("a build that is aborted ends", async () => {
  const ending = new AbortController();
  const building = runBuild({ command: "sleep 600", folder, env: {} }, ending.signal);
  ending.abort();
  await expect(building).rejects.toThrow("the build ended with signal SIGTERM");
});
