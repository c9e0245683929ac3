// Has actionlint and zizmor judge the workflows of this repository and of the golden projects. Both are installed once,
// into the cache; where they can't be, that is said.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { repository } from "../../support/source-imports.ts";

const actionlint = "v1.7.12";
const zizmor = "1.32.0";

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tsbuilder/workflows");
const golden = readdirSync(join(repository, "e2e/golden")).map((name) => `e2e/golden/${name}/.github`);
const folders = [".github", ...golden.filter((folder) => existsSync(join(repository, folder)))];

const checks = [
  {
    name: "actionlint",
    program: join(cache, `actionlint-${actionlint}`, "actionlint"),
    install: (folder: string) =>
      run("go", ["install", `github.com/rhysd/actionlint/cmd/actionlint@${actionlint}`], { GOBIN: folder }),
    args: folders.flatMap((folder) =>
      readdirSync(join(repository, folder, "workflows")).map((name) => `${folder}/workflows/${name}`),
    ),
  },
  {
    name: "zizmor",
    program: join(cache, `zizmor-${zizmor}`, "bin/zizmor"),
    install: (folder: string) =>
      run("pip", [
        "install",
        "--quiet",
        "--root-user-action=ignore",
        "--target",
        folder,
        `zizmor==${zizmor}`,
      ]),
    // What it is not sure of is wrong: setup-node 4 caches nothing by itself.
    args: ["--offline", "--no-progress", "--min-confidence=medium", ...folders],
  },
];

for (const { name, program, install, args } of checks) {
  const folder = join(cache, program.slice(cache.length + 1).split("/")[0]!);
  if (!existsSync(program) && (install(folder) !== 0 || !existsSync(program)))
    console.log(`left out: ${name} on workflows: it does not install here`);
  else if (run(program, args) === 0) console.log(`${name}: ${folders.length} folders of workflows passed`);
  else process.exitCode = 1;
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): number | null {
  return spawnSync(program, args, { cwd: repository, env: { ...process.env, ...env }, stdio: "inherit" })
    .status;
}
