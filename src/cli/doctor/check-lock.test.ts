import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { useProjectFolder } from "../../../e2e/support/projects/project-folder.ts";
import { releasedHost } from "../../../e2e/support/projects/released-host.ts";
import { integrityOf } from "../../packaging/lock-file.ts";
import { diskTree } from "../../scaffold/tree.ts";
import { dispatch } from "../start/main.ts";
import { checkLock } from "./check-packages.ts";

const folder = useProjectFolder();
const write = (path: string, text: string): void => writeFileSync(join(folder.root, path), text);
const check = () => checkLock(folder.root, diskTree(folder.root));

interface Entry {
  resolved?: string;
  integrity?: string;
  optionalDependencies?: Record<string, string>;
}

/** A `package.json` or a lock file. */
interface Content {
  readonly packages: Record<string, Entry>;
  readonly devDependencies: Record<string, string>;
}

function edit(path: string, change: (content: Content) => void): void {
  const content = JSON.parse(readFileSync(join(folder.root, path), "utf8")) as Content;
  change(content);
  write(path, JSON.stringify(content));
}
const editLock = (name: string, change: (entry: Entry) => void): void =>
  edit("package-lock.json", ({ packages }) => change(packages[`node_modules/${name}`]!));

beforeEach(async () => {
  const quiet = { print: () => undefined, note: () => undefined, isInteractive: false };
  const words = "init --domain example.com --project-name shop --skip-install".split(" ");
  await dispatch(words, folder.root, quiet, releasedHost("0.2.0"));
});

test("finds nothing wrong with the lock file of a new project", () => {
  expect(check()).toEqual([]);
});

test("names what a registry lacked when npm install wrote the lock file", () => {
  editLock("vite", (entry) => (entry.optionalDependencies!["not-there"] = "^0.1.0"));
  expect(check()).toMatchObject([
    {
      state: "wrong",
      subject: "package-lock.json",
      message: expect.stringMatching(
        /^npm ci refuses it: it lacks "not-there", which vite \d\S* needs$/u,
      ) as string,
      remedy: expect.stringContaining("npm install --save-dev vite@VERSION") as string,
    },
  ]);
});

test("names packages that package.json asks for in another version, or anew", () => {
  edit("package.json", ({ devDependencies }) => {
    devDependencies["typescript"] = "7.9.0";
    devDependencies["pino"] = "^10.0.0";
  });
  expect(check()).toMatchObject([
    {
      message: 'npm ci refuses it: it lacks what package.json asks for of "pino", "typescript"',
      remedy: "npm install",
    },
  ]);
});

test("compares the tarballs of vendor/ with what the lock file says of them", () => {
  mkdirSync(join(folder.root, "vendor"));
  write("vendor/ours.tgz", "ours");
  editLock("ws", (entry) => {
    entry.resolved = "file:vendor/ours.tgz";
    entry.integrity = integrityOf(Buffer.from("ours"));
  });
  expect(check()).toEqual([]);
  write("vendor/ours.tgz", "theirs");
  expect(check()).toMatchObject([
    {
      message: 'npm ci refuses it: "vendor/ours.tgz" has another content than it says',
      remedy: 'restore "vendor/ours.tgz" and "package-lock.json" from version control',
    },
  ]);
  rmSync(join(folder.root, "vendor/ours.tgz"));
  expect(check()).toMatchObject([{ message: 'npm ci refuses it: "vendor/ours.tgz" is missing' }]);
});

test("reads no file outside of the project, whatever the lock file names", () => {
  editLock("ws", (entry) => {
    entry.resolved = "file:../outside.tgz";
    entry.integrity = integrityOf(readFileSync(import.meta.filename));
  });
  expect(check()).toEqual([]);
});

test("tells a lock file that can't be read from one that is not there", () => {
  write("package-lock.json", "{");
  expect(check()).toMatchObject([{ state: "wrong", message: "npm can't read it" }]);
  rmSync(join(folder.root, "package-lock.json"));
  expect(check()).toMatchObject([{ state: "missing", remedy: "npm install" }]);
});

test("checks npm-shrinkwrap.json instead, which npm reads first", () => {
  renameSync(join(folder.root, "package-lock.json"), join(folder.root, "npm-shrinkwrap.json"));
  expect(check()).toEqual([]);
  write("package-lock.json", "{");
  expect(check()).toEqual([]);
  write("npm-shrinkwrap.json", "{");
  expect(check()).toMatchObject([{ subject: "npm-shrinkwrap.json", message: "npm can't read it" }]);
});

test("says nothing of a lock file of npm 6", () => {
  write("package-lock.json", '{"lockfileVersion":1,"dependencies":{}}');
  expect(check()).toEqual([]);
});

test.each(["null", "[]", '"text"', '{"dependencies":{"x":1}}', '{"devDependencies":[]}'])(
  "says nothing of the package.json %s, which npm itself refuses",
  (text) => {
    write("package.json", text);
    expect(check()).toEqual([]);
  },
);

test("says nothing of a project that another package manager installs, or that is a member of a workspace", () => {
  rmSync(join(folder.root, "package-lock.json"));
  write("pnpm-lock.yaml", "");
  expect(check()).toEqual([]);
});
