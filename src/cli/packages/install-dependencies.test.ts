import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Project } from "../../project/project.ts";
import { installPackages } from "./change-packages.ts";
import { installDependencies } from "./install-dependencies.ts";

const path = process.env["PATH"];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tsbuilder-install-"));
});
afterEach(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true, force: true });
});

/** Puts a program in the place of npm, or of another package manager. */
function standIn(script: string, name = "npm"): void {
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  process.env["PATH"] = `${folder}${delimiter}${path}`;
}

test.skipIf(process.platform === "win32")(
  "does not wait for a network as long as npm does by itself, and has it say less",
  () => {
    standIn('printf "%s\\n" "$@" > arguments');
    installDependencies(folder, { note: () => undefined });
    const given = readFileSync(join(folder, "arguments"), "utf8");
    const longest = /^--fetch-retry-maxtimeout=(\d+)$/mu.exec(given)?.[1];
    expect(Number(longest)).toBeLessThan(5_000);
    // A first minute is no time to hear of other versions of npm.
    expect(given).toContain("--no-update-notifier\n");
  },
);

test.skipIf(process.platform === "win32").each([
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
])("where a project has %s, %s installs", (lockFile, name) => {
  writeFileSync(join(folder, lockFile), "");
  standIn("echo npm >> calls");
  standIn('echo "$0" "$@" >> calls', name);
  installDependencies(folder, { note: () => undefined });
  expect(readFileSync(join(folder, "calls"), "utf8")).toMatch(
    new RegExp(`^${join(folder, name)} install( --no-frozen-lockfile)?\n$`, "u"),
  );
  rmSync(join(folder, name));
  process.env["PATH"] = folder;
  expect(() => installDependencies(folder, { note: () => undefined })).toThrow(
    expect.objectContaining({ code: "TOOL_MISSING", message: `"${name}" is not on the PATH` }),
  );
});

test.skipIf(process.platform === "win32")("a new project gets what its lock file says", () => {
  standIn('echo "$1" >> calls; exit 1');
  const install = (): void => installDependencies(folder, { note: () => undefined }, { locked: true });
  expect(install).toThrow("npm install failed");
  writeFileSync(join(folder, "package-lock.json"), "{}");
  expect(install).toThrow(
    expect.objectContaining({
      message: "npm ci failed",
      hint: expect.stringMatching(/to retry: npm ci; npm install takes other versions/u) as string,
    }),
  );
  expect(readFileSync(join(folder, "calls"), "utf8")).toBe("install\nci\n");
});

test.skipIf(process.platform === "win32")("says where npm is from if there is none", () => {
  process.env["PATH"] = folder;
  expect(() => installDependencies(folder, { note: () => undefined })).toThrow(
    expect.objectContaining({ code: "TOOL_MISSING", message: '"npm" is not on the PATH' }),
  );
});

test.skipIf(process.platform === "win32")("says what runs before it does, and how to retry it", () => {
  standIn("exit 3");
  const notes: string[] = [];
  expect(() => installDependencies(folder, { note: (text) => void notes.push(text) })).toThrow(
    expect.objectContaining({ code: "TOOL_FAILED", hint: expect.stringContaining("npm install") as string }),
  );
  expect(notes).toEqual([
    "Installing the project's packages with npm install; if it is interrupted, run it again.",
  ]);
});

test.skipIf(process.platform === "win32")(
  "a template's packages are installed where those of the project are, if they are missing",
  () => {
    standIn('echo "$1" >> calls; mkdir node_modules/mysql2');
    const before = { resources: [], features: [] } as unknown as Project;
    const after = { resources: [{ template: { name: "mysql" } }], features: [] } as unknown as Project;
    const install = (former = before): void =>
      installPackages(folder, { before: former, after }, { note: () => undefined });
    install();
    expect(existsSync(join(folder, "calls"))).toBe(false);
    mkdirSync(join(folder, "node_modules"));
    // The user may have replaced what an earlier command brought.
    install(after);
    expect(existsSync(join(folder, "calls"))).toBe(false);
    install();
    install();
    expect(readFileSync(join(folder, "calls"), "utf8")).toBe("install\n");
  },
);
