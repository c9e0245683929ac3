import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";

const folder = useProjectFolder();
const { call, initialize, read, snapshot } = folder;
const source = "https://example.com/tsbuilder.tgz";
const choose = "edit --plugins autoupdate.tsbuilder.dev/v1 --make=false";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: object;
  readonly env?: Record<string, string>;
}

function steps(): readonly Step[] {
  const { jobs } = parse(read(".github/workflows/upgrade.yml")) as { jobs: { upgrade: { steps: Step[] } } };
  return jobs.upgrade.steps;
}

test("the workflow runs each week, and may push a branch and open a pull request, and nothing else", async () => {
  await initialize();
  await call(`${choose} --update-from ${source}`);
  expect(parse(read(".github/workflows/upgrade.yml"))).toMatchObject({
    on: {
      schedule: [{ cron: expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/u) as string }],
      workflow_dispatch: null,
    },
    permissions: {},
    jobs: { upgrade: { permissions: { contents: "write", "pull-requests": "write" } } },
  });
  expect(steps()[0]).toMatchObject({ with: { "fetch-depth": 0, "persist-credentials": false } });
  expect(steps().at(-1)?.env).toEqual({ NEWEST: source, GH_TOKEN: "${{ github.token }}" });
});

test.skipIf(process.platform === "win32")("its steps call upgrade of the newest tsbuilder", async () => {
  await initialize();
  await call(`${choose} --update-from ${source}`);
  const bin = join(folder.root, "bin");
  mkdirSync(bin);
  for (const program of ["npm", "gh"])
    writeFileSync(join(bin, program), `#!/bin/sh\nprintf '%s\\n' "$@" > ${program}-$1\n`, { mode: 0o755 });
  execFileSync("git", ["init", "--quiet"], { cwd: folder.root });
  for (const { run, env } of steps().filter((step) => step.run !== undefined))
    execFileSync("bash", ["-e", "-c", run!], {
      cwd: folder.root,
      env: { ...process.env, ...env, PATH: `${bin}${delimiter}${process.env["PATH"]}` },
    });
  expect(readFileSync(join(folder.root, "npm-exec"), "utf8").split("\n").slice(1, -1)).toEqual([
    "--yes",
    `--package=${source}`,
    "--",
    "tsbuilder",
    "upgrade",
    "--pull-request",
    "--restore-path",
    ".github/workflows",
  ]);
  expect(readFileSync(join(folder.root, "gh-auth"), "utf8")).toBe("auth\nsetup-git\n");
  const name = execFileSync("git", ["config", "user.name"], { cwd: folder.root, encoding: "utf8" });
  expect(name).toBe("github-actions[bot]\n");
});

test.each([
  ["@team/tsbuilder", "@team/tsbuilder@latest"],
  ["@team/tsbuilder@next", "@team/tsbuilder@next"],
  ["github:team/tsbuilder#main", "github:team/tsbuilder#main"],
  ["git+https://example.com/team/tsbuilder.git", "git+https://example.com/team/tsbuilder.git"],
])("takes from %s what %s names, the newest whatever is installed", async (spec, taken) => {
  await initialize();
  await call(`${choose} --update-from ${spec}`);
  expect(steps().at(-1)?.env).toMatchObject({ NEWEST: taken });
});

test.each([
  "tsbuilder",
  "tsbuilder@latest",
  "https://example.com/$(id)",
  "npm:tsbuilder",
  "https://user:token@example.com/t.tgz",
  "git+https://token@example.com/t.git",
  "git+ssh://git@example.com/t.git",
  "@team",
  "@team/tsbuilder/more",
])("refuses to take it from %s", async (spec) => {
  await initialize();
  await expect(call(`${choose} --update-from ${spec}`)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("the workflow goes with the plugin", async () => {
  await initialize();
  const before = snapshot();
  await call(`${choose} --update-from ${source}`);
  await call("edit --remove-plugins autoupdate.tsbuilder.dev/v1 --make=false");
  expect(snapshot()).toEqual(before);
});
