import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../../e2e/golden/golden-projects.ts";
import { talk as talkIn } from "../../../e2e/support/dev/terminal.ts";

let root: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-prompt-"));
  await run(["init", "--domain", "example.com", "--project-name", "shop"], root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const talk = (argv: readonly string[], answers: Parameters<typeof talkIn>[2]): ReturnType<typeof talkIn> =>
  talkIn(root, argv, answers);

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
