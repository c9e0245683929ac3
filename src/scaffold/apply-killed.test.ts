import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import { recoverPlan } from "./apply.ts";
import { diskTree } from "./tree.ts";

const fileCount = 60;
const apply = new URL("./apply.ts", import.meta.url).pathname;

/** Replaces, deletes and creates files by one plan, back and forth. */
const program = `
  import { applyPlan } from ${JSON.stringify(apply)};
  const [root] = process.argv.slice(-1);
  const [from, to] = [process.env.FROM, process.env.TO];
  const changes = [];
  for (let i = 0; i < ${fileCount}; i++) {
    changes.push({ path: from + "/" + i, content: undefined, before: from, action: "delete", ownership: "yours" });
    changes.push({ path: to + "/" + i, content: to, before: undefined, action: "create", ownership: "yours" });
    changes.push({ path: "both/" + i, content: to, before: from, action: "update", ownership: "yours" });
  }
  process.send("ready");
  applyPlan(root, changes);
  process.send("done");
`;

test("a project is complete after a kill at any moment, once the next command has run", async () => {
  const root = mkdtempSync(join(tmpdir(), "tsbuilder-killed-"));
  const script = `${root}.mjs`;
  // Bundled, because compiling it in each process would take ten times as long.
  const stdin = {
    contents: program,
    loader: "ts",
    resolveDir: new URL(".", import.meta.url).pathname,
  } as const;
  buildSync({ stdin, outfile: script, bundle: true, platform: "node", format: "esm" });
  mkdirSync(join(root, "both"));
  mkdirSync(join(root, "a"));
  for (let i = 0; i < fileCount; i++) {
    writeFileSync(join(root, "a", String(i)), "a");
    writeFileSync(join(root, "both", String(i)), "a");
  }
  try {
    let state = "a";
    for (let round = 0; round < 12; round++) {
      const next = state === "a" ? "b" : "a";
      await applyAndKill(script, root, state, next, round * 2);
      recoverPlan(root);
      const files = diskTree(root).list("");
      const contents = new Set(files.map((file) => readFileSync(join(root, file), "utf8")));
      expect(contents.size).toBe(1);
      [state] = [...contents] as [string];
      expect(files).toHaveLength(2 * fileCount);
      expect(files.filter((file) => file.startsWith(`${state}/`))).toHaveLength(fileCount);
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
    rmSync(script);
  }
});

async function applyAndKill(
  script: string,
  root: string,
  from: string,
  to: string,
  after: number,
): Promise<void> {
  const child = spawn(process.execPath, [script, root], {
    env: { ...process.env, FROM: from, TO: to },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await once(child, "message");
  setTimeout(() => child.kill("SIGKILL"), after);
  await once(child, "exit");
}
