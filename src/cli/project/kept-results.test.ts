import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import type { ManifestsPlan } from "../../generators/model/files.ts";
import { planManifests } from "../../generators/manifests.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import { KeptResults } from "./kept-results.ts";

const tree = memoryTree({
  "src/app_controller.ts": "// +kubebuilder:rbac:groups=apps,resources=pods,verbs=get\n",
});
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tsbuilder-kept-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** Runs the generators as a command does in the project at a path; returns the plan, and how many files it knew. */
async function run(root: string): Promise<{ plan: ManifestsPlan; known: number }> {
  let known = -1;
  const plan = await new KeptResults(folder, root, "code").plan(tree, {}, (cache) => {
    known = cache.modules.size;
    return planManifests(tree, {}, cache);
  });
  return { plan, known };
}

it("keeps the results of each project, for their owner only", async () => {
  const first = await run("/home/ada/app");
  expect(await run("/home/ada/app")).toEqual({ plan: first.plan, known: 1 });
  expect(await run("/home/ada/other")).toEqual({ plan: first.plan, known: 0 });
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600]);
});

it("works where results are broken, or cannot be kept", async () => {
  const { plan } = await run("/home/ada/app");
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), "nonsense");
  expect(await run("/home/ada/app")).toEqual({ plan, known: 0 });
  rmSync(folder, { recursive: true });
  expect(await run("/home/ada/app")).toEqual({ plan, known: 0 });
});

it("keeps the 32 projects that were worked on last", async () => {
  for (let i = 0; i < 33; i++) await run(`/home/ada/app${i}`);
  expect(readdirSync(folder).length).toBe(32);
});

it("keeps nothing of a command that does not run from the bundle", () => {
  expect(KeptResults.open("/home/ada/app", { XDG_CACHE_HOME: folder })).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});
