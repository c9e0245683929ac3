import { join } from "node:path";
import { expect, test } from "vitest";
import { goldenHost } from "../../../e2e/golden/golden-projects.ts";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { runTool } from "../../ship/tool.ts";
import { commands } from "../commands/index.ts";
import { dispatch } from "./main.ts";
import { noteSteps } from "../reporting/report.ts";
import { takeVerbose } from "../arguments/command-line.ts";

const folder = useProjectFolder();

/** The notes of a command, and what it ended with. */
async function notesOf(line: string): Promise<{ notes: string[]; end: unknown }> {
  const notes: string[] = [];
  const ui = { print: () => undefined, note: (text: string) => void notes.push(text), isInteractive: false };
  const end = await dispatch(line.split(" "), folder.root, ui, goldenHost).catch((error: unknown) => error);
  return { notes, end };
}

test("--verbose names every file that is written, and says nothing without", async () => {
  await folder.initialize();
  const api = "create api --group apps --version v1 --make=false --kind";
  const { notes } = await notesOf(`${api} Order --verbose`);
  expect(notes).toContain(`create ${join(folder.root, "api/v1/order_types.ts")}`);
  expect(notes).toContain(`update ${join(folder.root, "PROJECT")}`);
  expect((await notesOf(`${api} Invoice`)).notes).toEqual([]);
});

test("--verbose prints the stack of an error, with its causes", async () => {
  const ui = { print: () => undefined, isInteractive: false };
  const notes: string[] = [];
  const failed = noteSteps({ ...ui, note: (text) => void notes.push(text) }, () =>
    Promise.reject(new Error("outer", { cause: new Error("inner") })),
  );
  await expect(failed).rejects.toThrow("outer");
  expect(notes.join("\n")).toMatch(/^Error: outer\n +at .*\ncaused by: Error: inner\n +at /su);
  expect((await notesOf("doctor --nosuch --verbose")).notes.join("\n")).toContain("at explain");
  expect((await notesOf("doctor --nosuch")).notes).toEqual([]);
});

test("--verbose says which programs ran, also those that failed", async () => {
  const notes: string[] = [];
  const ui = { print: () => undefined, note: (text: string) => void notes.push(text), isInteractive: false };
  const node = (code: string) => runTool({ tool: process.execPath, args: ["-e", code] });
  await noteSteps(ui, async () => {
    await node("0");
    await node("process.exit(1)").catch(() => undefined);
    return 0;
  });
  await node("1");
  expect(notes).toEqual([
    expect.stringMatching(/^ran in \d\.\d s: .*node.* -e 0$/u),
    expect.stringMatching(/^ran in \d\.\d s: .*node.* -e 'process\.exit\(1\)'$/u),
  ]);
});

test("what stands behind -- is for the operator", () => {
  expect(takeVerbose(["--verbose", "--", "--verbose"])).toEqual({
    rest: ["--", "--verbose"],
    isVerbose: true,
  });
  expect(takeVerbose(["--", "--verbose"]).isVerbose).toBe(false);
});

test.each(commands.map((entry) => [entry.name, entry] as const))(
  "%s has no such flag itself",
  async (_, entry) => {
    expect(Object.keys((await entry.load()).flags)).not.toContain("verbose");
  },
);
