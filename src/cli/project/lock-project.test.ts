import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { buildSync } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../../e2e/golden/golden-projects.ts";
import { leavePlan } from "../../../e2e/support/projects/interrupted-plan.ts";
import { parseProject } from "../../project/store.ts";
import { diskTree } from "../../scaffold/tree.ts";
import { withProjectLock } from "./lock-project.ts";

const tsx = import.meta.resolve("tsx");
const main = join(import.meta.dirname, "../start/from-source.ts");

const program = mkdtempSync(join(tmpdir(), "tsbuilder-lock-program-"));
const bundle = join(program, "lock-project.cjs");
beforeAll(() => {
  const entryPoints = [join(import.meta.dirname, "lock-project.ts")];
  const conditions = ["@tsbuilder/source"];
  buildSync({ entryPoints, outfile: bundle, bundle: true, platform: "node", format: "cjs", conditions });
});
afterAll(() => rmSync(program, { recursive: true }));

let root: string;
const children: ChildProcess[] = [];
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-lock-project-"));
  await run("init --domain example.com --project-name shop".split(" "), root);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
});

/** A process that acquires the project's lock and holds it. */
async function startHolder(): Promise<ChildProcess> {
  const code = `
    import { withProjectLock } from ${JSON.stringify(bundle)};
    const caller = { name: "create api", note: () => undefined };
    await withProjectLock(${JSON.stringify(root)}, caller, () => {
      process.send("locked");
      return new Promise((resolve) => setTimeout(resolve, 2 ** 30));
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  children.push(child);
  await once(child, "message");
  return child;
}

/** Runs the CLI in its own process. Returns its exit code and output. */
async function start(command: string): Promise<{ code: unknown; said: string }> {
  const child = spawn(
    process.execPath,
    ["--conditions=@tsbuilder/source", "--import", tsx, main, ...command.split(" ")],
    { cwd: root, stdio: ["ignore", "pipe", "pipe"] },
  );
  children.push(child);
  let said = "";
  child.stdout.on("data", (data) => (said += String(data)));
  child.stderr.on("data", (data) => (said += String(data)));
  const [code] = (await once(child, "close")) as [unknown];
  return { code, said };
}

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const createApi = (kind: string): string =>
  `create api --group apps --version v1 --kind ${kind} --make=false`;

describe("concurrent commands", () => {
  test("run one after the other", async () => {
    const kinds = ["Ant", "Bee", "Cat", "Dog", "Eel"];
    const commands = [...kinds.map(createApi), "edit --enable prometheus --make=false", "manifests"];
    const results = await Promise.all(commands.map(start));
    expect(results.map(({ code, said }) => (code === 0 ? 0 : said))).toEqual(commands.map(() => 0));

    const { project } = parseProject(read("PROJECT"));
    expect(project.resources.map(({ kind }) => kind).sort()).toEqual(kinds);
    expect(project.features).toContain("prometheus");
    const types = kinds.map((kind) => `${kind.toLowerCase()}_types.ts`);
    expect(readdirSync(join(root, "api/v1")).sort()).toEqual([...types, "groupversion_info.ts"].sort());
    for (const kind of kinds) expect(read("src/main.ts")).toContain(`setup${kind}Controller(manager);`);
    expect(readdirSync(join(root, ".tsbuilder"))).toEqual([".gitignore", "owned.json"]);

    // In any order, the files are those that PROJECT describes, and nothing is left over.
    const fresh = join(root, "../", `fresh-${process.pid}`);
    try {
      await run(["scaffold", fresh], root);
      const ours = diskTree(root);
      expect(
        diskTree(fresh)
          .list("")
          .filter((path) => !ours.has(path)),
      ).toEqual([]);
      for (const path of ["PROJECT", "config/crd/kustomization.yaml", "config/samples/kustomization.yaml"]) {
        expect(ours.read(path)).toBe(diskTree(fresh).read(path));
      }
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  });

  test("wait for the one that holds the lock", async () => {
    const holder = await startHolder();
    const waiting = run(createApi("Ant").split(" "), root);
    expect(existsSync(join(root, "api/v1/ant_types.ts"))).toBe(false);
    holder.kill("SIGKILL");
    await waiting;
    expect(existsSync(join(root, "api/v1/ant_types.ts"))).toBe(true);
  });

  test("print the process they wait for, and give up if it never finishes", async () => {
    const { pid } = await startHolder();
    const clock = new FakeClock();
    const notes: string[] = [];
    const caller = { name: "edit", note: (text: string) => void notes.push(text), clock };
    const waiting = withProjectLock(root, caller, () => Promise.resolve("done"));
    const outcome = Promise.allSettled([waiting]);
    await clock.advance(29_000);
    expect(notes).toEqual([`Waiting for tsbuilder create api (process ${pid}).`]);
    await clock.advance(2_000);
    expect(await outcome).toMatchObject([
      {
        reason: {
          code: "REFUSED",
          message: `another command is changing this project: tsbuilder create api (process ${pid})`,
          hint: expect.stringContaining(`kill ${pid}`) as string,
        },
      },
    ]);
  });

  test("do not wait to show their plans", async () => {
    await startHolder();
    const printed = await run([...createApi("Ant").split(" "), "--dry-run"], root);
    expect(printed).toContain("create api/v1/ant_types.ts");
  });
});

test("the lock of a killed command is released, and what it had staged is completed", async () => {
  const holder = await startHolder();
  leavePlan(root, [{ path: "notes.txt", content: "text" }]);
  // While it runs, nobody else completes what it has staged.
  await expect(run(["scaffold", join(root, "fresh")], root)).rejects.toThrow(
    `tsbuilder create api (process ${holder.pid})`,
  );
  expect(existsSync(join(root, "notes.txt"))).toBe(false);

  holder.kill("SIGKILL");
  await once(holder, "exit");
  expect(await run(createApi("Ant").split(" "), root)).toContain("its changes have been completed");
  expect(read("notes.txt")).toBe("text");
  expect(parseProject(read("PROJECT")).project.resources.map(({ kind }) => kind)).toEqual(["Ant"]);
  expect(readdirSync(join(root, ".tsbuilder"))).toEqual([".gitignore", "owned.json"]);
});

test("an init that fails leaves nothing behind", async () => {
  const empty = mkdtempSync(join(tmpdir(), "tsbuilder-lock-empty-"));
  try {
    const license = ["--license-file", "none.txt", "--project-name", "shop"];
    await expect(run(["init", "--domain", "example.com", ...license], empty)).rejects.toThrow("none.txt");
    expect(readdirSync(empty)).toEqual([]);
  } finally {
    rmSync(empty, { recursive: true });
  }
});
