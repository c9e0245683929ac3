import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { initProject } from "../../support/projects/init-project.ts";
import { linkModules, makeNewer } from "../../support/registries/newer-tsbuilder.ts";
import { run, type Shell, tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

let work: string;

beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-upgrades-"));
});

afterAll(() => rmSync(work, { recursive: true, force: true }));

/** A user's edit of each file: path, a line, and its replacement. */
const edits = [
  ["README.md", "## Layout", "## Our layout"],
  ["Makefile", ".PHONY: helm-uninstall", "hello: ## Say hello.\n\techo hello\n\n.PHONY: helm-uninstall"],
  ["Dockerfile", "# Distroless keeps node in", "# Our base image has node in"],
  ["package.json", '"dev": "tsbuilder dev"', '"hello": "echo hello",\n    "dev": "tsbuilder dev"'],
  ["tsconfig.json", '"strict": true', '"strict": true,\n    "forceConsistentCasingInFileNames": true'],
  [".oxfmtrc.json", '"sortPackageJson": false', '"sortPackageJson": false,\n  "semi": true'],
  ["vitest.config.ts", "testTimeout: 30_000", "testTimeout: 40_000"],
  [".gitignore", "coverage/", "coverage/\nnotes/"],
  [".dockerignore", "!PROJECT", "!PROJECT\n!assets"],
  ["AGENTS.md", "## Commands", "## What to run"],
  [".github/workflows/test.yml", "node-version: 24", "node-version: 26"],
  ["src/main.ts", "const manager =", "// Ours.\nconst manager ="],
  [
    "api/v1/mysql_types.ts",
    "  foo?: string;",
    "  foo?: string;\n  /** How large it is. */\n  size?: string;",
  ],
  ["src/controller/mysql_controller.ts", "    // Add your logic here: apply", "    // Our logic: apply"],
  ["src/controller/mysql_controller.test.ts", "objects become ready", "objects become ready, as we want"],
  ["config/manager/manager.yaml", "  replicas: 1", "  replicas: 2"],
  ["config/samples/apps_v1_mysql.yaml", "spec:", "spec:\n  size: large"],
] as const;

/** The changes of three later versions to the templates. */
const versions = {
  "0.2.0": [
    ["## Developing", "## At work"],
    ["Resolves after SIGTERM", "Ends after SIGTERM"],
    ["# nonroot, as a number:", "# nonroot is a number here:"],
    ["initialDelaySeconds: 15", "initialDelaySeconds: 16"],
    ["Starting a cluster takes a moment on a busy machine.", "A cluster takes a moment to start."],
  ],
  "0.3.0": [
    ["## Layout", "## Where things are"],
    ["# Distroless keeps node in", "# Distroless images have node in"],
    ["Ends after SIGTERM", "Ends some time after SIGTERM"],
    ["name: Tests", "name: All tests"],
    ["An example field of ", "A field as an example of "],
  ],
  "0.4.0": [
    ["// Add your logic here: apply", "// Write your logic here: apply"],
    ["## At work", "## Working on it"],
    ["initialDelaySeconds: 16", "initialDelaySeconds: 17"],
  ],
} as const;

/** One journey in order: each step depends on the previous one. Packages are linked: packed-project.test.ts installs some. */
test("a project that was edited everywhere is upgraded three times in a row, and its tests pass", async () => {
  const project = { folder: join(work, "orders"), env: {} };
  const read = (path: string): string => readFileSync(join(project.folder, path), "utf8");
  const git = async (...args: string[]): Promise<string> =>
    (await run(project, "git", ...args)).stdout.trim();
  const own = join(project.folder, "node_modules/tsbuilder/bin/tsbuilder.js");
  const tsbuilder = (...args: string[]) => run(project, process.execPath, own, ...args);
  const modules = await scaffold(project);
  await git("add", ".");
  await git("commit", "--quiet", "--message", "Scaffold");
  for (const [path, from, to] of edits) replace(project, path, from, to);
  await run(project, "npm", "run", "fmt");
  await tsbuilder("generate");
  await git("commit", "--all", "--quiet", "--message", "Ours");

  // The first changes other lines than the user.
  const first = makeNewer(modules, join(work, "0.2.0"), "0.2.0", versions["0.2.0"]);
  await run(project, process.execPath, first, "upgrade", "--commit", "--skip-install");
  install(project, "0.2.0");
  expect(await git("status", "--porcelain")).toBe("");
  expect(read("README.md")).toMatch(/## Our layout[^]*## At work/u);
  expect(read("src/main.ts")).toMatch(/\/\/ Ours\.[^]*\/\/ Ends after SIGTERM/u);

  // The second is proposed by the workflow, which runs in a clone. It changes some of the same lines.
  const second = makeNewer(join(work, "0.2.0"), join(work, "0.3.0"), "0.3.0", versions["0.3.0"]);
  const from = ["--update-from", "https://example.com/tsbuilder.tgz"];
  await tsbuilder("edit", "--plugins", "autoupdate.tsbuilder.dev/v1", ...from);
  await git("add", ".");
  await git("commit", "--quiet", "--message", "Propose upgrades");
  await git("init", "--quiet", "--bare", join(work, "remote.git"));
  await git("remote", "add", "origin", join(work, "remote.git"));
  await git("push", "--quiet", "origin", "main");
  const asked = await runWorkflow(read(".github/workflows/upgrade.yml"), second);
  expect(asked).toContain("pr create --head tsbuilder-upgrade --base main");
  expect(asked).toMatch(/### `Dockerfile`[^]*Our base image has node/u);
  expect(asked).toMatch(/### `README\.md`[^]*## Our layout[^]*## Where things are/u);
  await git("fetch", "--quiet", "origin");
  await git("switch", "--quiet", "tsbuilder-upgrade");
  install(project, "0.3.0");
  const { stdout: found } = await tryRun(project, process.execPath, own, "doctor");
  expect(found).toMatch(/! Dockerfile:\d+: a conflict[^]*! README\.md:\d+: a conflict/u);
  for (const path of ["README.md", "Dockerfile"]) chooseYours(project, path);
  await git("commit", "--all", "--quiet", "--message", "Resolve");
  await git("switch", "--quiet", "main");
  await git("merge", "--ff-only", "--quiet", "tsbuilder-upgrade");
  expect(read(".github/workflows/test.yml")).toContain("name: Tests");

  // The third changes a line of the controller that the user wrote anew: nothing is generated until that is resolved.
  const third = makeNewer(join(work, "0.3.0"), join(work, "0.4.0"), "0.4.0", versions["0.4.0"]);
  const { stdout: said } = await run(
    project,
    process.execPath,
    third,
    "upgrade",
    "--branch",
    "next",
    "--skip-install",
  );
  expect(said).toContain("conflict in src/controller/mysql_controller.ts:");
  await git("switch", "--quiet", "next");
  install(project, "0.4.0");
  chooseYours(project, "src/controller/mysql_controller.ts");
  await tsbuilder("generate");
  await git("commit", "--all", "--quiet", "--message", "Resolve");

  expect(await differentFiles(project, tsbuilder)).toEqual([]);
  for (const [path, , to] of edits) expect(read(path)).toContain(to.split("\n").at(-1)!.trim());
  await run(project, "npm", "test");
  expect(await git("status", "--porcelain")).toBe("");
  expect(await git("log", "--format=%s", "--grep=^What tsbuilder")).toMatch(/0\.4\.0[^]*0\.3\.0[^]*0\.2\.0/u);
});

/** Scaffolds a project under git's version control, and returns the folder of its packages. */
async function scaffold(project: Shell): Promise<string> {
  mkdirSync(project.folder);
  await initProject(project);
  const linked = join(project.folder, "node_modules");
  const modules = realpathSync(linked);
  // .gitignore is about folders.
  rmSync(linked);
  linkModules(modules, linked);
  const kind = ["--group", "apps", "--version", "v1", "--kind", "MySQL"];
  await run(project, process.execPath, join(repository, "bin/tsbuilder.js"), "create", "api", ...kind);
  await run(project, "git", "init", "--quiet", "--initial-branch", "main");
  await run(project, "git", "config", "user.name", "Ann");
  await run(project, "git", "config", "user.email", "ann@example.com");
  return modules;
}

/** Gives the project the packages of a version, as npm would. */
function install({ folder }: Shell, version: string): void {
  rmSync(join(folder, "node_modules"), { recursive: true, force: true });
  linkModules(join(work, version), join(folder, "node_modules"));
}

function replace({ folder }: Shell, path: string, from: string, to: string): void {
  const text = readFileSync(join(folder, path), "utf8");
  if (!text.includes(from)) throw new Error(`"${path}" has no "${from}"`);
  writeFileSync(join(folder, path), text.replace(from, to));
}

function chooseYours({ folder }: Shell, path: string): void {
  const text = readFileSync(join(folder, path), "utf8");
  const resolved = text.replaceAll(/^<<<<<<< yours\n([^]*?)^=======\n[^]*?^>>>>>>> .*\n/gmu, "$1");
  writeFileSync(join(folder, path), resolved);
}

/** Runs the steps of the workflow in a clone, as GitHub does, and returns what gh was asked. */
async function runWorkflow(workflow: string, newest: string): Promise<string> {
  const bin = join(work, "bin");
  const log = join(work, "gh-calls");
  mkdirSync(bin);
  writeFileSync(join(bin, "gh"), `#!/bin/sh\necho "$*" >> "${log}"\ncat >> "${log}"\necho "[]"\n`, {
    mode: 0o755,
  });
  const npm = `#!/bin/sh
test "$1" = ci && exit 0
while test "$1" != tsbuilder; do shift; done
shift
exec "${process.execPath}" "${newest}" "$@" --skip-install
`;
  writeFileSync(join(bin, "npm"), npm, { mode: 0o755 });
  const shell = {
    folder: join(work, "clone"),
    env: { PATH: `${bin}:${process.env["PATH"]}`, NEWEST: newest },
  };
  await run({ ...shell, folder: work }, "git", "clone", "--quiet", "--branch", "main", "remote.git", "clone");
  install(shell, "0.2.0");
  const { jobs } = parse(workflow) as { jobs: { upgrade: { steps: { run?: string }[] } } };
  for (const { run: script } of jobs.upgrade.steps)
    if (script !== undefined) await run(shell, "bash", "-e", "-c", script);
  return readFileSync(log, "utf8");
}

/** Files that differ from a fresh scaffold with the user's types, though the user edited none of them. */
async function differentFiles(project: Shell, tsbuilder: (...args: string[]) => unknown): Promise<string[]> {
  const fresh = join(work, "fresh");
  await tsbuilder("scaffold", fresh);
  for (const folder of ["api", "src"])
    cpSync(join(project.folder, folder), join(fresh, folder), { recursive: true });
  linkModules(join(work, "0.4.0"), join(fresh, "node_modules"));
  const program = join(fresh, "node_modules/tsbuilder/bin/tsbuilder.js");
  await run({ ...project, folder: fresh }, process.execPath, program, "generate");
  const compare = ["-rq", "--exclude=node_modules", fresh, project.folder];
  const { exitCode, stdout, stderr } = await tryRun(project, "diff", ...compare);
  if (exitCode !== 0 && exitCode !== 1) throw new Error(`diff ended with ${exitCode}: ${stderr}`);
  const edited = new Set<string>(edits.map(([path]) => path));
  return stdout
    .split("\n")
    .filter(
      (line) =>
        line !== "" && !edited.has(/^Files (\S+) and/u.exec(line)?.[1]?.slice(fresh.length + 1) ?? ""),
    )
    .filter((line) => !line.startsWith(`Only in ${project.folder}`));
}
