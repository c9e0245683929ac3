import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { run } from "../../golden/golden-projects.ts";
import { plantJournal, plantLinks, plantPrograms, plantRepository } from "./planted-clone/plant.ts";
import { readCommands } from "./planted-clone/read-commands.ts";
import type { Outcome } from "./planted-clone/run-commands.ts";
import { repository } from "../source-imports.ts";

/** The folders of an attacker and of somebody who clones what the attacker made. */
let work: string;
const at = (...path: string[]): string => join(work, ...path);
const environment = (): NodeJS.ProcessEnv => ({
  HOME: at("home"),
  // As npx would have it.
  PATH: `${at("clone/node_modules/.bin")}:.:${process.env["PATH"]}`,
  GIT_CONFIG_NOSYSTEM: "1",
});
const git = (cwd: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], {
    cwd,
    env: { ...environment(), PATH: process.env["PATH"] },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
const hasStrace = spawnSync("strace", ["-V"]).status === 0;
if (!hasStrace) console.log("left out: the system calls of commands in a clone, for lack of strace");

beforeEach(async () => {
  work = mkdtempSync(join(tmpdir(), "tsbuilder-planted-"));
  for (const folder of ["project", "home/.kube", "ran"]) mkdirSync(at(folder), { recursive: true });
  writeFileSync(at("home/.kube/config"), "mine");
  writeFileSync(at("home/.profile"), "mine");
  await run(["init", "--domain", "example.com", "--project-name", "shop"], at("project"));
  await run("create api --group apps --version v1 --kind Order --make=false".split(" "), at("project"));
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

/** Commits all that is in the project, and clones it. */
function publish(): void {
  git(at("project"), "init", "--quiet");
  git(at("project"), "add", "--all", "--force");
  git(at("project"), "commit", "--quiet", "--message", "x");
  git(work, "clone", "--quiet", "project", "clone");
}

const node = ["--conditions=@tsbuilder/source", "--import", import.meta.resolve("tsx")];

/** Runs all commands that read in a folder; where strace is, also looks which files they opened and programs they started. */
function runReading(cwd: string): { outcomes: Outcome[]; calls: string[] } {
  const program = join(import.meta.dirname, "planted-clone/run-commands.ts");
  const command = [
    process.execPath,
    ...node,
    program,
    at("outcomes"),
    cwd,
    at("clone"),
    at("home/.kube"),
    at("home/.profile"),
  ];
  const watch = hasStrace
    ? [
        "strace",
        "-f",
        "--seccomp-bpf",
        "-qq",
        "-y",
        "-s",
        "4096",
        "-e",
        `trace=/${traced}`,
        "-o",
        at("trace"),
      ]
    : [];
  const [name, ...args] = [...watch, ...command];
  const { stderr, status } = spawnSync(name!, args, { cwd, env: environment(), encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const outcomes = JSON.parse(readFileSync(at("outcomes"), "utf8")) as Outcome[];
  return { outcomes, calls: hasStrace ? readFileSync(at("trace"), "utf8").split("\n") : [] };
}

/** System calls that change something below the clone, or run something of it, each with the command that made it. */
function harmful(calls: readonly string[]): string[] {
  const found: string[] = [];
  let command = "";
  for (const call of calls) {
    command = /"\/command: (.*?)"/u.exec(call)?.[1] ?? command;
    // Before the first one, the programs start that run them.
    if (command === "") continue;
    const [, name = "", rest = ""] = /^\d+ +(\w+)\((.*)$/u.exec(call) ?? [];
    const [first = "", ...others] = [...rest.matchAll(/"((?:[^"\\]|\\.)*)"/gu)].map((match) => match[1]!);
    const folder = /^\w+<(.*?)>/u.exec(rest)?.[1] ?? at("clone");
    // strace prints addresses instead of paths if the process is killed during the call.
    const isThere = (path: string): boolean => path !== "" && resolve(folder, path).startsWith(at("clone"));
    if (name.startsWith("open") && /O_(?:WRONLY|RDWR|CREAT|TRUNC)/u.test(rest) && isThere(first))
      found.push(`${command}: ${call}`);
    if (changing.test(name) && [first, ...others].some(isThere)) found.push(`${command}: ${call}`);
    // A tool that is told where the project is does not run it, but Node runs a script.
    const runs = [
      first,
      ...(first.endsWith("node")
        ? others
            .slice(1)
            .filter((word) => !word.startsWith("-"))
            .slice(0, 1)
        : []),
    ];
    if (name === "execve" && runs.some(isThere)) found.push(`${command}: ${call}`);
  }
  return found;
}

const changes = "creat|mkdir|rmdir|unlink|rename|link|symlink|chmod|fchmodat|chown|truncate|utime|mknod";
const changing = new RegExp(`^(?:${changes})`, "u");
/** With calls that only look at files, most of which find modules, a run takes twice as long; `access` shows the commands. */
const traced = `^(${changes}|open|execve|f?access)`;

function expectHarmless(cwd = at("clone")): readonly Outcome[] {
  const { outcomes, calls } = runReading(cwd);
  expect(outcomes.map(({ line }) => line)).toEqual(expect.arrayContaining([...readCommands]));
  expect(outcomes.filter(({ changed }) => changed.length > 0)).toEqual([]);
  expect(readdirSync(at("ran"))).toEqual([]);
  expect(harmful(calls)).toEqual([]);
  // A list of codes has that of bugs, too.
  const said = outcomes.filter(({ line }) => !line.includes("explain"));
  expect(said.filter((one) => one.said.includes("INTERNAL"))).toEqual([]);
  return outcomes;
}

describe.skipIf(process.platform === "win32")(
  "commands that read write nothing and run nothing of a clone",
  () => {
    test("with programs, packages, a plugin, settings that name programs, and a journal", () => {
      plantPrograms(at("project"), at("ran"));
      plantJournal(at("project"), at("ran"));
      const text = readFileSync(at("project/PROJECT"), "utf8");
      const uses = "plugins:\n  evil.example.com/v1:\n    package: ./tools/tsbuilder-plugin-evil\n";
      const layout = text.replace(/^layout:\n(- .*\n)/mu, "layout:\n$1- evil.example.com/v1\n");
      writeFileSync(at("project/PROJECT"), layout + uses);
      publish();
      expect(expectHarmless()).toHaveLength(readCommands.length + 11);
    });

    // Without a plugin, upgrade comes to the project's own tsbuilder.
    test("with links to files of the user's, in a folder that git takes for a repository", () => {
      renameSync(at("project"), at("sub"));
      mkdirSync(at("project/outer"), { recursive: true });
      renameSync(at("sub"), at("project/outer/sub"));
      plantPrograms(at("project/outer/sub"), at("ran"));
      rmSync(at("project/outer/sub/.tsbuilder/dev"), { recursive: true });
      plantLinks(at("project/outer/sub"), at("home"));
      plantRepository(at("project/outer"), at("ran"));
      publish();
      const outcomes = expectHarmless(at("clone/outer/sub"));
      const saying = (text: string) =>
        outcomes.filter(({ said }) => said.includes(text)).map(({ line }) => line);
      expect(saying("may not run before you allow it")).toEqual(
        expect.arrayContaining(["upgrade --dry-run", "upgrade --diff"]),
      );
    });
  },
);

test("the watch sees what is run and written: a plugin that the user has allowed, and a command that writes", async () => {
  plantPrograms(at("project"), at("ran"));
  await run(["plugins", "allow", "./tools/tsbuilder-plugin-evil"], at("project"));
  await run("edit --plugins ./tools/tsbuilder-plugin-evil".split(" "), at("project")).catch(() => undefined);
  expect(readdirSync(at("ran"))).toEqual(["tools-tsbuilder-plugin-evil"]);
  const clone = at("clone");
  const calls = [
    `1 openat(AT_FDCWD, "${clone}/x", O_WRONLY|O_CREAT, 0666) = 3`,
    `1 execve("${clone}/node_modules/.bin/npm", ["npm"], 0x0 /* 3 vars */) = 0`,
    `1 execve("/usr/bin/node", ["node", "${clone}/evil.js"], 0x0) = 0`,
    `1 unlink("${clone}/x") = 0`,
    `1 rename("x.lock", "x") = 0`,
    `1 openat(AT_FDCWD<${clone}>, ".git/index.lock", O_RDWR|O_CREAT, 0666) = 3`,
  ];
  const marked = (more: readonly string[]): string[] =>
    harmful(['1 access("/command: x", F_OK) = -1', ...more]);
  expect(marked(calls)).toHaveLength(calls.length);
  expect(
    marked([
      `1 openat(AT_FDCWD, "${clone}/x", O_RDONLY) = 3`,
      `1 execve("/usr/bin/git", ["git"], 0x0) = 0`,
      "1 execve(0x7fff068d7aa0, 0x25d8e020, 0x25d8d590 <unfinished ...>",
    ]),
  ).toEqual([]);
});

test("the book lists what is planted, and the commands that are run", () => {
  const page = readFileSync(join(repository, "src/book/about/hostile-clone.md"), "utf8");
  const named = [...page.matchAll(/`([^`\n]+)`/gu)].flatMap(([, text = ""]) => {
    const [, before = "", list, after = ""] = /^(.*?)\{(.+)\}(.*)$/u.exec(text) ?? [];
    return list === undefined ? [text] : list.split(",").map((part) => before + part + after);
  });
  const planted = [plantPrograms, plantJournal, plantLinks, plantRepository].flatMap((plant, index) => {
    const root = at(`empty-${index}`);
    mkdirSync(root);
    plant(root, at("ran"));
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  });
  expect(planted.filter((path) => !named.includes(path))).toEqual([]);
  const helped = readCommands.filter((line) => line.endsWith(" --help"));
  expect(page).toContain(`of all ${helped.length} commands`);
  const isNamed = (line: string): boolean =>
    named.some(
      (text) => line.trim() === text || (/^[a-z]+ [a-z]+$/u.test(text) && line.startsWith(`${text} --`)),
    );
  const others = readCommands.filter((line) => !helped.includes(line) && !line.endsWith(" --test --dry-run"));
  expect(others.filter((line) => !isNamed(line))).toEqual([]);
});

/** Runs a command as a user would, in a process of its own. */
function tsbuilder(cwd: string, ...argv: string[]): { status: number | null; said: string } {
  const cli = join(repository, "src/cli/start/from-source.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [...node, cli, ...argv], {
    cwd,
    env: environment(),
    encoding: "utf8",
  });
  return { status, said: stdout + stderr };
}

test("a journal of a clone does nothing at all, until its user deletes it", () => {
  plantJournal(at("project"), at("ran"));
  publish();
  const hooks = readdirSync(at("clone/.git/hooks"));
  const doctor = tsbuilder(at("clone"), "doctor");
  expect(doctor.status).toBe(1);
  expect(doctor.said).toContain("! .tsbuilder/stage: the changes in .tsbuilder/stage are not yours");
  expect(doctor.said).toContain("rm -r .tsbuilder/stage");
  const main = readFileSync(at("clone/src/main.ts"), "utf8");
  expect(tsbuilder(at("clone"), "manifests").said).toContain("error: tsbuilder did not write");
  git(at("clone"), "commit", "--quiet", "--allow-empty", "--message", "mine");
  git(at("clone"), "status");
  expect(readdirSync(at("ran"))).toEqual([]);
  expect(readdirSync(at("clone/.git/hooks"))).toEqual(hooks);
  expect(readFileSync(at("clone/src/main.ts"), "utf8")).toBe(main);
  rmSync(at("clone/.tsbuilder/stage"), { recursive: true });
  expect(tsbuilder(at("clone"), "manifests")).toMatchObject({ status: 0 });
  expect(existsSync(at("clone/config/crd/bases"))).toBe(true);
});
