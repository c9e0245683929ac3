import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { initProject } from "../../support/projects/init-project.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// A scaffolded project has its first release. Mistakes that the second one could make are found by its own `npm test`.

const cli = join(repository, "bin/tsbuilder.js");
let work: string;
let project: Shell;

beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-second-release-"));
  const folder = join(work, "shop-operator");
  mkdirSync(folder);
  project = { folder, env: { PATH: process.env["PATH"]!, HOME: work } };
  await initProject(project);
  const kind = ["--group", "shop", "--kind", "Order"];
  await run(project, "node", cli, "create", "api", ...kind, "--version", "v1");
  await run(project, "node", cli, "create", "api", ...kind, "--version", "v2", "--controller=false");
  await run(
    project,
    "node",
    cli,
    "create",
    "webhook",
    ...kind,
    "--version",
    "v1",
    "--conversion",
    "--spoke",
    "v2",
  );
  await git("init");
  await git("add", ".");
  await git("commit", "-m", "The first release");
  await git("tag", "v1.0.0");
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

afterEach(() => git("checkout", "v1.0.0", "--", "."));

function git(...args: string[]): Promise<unknown> {
  return run(project, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", ...args);
}

function edit(path: string, from: string, to: string): void {
  const file = join(project.folder, path);
  const text = readFileSync(file, "utf8");
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

/** Runs `npm test`, and returns what it prints. */
async function npmTest(exitCode: number): Promise<string> {
  await run(project, "node", cli, "manifests");
  const result = await tryRun(project, "npm", "test");
  const printed = result.stdout + result.stderr;
  if (result.exitCode !== exitCode) throw new Error(`npm test exited with ${result.exitCode}:\n${printed}`);
  return printed;
}

test("a second release that keeps what the first one promised is right", async () => {
  edit("api/v1/order_types.ts", "An example field", "The first field");
  expect(await npmTest(0)).toContain("; every third plan begins with v1.0.0, or is rolled back to it");
});

test("a rule that is tighter than that of the release", async () => {
  edit(
    "api/v1/order_types.ts",
    "`npm run manifests`. */\n  foo",
    "`.\n   * +kubebuilder:validation:MaxLength=2\n   */\n  foo",
  );
  const printed = await npmTest(1);
  expect(printed).toContain("tightened: the API refuses what the former release accepts");
  expect(printed).toMatch(/which the former release accepts, is rejected: .* spec\.foo: Too long/u);
});

test("a reader of a field that only the release wrote", async () => {
  edit(
    "src/controller/order_controller.ts",
    'reason: "Reconciled"',
    'reason: order.status?.conditions?.[0]?.reason ?? "Current"',
  );
  const printed = await npmTest(1);
  expect(printed).toContain("upgrade: what the former release left is not what this one makes");
  expect(printed).toMatch(/status\.conditions is .*"reason":"Reconciled".*, not .*"reason":"Current"/u);
});

test("a conversion that loses data", async () => {
  edit(
    "src/webhook/v2/order_conversion.ts",
    "fromHub({ spec, status }: OrderHub): ConvertedObject<Order> {\n    return { spec, status };",
    "fromHub({ status }: OrderHub): ConvertedObject<Order> {\n    return { spec: {}, status };",
  );
  expect(await npmTest(1)).toContain("Order by way of v2 comes back changed by");
});
