import { expect, test } from "vitest";
import { runChecks } from "./run-checks.ts";

const node = (name: string, script: string) => ({ name, command: ["-e", script] });
const seconds = expect.stringMatching(/^ok +\d+\.\d s {2}quiet$/);

test("runChecks() prints the output of a failed check, and only the seconds of the others", async () => {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  expect(await runChecks([node("quiet", 'console.log("fine")')], print)).toBe(true);
  expect(printed).toEqual([seconds]);

  const wrong = node("wrong", 'console.log("in"); console.error("vain"); process.exitCode = 3');
  expect(await runChecks([wrong, node("quiet", "")], print)).toBe(false);
  expect(printed.join("\n")).toMatch(/FAILED +\d+\.\d s {2}wrong\n/);
  expect(printed.join("\n")).toContain("in\nvain\n");
});

test("runChecks() counts a killed check as failed", async () => {
  expect(await runChecks([node("killed", 'process.kill(process.pid, "SIGKILL")')], () => {})).toBe(false);
});
