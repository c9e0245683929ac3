import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { useOlderProject } from "../../support/projects/older-project.ts";

const project = useOlderProject();
const { git, write, change, commit, files, read, upgrade } = project;

/** Puts a program in the place of npm. */
function standInNpm(script: string): void {
  mkdirSync(join(project.beside, "bin"));
  writeFileSync(join(project.beside, "bin/npm"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${join(project.beside, "bin")}${delimiter}${process.env["PATH"]}`);
}

describe("upgrade --branch", () => {
  test("commits the merge beside the user's branch, and leaves that and the files as they are", async () => {
    change("Makefile", "##@ Development", "##@ Mine");
    commit("Mine");
    const before = { head: git("rev-parse", "HEAD"), files: files() };
    const { printed, details } = await upgrade("--branch");
    expect(printed).toContain('The upgrade to version 0.0.0-newer is in the branch "tsbuilder-upgrade".');
    expect({ head: git("rev-parse", "HEAD"), files: files() }).toEqual(before);
    expect(git("status", "--porcelain")).toBe("");
    expect(git("log", "--first-parent", "--format=%s", "tsbuilder-upgrade")).toBe(
      "Upgrade from tsbuilder 0.0.0-golden to 0.0.0-newer\nMine\nScaffold",
    );
    expect(git("show", "tsbuilder-upgrade:README.md")).toContain("## Developing");
    expect(git("show", "tsbuilder-upgrade:Makefile")).toMatch(/\.PHONY[^]*##@ Mine/u);
    expect(git("ls-tree", "--name-only", "tsbuilder-upgrade", "vendor/")).toBe(
      "vendor/tsbuilder-0.0.0-newer.tgz",
    );
    expect(details.upgrade).toEqual({
      from: "0.0.0-golden",
      to: "0.0.0-newer",
      branch: "tsbuilder-upgrade",
      commit: git("rev-parse", "tsbuilder-upgrade"),
      conflicts: [],
    });
  });

  test("has what the new version scaffolds as second parent, on top of what the old one did", async () => {
    change("src/main.ts", "// +tsbuilder:scaffold:setup", "// mine\n// +tsbuilder:scaffold:setup");
    commit("Mine");
    await upgrade("--branch", "next");
    expect(git("log", "--format=%s", "next^2")).toBe(
      "What tsbuilder 0.0.0-newer scaffolds\nWhat tsbuilder 0.0.0-golden scaffolds",
    );
    expect(git("diff", "--name-only", "next^2~", "next^2").split("\n")).toEqual(
      expect.arrayContaining(["Makefile", "PROJECT", "README.md", "package.json"]),
    );
    expect(git("show", "next^2:src/main.ts")).not.toContain("// mine");
  });

  test("marks conflicts, and lists both sides", async () => {
    change("README.md", "## Working on it", "## My way");
    change("src/main.ts", "import", "// mine\nimport");
    commit("Mine");
    const { printed, details } = await upgrade("--branch");
    const readme = git("show", "tsbuilder-upgrade:README.md");
    expect(readme).toContain(
      "<<<<<<< yours\n## My way\n=======\n## Developing\n>>>>>>> tsbuilder 0.0.0-newer\n",
    );
    const line = readme.split("\n").indexOf("<<<<<<< yours") + 1;
    expect(printed).toContain(
      `conflict in README.md:${line}\n  yours:\n    ## My way\n  tsbuilder 0.0.0-newer:\n    ## Developing\n`,
    );
    expect(details.upgrade?.conflicts).toEqual([
      { path: "README.md", line, ours: "## Developing", theirs: "## My way" },
    ]);
  });

  test("generates anew what is generated, but nothing if a source has a conflict", async () => {
    const types = "api/v1/order_types.ts";
    project.baseline[types] = read(types).replace(
      "export interface OrderSpec {",
      "export interface OrderSpec {\n  // old",
    );
    write(types, project.baseline[types]);
    change("config/rbac/role.yaml", "rules:", "# mine\nrules:");
    commit("Older");
    await upgrade("--branch", "clean");
    expect(git("show", "clean:config/rbac/role.yaml")).not.toContain("# mine");
    change(types, "// old", "// mine");
    commit("Mine");
    const { printed } = await upgrade("--branch", "marked");
    expect(printed).toContain(`nothing was generated, since "${types}" has conflicts`);
    expect(git("show", "marked:config/rbac/role.yaml")).toContain("# mine");
  });

  test.skipIf(process.platform === "win32")("makes the lock file in another folder", async () => {
    write("package-lock.json", "{}\n");
    mkdirSync(join(project.root, "vendor/mine"), { recursive: true });
    write("vendor/mine/package.json", "{}\n");
    commit("Lock");
    standInNpm(
      `printf '%s\\n' "$PWD" "$@" vendor/* > "${project.beside}/npm"; echo locked > package-lock.json`,
    );
    await project.upgradeIn(project.root, ["--branch", "--skip-install=false"]);
    expect(git("show", "tsbuilder-upgrade:package-lock.json")).toBe("locked");
    expect(read("package-lock.json")).toBe("{}\n");
    const [where, ...words] = readFileSync(join(project.beside, "npm"), "utf8").trim().split("\n");
    expect(where).not.toContain(project.root);
    expect(words).toEqual(
      expect.arrayContaining(["--package-lock-only", "vendor/mine", "vendor/tsbuilder-0.0.0-newer.tgz"]),
    );
    expect(existsSync(where!)).toBe(false);
  });

  test.skipIf(process.platform === "win32")("changes nothing if npm can't make the lock file", async () => {
    write("package-lock.json", "no lock file");
    commit("Lock");
    standInNpm("exit 1");
    const before = { head: git("rev-parse", "HEAD"), files: files() };
    await expect(project.upgradeIn(project.root, ["--commit", "--skip-install=false"])).rejects.toMatchObject(
      {
        code: "TOOL_FAILED",
        hint: expect.stringContaining("nothing was changed") as string,
      },
    );
    expect({ head: git("rev-parse", "HEAD"), files: files() }).toEqual(before);
  });

  test("keeps the paths that are to stay as they are", async () => {
    await upgrade("--branch", "--restore-path", "README.md", "--restore-path", "./src/");
    expect(git("show", "tsbuilder-upgrade:README.md")).toContain("## Working on it");
    expect(git("show", "tsbuilder-upgrade:Makefile")).toContain(".PHONY");
  });

  test("keeps generated files that are to stay as they are, too, but never PROJECT", async () => {
    change("config/rbac/role.yaml", "rules:", "# mine\nrules:");
    commit("Mine");
    await upgrade("--branch", "--restore-path", "config/rbac/role.yaml", "--restore-path", "PROJECT");
    expect(git("show", "tsbuilder-upgrade:config/rbac/role.yaml")).toContain("# mine");
    expect(git("show", "tsbuilder-upgrade:PROJECT")).toContain("0.0.0-newer");
  });

  test.each([".", "READNE.md", "..", "src/main"])(
    "refuses to keep %s, which is no file of it",
    async (path) => {
      await expect(upgrade("--branch", "--restore-path", path)).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: `no file of the project is at or below "${path}"`,
      });
      expect(git("branch", "--list", "tsbuilder-upgrade")).toBe("");
    },
  );

  test("leaves out what the repository ignores, and says so", async () => {
    delete project.baseline["Dockerfile"];
    rmSync(join(project.root, "Dockerfile"));
    write(".gitignore", `${read(".gitignore")}Dockerfile\n`);
    commit("Mine");
    const { printed, details } = await upgrade("--branch");
    expect(git("ls-tree", "--name-only", "tsbuilder-upgrade", "Dockerfile")).toBe("");
    expect(printed).toContain("left out, since git ignores it: Dockerfile");
    expect(details.changes).not.toContainEqual(expect.objectContaining({ path: "Dockerfile" }));
  });

  test.each(["vendor/", "*.tgz"])("refuses to leave out packages, ignored as %s", async (pattern) => {
    writeFileSync(join(project.beside, "ignored"), `${pattern}\n`);
    git("config", "core.excludesFile", join(project.beside, "ignored"));
    const head = git("rev-parse", "HEAD");
    await expect(upgrade("--commit")).rejects.toMatchObject({
      code: "REFUSED",
      message: 'git ignores "vendor/tsbuilder-0.0.0-newer.tgz", which package.json needs',
      hint: expect.stringContaining('"!/vendor/" and "!/vendor/*.tgz"') as string,
    });
    expect(git("rev-parse", "HEAD")).toBe(head);
    write(".gitignore", `${read(".gitignore")}!/vendor/\n!/vendor/*.tgz\n`);
    commit("Mine");
    await upgrade("--commit");
    expect(git("ls-files", "vendor")).toContain("vendor/tsbuilder-0.0.0-newer.tgz");
  });

  test("keeps files executable", async () => {
    chmodSync(join(project.root, "Makefile"), 0o755);
    commit("Mine");
    await upgrade("--branch");
    expect(git("ls-tree", "tsbuilder-upgrade", "Makefile")).toMatch(/^100755 /u);
  });

  test("commits a project in a folder of its repository, and leaves the rest of that as it is", async () => {
    rmSync(join(project.root, ".git"), { recursive: true });
    const outer = join(project.beside, "mono");
    mkdirSync(outer);
    execFileSync("cp", ["-r", project.root, join(outer, "operator")]);
    writeFileSync(join(outer, "other.txt"), "other\n");
    const inOuter = (...args: string[]): string =>
      execFileSync("git", args, { cwd: outer, encoding: "utf8" }).trim();
    inOuter("init", "--quiet");
    inOuter("add", ".");
    inOuter("commit", "--quiet", "--message", "All");
    await project.upgradeIn(join(outer, "operator"), ["--branch"]);
    expect(inOuter("diff", "--name-only", "HEAD", "tsbuilder-upgrade").split("\n")).toEqual(
      expect.arrayContaining(["operator/Makefile", "operator/README.md"]),
    );
    expect(inOuter("show", "tsbuilder-upgrade:other.txt")).toBe("other");
    expect(inOuter("show", "tsbuilder-upgrade:operator/README.md")).toContain("## Developing");
  });

  test("replaces an upgrade that nobody committed to, leaves the same one alone, and refuses another", async () => {
    await upgrade("--branch");
    const first = git("rev-parse", "tsbuilder-upgrade");
    await upgrade("--branch");
    expect(git("rev-parse", "tsbuilder-upgrade")).toBe(first);
    write("mine.txt", "mine\n");
    commit("Mine");
    await upgrade("--branch");
    expect(git("rev-parse", "tsbuilder-upgrade^1")).toBe(git("rev-parse", "HEAD"));
    git("branch", "theirs");
    await expect(upgrade("--branch", "theirs")).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    expect(git("rev-parse", "theirs")).toBe(git("rev-parse", "HEAD"));
  });

  test.each([
    ["changed", () => change("README.md", "## Working", "## Mine")],
    ["new", () => write("new.txt", "")],
  ])("refuses a %s file that is not committed", async (_, edit) => {
    edit();
    git("config", "status.showUntrackedFiles", "no");
    await expect(upgrade("--branch")).rejects.toMatchObject({
      code: "REFUSED",
      message: expect.stringMatching(/not committed: (?:README\.md|new\.txt)$/u) as string,
    });
    expect(git("branch", "--list", "tsbuilder-upgrade")).toBe("");
  });

  test("refuses a folder without commits, names that no branch can have, and flags that exclude each other", async () => {
    await expect(upgrade("--branch", "--commit")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(upgrade("--branch=-D")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(upgrade("--message", "Mine")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    rmSync(join(project.root, ".git"), { recursive: true });
    await expect(upgrade("--commit")).rejects.toMatchObject({ code: "REFUSED" });
  });

  test("shows the plan only, with --dry-run", async () => {
    const { printed } = await upgrade("--branch", "--dry-run");
    expect(printed).toContain("update README.md");
    expect(git("branch", "--list", "tsbuilder-upgrade")).toBe("");
  });
});

describe("upgrade --commit", () => {
  test("moves the current branch and its files to the merge", async () => {
    write(".git/hooks/post-merge", "#!/bin/sh\ntouch hooked\n");
    chmodSync(join(project.root, ".git/hooks/post-merge"), 0o755);
    await upgrade("--commit", "--message", "Newer templates");
    expect(existsSync(join(project.root, "hooked"))).toBe(false);
    expect(git("log", "--first-parent", "--format=%s")).toBe("Newer templates\nScaffold");
    expect(read("README.md")).toContain("## Developing");
    expect(git("status", "--porcelain")).toBe("");
    expect(existsSync(join(project.root, "vendor/tsbuilder-0.0.0-newer.tgz"))).toBe(true);
  });

  test("changes nothing on conflicts", async () => {
    change("README.md", "## Working on it", "## My way");
    commit("Mine");
    const before = { head: git("rev-parse", "HEAD"), files: files() };
    await expect(upgrade("--commit")).rejects.toMatchObject({ code: "FILE_CHANGED" });
    expect({ head: git("rev-parse", "HEAD"), files: files() }).toEqual(before);
  });

  test("uses what was scaffolded by the last upgrade again", async () => {
    await upgrade("--commit");
    project.baseline = Object.fromEntries(
      git("ls-tree", "-r", "--name-only", "HEAD^2")
        .split("\n")
        .map((path) => [path, `${git("show", `HEAD^2:${path}`)}\n`]),
    );
    change("README.md", "## Developing", "## Mine");
    commit("Mine");
    const known = git("rev-parse", "HEAD~1^2");
    git("config", "grep.patternType", "fixed");
    await project.upgradeIn(project.root, ["--commit"], "0.0.0-newest");
    expect(git("rev-parse", "HEAD^2^")).toBe(known);
  });
});
