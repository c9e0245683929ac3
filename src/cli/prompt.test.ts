import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { spawn } from "@lydell/node-pty";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../e2e/golden/golden-projects.ts";

const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
const main = new URL("start/from-source.ts", import.meta.url).pathname;

let root: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-prompt-"));
  await run(["init", "--domain", "example.com", "--project-name", "shop"], root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("a user at a terminal", () => {
  test("is prompted for the flags of create api, and again after an invalid answer", async () => {
    const screen = await talk(
      ["create", "api", "--make=false"],
      [
        ["Group:", "apps\r"],
        ["Version:", "\r"],
        ["Kind:", "order\r"],
        ["is not valid", "\u007f\u007f\u007f\u007f\u007fOrder\r"],
        ["Create Resource?", "\r"],
        ["Create Controller?", "n\r"],
      ],
    );
    expect(screen.exitCode).toBe(0);
    expect(readFileSync(join(root, "PROJECT"), "utf8")).toContain("kind: Order");
    expect(existsSync(join(root, "api/v1/order_types.ts"))).toBe(true);
    expect(existsSync(join(root, "src/controller"))).toBe(false);
  });

  test("gets no prompt if all required flags are given", async () => {
    const screen = await talk(
      ["create", "api", "--group", "apps", "--version", "v1", "--kind", "Order", "--make=false"],
      [],
    );
    expect(screen.exitCode).toBe(0);
    expect(existsSync(join(root, "src/controller/order_controller.ts"))).toBe(true);
  });

  test.each([
    ["Ctrl-C", "\u0003"],
    ["Ctrl-D", "\u0004"],
  ])("can cancel with %s, which changes nothing", async (_, key) => {
    const screen = await talk(["create", "api"], [["Group:", key]]);
    expect(screen.exitCode).toBe(130);
    expect(screen.text).toContain("hint: pass it as a flag: --group GROUP");
    expect(existsSync(join(root, "api"))).toBe(false);
  });

  test("can cancel at a yes or no, and is told both flags", async () => {
    const screen = await talk(
      ["create", "api", "--group", "apps", "--version", "v1"],
      [
        ["Kind:", "Order\r"],
        ["Create Resource?", "\u0003"],
      ],
    );
    expect(screen.exitCode).toBe(130);
    expect(screen.text).toContain("hint: pass it as a flag: --resource or --resource=false");
    expect(existsSync(join(root, "api"))).toBe(false);
  });
});

/** Waits for each question before it answers, as a person does. */
function talk(
  argv: readonly string[],
  answers: ReadonlyArray<readonly [question: string, answer: string]>,
): Promise<{ text: string; exitCode: number }> {
  return new Promise((resolve) => {
    const terminal = spawn(
      process.execPath,
      ["--conditions=@tsbuilder/source", "--import", tsx, main, ...argv],
      { cwd: root, cols: 120, rows: 40, env: { ...process.env, CI: "", NO_COLOR: "1" } },
    );
    let text = "";
    let seen = 0;
    const left = [...answers];
    terminal.onData((data) => {
      text += data;
      const at = left.length > 0 ? text.indexOf(left[0]![0], seen) : -1;
      if (at === -1) return;
      seen = text.length;
      terminal.write(left.shift()![1]);
    });
    terminal.onExit(({ exitCode }) => resolve({ text, exitCode }));
  });
}
