import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { tryLock } from "./try-lock.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-"));
  file = join(folder, "lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

// Bundled: processes that compiled it first would not start at the same time.
const bundle = join(mkdtempSync(join(tmpdir(), "lock-program-")), "try-lock.mjs");
beforeAll(() => {
  const entryPoints = [join(import.meta.dirname, "try-lock.ts")];
  buildSync({ entryPoints, outfile: bundle, bundle: true, platform: "node", format: "esm" });
});
afterAll(() => rmSync(join(bundle, ".."), { recursive: true }));

function start(program: string): ChildProcess {
  const code = `import { tryLock } from ${JSON.stringify(bundle)}; import fs from "node:fs"; const file = ${JSON.stringify(file)}; ${program}`;
  return spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

test("a lock has one holder at a time, with a purpose", () => {
  const lock = tryLock(file, "one");
  expect(tryLock(file, "two")).toEqual({ heldBy: { pid: process.pid, purpose: "one" } });
  lock.release!();
  const next = tryLock(file, "two");
  lock.release!();
  expect(tryLock(file).heldBy?.purpose).toBe("two");
  next.release!();
  expect(readdirSync(folder)).toEqual([]);
});

test("the lock of a killed process is taken over, even while the process is a zombie", async () => {
  const child = start(`tryLock(file, "sleep"); process.send("locked"); setInterval(() => {}, 1000);`);
  await once(child, "message");
  expect(tryLock(file)).toEqual({ heldBy: { pid: child.pid, purpose: "sleep" } });
  child.kill("SIGKILL");
  await once(child, "exit");
  tryLock(file).release!();
  expect(readdirSync(folder)).toEqual([]);
});

test.each(["", "nonsense", "1 0\n", `${process.pid} 1\n`, `${process.ppid}\n`, "-1\n", "0\n"])(
  "a lock file with the content %j is not held",
  (text) => {
    writeFileSync(file, text);
    const lock = tryLock(file);
    expect(lock.heldBy).toBeUndefined();
    lock.release!();
    expect(readdirSync(folder)).toEqual([]);
  },
);

test.runIf(process.platform === "linux")(
  "a lock that came with a clone names no process of this machine",
  () => {
    const started = readFileSync(`/proc/${process.ppid}/stat`, "utf8").split(") ").at(-1)!.split(" ")[19]!;
    for (const boot of ["", " ", ` ${"0".repeat(8)}-0000-4000-8000-${"0".repeat(12)}`]) {
      writeFileSync(file, `${process.ppid} ${started}${boot}\ntsbuilder dev\n`);
      const lock = tryLock(file);
      expect(lock.heldBy).toBeUndefined();
      lock.release!();
    }
  },
);

test("a process that was killed while it took over a lock doesn't block others", () => {
  const left = "1 0\n";
  const hash = createHash("sha256").update(left).digest("hex").slice(0, 16);
  writeFileSync(file, left);
  writeFileSync(`${file}.${hash}`, left);
  const lock = tryLock(file);
  expect(lock.heldBy).toBeUndefined();
  lock.release!();
  expect(readdirSync(folder)).toEqual([]);
});

/**
 * Several processes take the lock as often as they can and increment a counter while they hold it; meanwhile others
 * are killed while they hold it. No increment may be lost.
 */
test("of several processes that take over the lock of a killed one, exactly one gets it", async () => {
  const [workers, turns, victims] = [4, 60, 12];
  writeFileSync(join(folder, "count"), "0");
  const take = `const take = () => { for (;;) { const lock = tryLock(file); if (!lock.heldBy) return lock; } };`;
  const raise =
    `const n = Number(fs.readFileSync(file + "/../count", "utf8")); fs.writeFileSync(file + "/../count", String(n + 1));`.replaceAll(
      'file + "/../count"',
      JSON.stringify(join(folder, "count")),
    );
  const work = `${take} for (let i = 0; i < ${turns}; i++) { const lock = take(); ${raise} lock.release(); }`;
  const die = `${take} take(); ${raise} process.kill(process.pid, "SIGKILL");`;
  const children = Array.from({ length: workers }, () => start(work));
  for (let i = 0; i < victims; i++) children.push(start(die));
  await Promise.all(children.map((child) => once(child, "exit")));
  expect(readFileSync(join(folder, "count"), "utf8")).toBe(String(workers * turns + victims));
  tryLock(file).release!();
  expect(readdirSync(folder)).toEqual(["count"]);
});
