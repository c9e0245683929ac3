import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../../../e2e/support/eventually.ts";
import { repository } from "../../../e2e/support/source-imports.ts";
import { runTestFiles } from "./run-test-files.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-test-files-"));
  symlinkSync(join(repository, "node_modules"), join(root, "node_modules"));
  mkdirSync(join(root, "trial"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function runFile(path: string, text: string, signal?: AbortSignal) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `import { test } from "vitest";\n${text}`);
  return runTestFiles(root, [path], { folder: join(root, "trial"), env: {}, signal });
}

test("an error that no test waits for is an outcome, also if the file's path looks like a pattern", async () => {
  const path = "test/scorecard/late[1].test.ts";
  const [file] = await runFile(path, `test("passes", () => void Promise.reject(new Error("too late")));\n`);

  expect(file).toMatchObject({
    path,
    outcomes: [
      { name: "passes", messages: [] },
      { name: "vitest", messages: [expect.stringContaining("too late")] },
    ],
  });
});

test("a file whose tests are all skipped has no outcomes, and is not broken", async () => {
  const files = await runFile(
    "test/scorecard/skipped.test.ts",
    `test.skip("later", () => {});\ntest.todo("some day");\n`,
  );

  expect(files).toEqual([{ path: "test/scorecard/skipped.test.ts", outcomes: [], skipped: 2 }]);
});

test("vitest and the process that runs the file end with the signal, whose reason is thrown", async () => {
  const stop = new AbortController();
  const started = join(root, "started");
  // A worker that has something to report notices that vitest is gone; after half a second this one has nothing.
  const waiting = `import { writeFileSync } from "node:fs";
test("waits", async () => {
  await new Promise((resolve) => setTimeout(resolve, 500));
  writeFileSync(${JSON.stringify(started)}, String(process.pid));
  await new Promise(() => setInterval(() => {}, 1000));
}, 0);
`;
  const ran = runFile("test/scorecard/waits.test.ts", waiting, stop.signal);
  const stopped = eventually(() => {
    if (!existsSync(started) || readFileSync(started, "utf8") === "")
      throw new Error("vitest has not started");
    stop.abort(new Error("stopped"));
  });

  await expect(ran).rejects.toThrow("stopped");
  await stopped;
  const pid = Number(readFileSync(started, "utf8"));
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"));
});
