import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { useOlderProject } from "../../support/projects/older-project.ts";

const project = useOlderProject();
const { git, write, change, commit, upgrade } = project;

describe("upgrade --pull-request", () => {
  const remote = (): string => join(project.beside, "remote.git");
  const calls = (): string => readFileSync(join(project.beside, "calls"), "utf8");

  beforeEach(() => {
    execFileSync("git", ["init", "--quiet", "--bare", remote()]);
    git("remote", "add", "origin", remote());
    git("push", "--quiet", "origin", "main");
  });

  /** Puts a program beside git that stands for GitHub's, with what it lists. */
  function standInGh(listed = "[]", created = "https://example.com/pull/1"): void {
    mkdirSync(join(project.beside, "bin"), { recursive: true });
    const script = `#!/bin/sh
echo "$*" >> "${project.beside}/calls"
cat > "${project.beside}/body"
case "$2" in list) printf '%s' '${listed}';; create) printf '%s\\n' '${created}';; esac
`;
    writeFileSync(join(project.beside, "bin/gh"), script, { mode: 0o755 });
    vi.stubEnv("PATH", `${join(project.beside, "bin")}${delimiter}${process.env["PATH"]}`);
  }

  /** Pushes an upgrade, and a commit by somebody on top of it. */
  async function pushWithFix(): Promise<void> {
    await upgrade("--push");
    git("switch", "--quiet", "tsbuilder-upgrade");
    write("fix.txt", "fix\n");
    commit("Resolve");
    git("push", "--quiet", "origin", "tsbuilder-upgrade");
    git("switch", "--quiet", "main");
  }

  test("pushes the branch and opens a pull request that lists the conflicts", async () => {
    standInGh();
    change("README.md", "## Working on it", "## My way");
    commit("Mine");
    const { printed, details } = await upgrade("--pull-request");
    expect(git("ls-remote", "origin", "refs/heads/tsbuilder-upgrade")).toContain(
      git("rev-parse", "tsbuilder-upgrade"),
    );
    expect(calls()).toContain(
      "pr create --head tsbuilder-upgrade --base main --title Upgrade from tsbuilder 0.0.0-golden to 0.0.0-newer --body-file -",
    );
    expect(readFileSync(join(project.beside, "body"), "utf8")).toMatch(
      /### `README\.md`, line \d+\n\nYours:\n\n {4}## My way\n\ntsbuilder 0\.0\.0-newer:\n\n {4}## Developing/u,
    );
    expect(printed).toContain("The pull request: https://example.com/pull/1");
    expect(details.upgrade).toMatchObject({ pullRequest: "https://example.com/pull/1" });
  });

  test("brings the open one up to date, and pushes nothing if it is the same upgrade", async () => {
    standInGh(JSON.stringify([{ url: "https://example.com/pull/7", isCrossRepository: false }]));
    await upgrade("--pull-request");
    const pushed = git("ls-remote", "origin", "refs/heads/tsbuilder-upgrade");
    git("branch", "--delete", "--force", "tsbuilder-upgrade");
    vi.stubEnv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z");
    const { details } = await upgrade("--pull-request");
    expect(git("ls-remote", "origin", "refs/heads/tsbuilder-upgrade")).toBe(pushed);
    expect(pushed).toContain(git("rev-parse", "tsbuilder-upgrade"));
    expect(pushed).toContain(details.upgrade!.commit);
    expect(calls()).toContain("pr edit https://example.com/pull/7 --title");
    expect(calls()).not.toContain("pr create");
  });

  test("leaves pull requests of forks and for other branches alone", async () => {
    standInGh(JSON.stringify([{ url: "https://example.com/pull/7", isCrossRepository: true }]));
    await upgrade("--pull-request");
    expect(calls()).toContain("pr list --head tsbuilder-upgrade --base main --state open");
    expect(calls()).toContain("pr create");
    expect(calls()).not.toContain("pr edit");
  });

  test("opens a pull request if gh lists nothing at all, and finds its URL among what else gh prints", async () => {
    standInGh("", "https://example.com/pull/1\nWarning: 1 uncommitted change");
    const { printed, details } = await upgrade("--pull-request");
    expect(printed).toContain("The pull request: https://example.com/pull/1");
    expect(details.upgrade).toMatchObject({ pullRequest: "https://example.com/pull/1" });
  });

  test("says what gh printed instead of a list, and that it printed no URL of the pull request that it opens", async () => {
    for (const listed of ["no list", "{}"]) {
      standInGh(listed);
      await expect(upgrade("--pull-request")).rejects.toMatchObject({
        code: "TOOL_FAILED",
        message: `gh pr list did not print a JSON list:\n${listed}`,
        hint: expect.stringContaining("gh pr list --head tsbuilder-upgrade --base main") as string,
      });
      expect(calls()).not.toContain("pr create");
    }
    standInGh("[]", "");
    const { printed, details } = await upgrade("--pull-request");
    expect(printed).toContain("gh opened the pull request of tsbuilder-upgrade, and printed no URL");
    expect(printed).not.toContain("The pull request:");
    expect(details.upgrade).not.toHaveProperty("pullRequest");
  });

  test("replaces the branch on the server once it was merged with what others added", async () => {
    await pushWithFix();
    git("merge", "--quiet", "--no-ff", "--message", "Merge", "tsbuilder-upgrade");
    git("branch", "--delete", "tsbuilder-upgrade");
    await project.upgradeIn(project.root, ["--push"], "0.0.0-newest");
    expect(git("ls-remote", "origin", "refs/heads/tsbuilder-upgrade")).toContain(
      git("rev-parse", "tsbuilder-upgrade"),
    );
    expect(git("log", "--first-parent", "--max-count=2", "--format=%s", "tsbuilder-upgrade")).toBe(
      "Upgrade from tsbuilder 0.0.0-newer to 0.0.0-newest\nMerge",
    );
  });

  test("does not overwrite what somebody committed to the branch on the server", async () => {
    standInGh();
    await pushWithFix();
    git("branch", "--delete", "--force", "tsbuilder-upgrade");
    const pushed = git("ls-remote", "origin", "refs/heads/tsbuilder-upgrade");
    await expect(upgrade("--pull-request")).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
      message: expect.stringContaining("origin/tsbuilder-upgrade") as string,
    });
    expect(git("ls-remote", "origin", "refs/heads/tsbuilder-upgrade")).toBe(pushed);
  });

  test("says where the upgrade is, and its conflicts, if origin can't be reached", async () => {
    change("README.md", "## Working on it", "## My way");
    commit("Mine");
    git("remote", "set-url", "origin", join(project.beside, "nowhere"));
    await expect(upgrade("--push")).rejects.toMatchObject({
      code: "TOOL_FAILED",
      hint: 'the upgrade is in the branch "tsbuilder-upgrade"; to try again: git push origin tsbuilder-upgrade',
    });
    expect(project.printed).toContain("conflict in README.md:");
    expect(project.printed).toContain('is in the branch "tsbuilder-upgrade"; resolve its conflicts there');
  });

  test("prints the command where gh is not installed", async () => {
    mkdirSync(join(project.beside, "only-git"));
    const program = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
    execFileSync("ln", ["-s", program, join(project.beside, "only-git/git")]);
    vi.stubEnv("PATH", join(project.beside, "only-git"));
    const { printed } = await upgrade("--pull-request");
    expect(printed).toContain(
      "gh is not installed; the branch is pushed. To open the pull request: gh pr create --head tsbuilder-upgrade --base main",
    );
  });
});
