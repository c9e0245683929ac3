import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useOlderProject } from "../../support/projects/older-project.ts";

const project = useOlderProject();
const { git, write, change, commit, upgrade } = project;

describe("the branch of an earlier upgrade", () => {
  test("is replaced once it was merged, whatever others added to it", async () => {
    change("README.md", "## Working on it", "## My way");
    commit("Mine");
    await upgrade("--branch");
    git("switch", "--quiet", "tsbuilder-upgrade");
    write("README.md", "resolved\n");
    commit("Resolve");
    git("switch", "--quiet", "main");
    const newest = () => project.upgradeIn(project.root, ["--branch"], "0.0.0-newest");
    await expect(newest()).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    git("merge", "--quiet", "--ff-only", "tsbuilder-upgrade");
    await newest();
    expect(git("log", "--first-parent", "--max-count=2", "--format=%s", "tsbuilder-upgrade")).toBe(
      "Upgrade from tsbuilder 0.0.0-newer to 0.0.0-newest\nResolve",
    );
  });

  test("is left alone if it is for another branch", async () => {
    await upgrade("--branch");
    const first = git("rev-parse", "tsbuilder-upgrade");
    git("switch", "--quiet", "--create", "release-1");
    write("mine.txt", "mine\n");
    commit("Mine");
    await expect(upgrade("--branch")).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      message: 'the branch "tsbuilder-upgrade" has the upgrade of "." for the branch "main"',
    });
    expect(git("rev-parse", "tsbuilder-upgrade")).toBe(first);
    await upgrade("--branch", "release-1-upgrade");
    expect(git("rev-parse", "release-1-upgrade^1")).toBe(git("rev-parse", "release-1"));
  });

  test("is left alone if it is another project's in the same repository", async () => {
    rmSync(join(project.root, ".git"), { recursive: true });
    const outer = join(project.beside, "mono");
    mkdirSync(outer);
    for (const name of ["a", "b"]) execFileSync("cp", ["-r", project.root, join(outer, name)]);
    const inOuter = (...args: string[]): string =>
      execFileSync("git", args, { cwd: outer, encoding: "utf8" }).trim();
    inOuter("init", "--quiet");
    inOuter("add", ".");
    inOuter("commit", "--quiet", "--message", "All");
    await project.upgradeIn(join(outer, "a"), ["--branch"]);
    await expect(project.upgradeIn(join(outer, "b"), ["--branch"])).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      message: 'the branch "tsbuilder-upgrade" has the upgrade of "a" for the branch "main"',
    });
    expect(inOuter("diff", "--name-only", "main", "tsbuilder-upgrade")).not.toMatch(/^b\//mu);
    inOuter("merge", "--quiet", "tsbuilder-upgrade");
    await project.upgradeIn(join(outer, "b"), ["--branch"]);
    expect(inOuter("diff", "--name-only", "main", "tsbuilder-upgrade")).not.toMatch(/^a\//mu);
  });

  test("is not the branch before, for which git has a name of its own", async () => {
    git("switch", "--quiet", "--create", "other");
    git("switch", "--quiet", "main");
    await expect(upgrade("--branch", "@{-1}")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(git("rev-parse", "other")).toBe(git("rev-parse", "main"));
  });
});

test("git's own errors are shown, and not taken for a project without commits", async () => {
  writeFileSync(join(project.root, ".git/config"), "[core\n");
  await expect(upgrade("--branch")).rejects.toMatchObject({
    code: "TOOL_FAILED",
    message: expect.stringContaining("bad config line") as string,
  });
});
