import { expect, test } from "vitest";
import { integrityOf } from "./lock-file.ts";
import { lackingPackages, lockedVersions, readLock, staleTarballs, unlockedPackages } from "./check-lock.ts";

const lockOf = (packages: object) => readLock(JSON.stringify({ packages }))!;

test("a dependency is found beside the package that needs it, and in the folders above", () => {
  const lock = lockOf({
    "": {},
    "node_modules/vite": {
      version: "8.4.0",
      dependencies: { rolldown: "1" },
      optionalDependencies: { napi: "1" },
    },
    "node_modules/vite/node_modules/rolldown": {
      version: "1.0.0",
      dependencies: { types: "1", "@a/b": "1" },
    },
    "node_modules/types": { version: "1.0.0" },
    "node_modules/@a/b": { version: "1.0.0", dependencies: { types: "1" } },
    "packages/own": { version: "2.0.0", dependencies: { types: "1", none: "1" } },
  });
  expect(lackingPackages(lock)).toEqual([
    { name: "vite", version: "8.4.0", needs: "napi" },
    { name: "packages/own", version: "2.0.0", needs: "none" },
  ]);
});

test.each([
  ["1.2.3", "1.2.3", true],
  ["1.2.3", "1.2.4", false],
  ["^1.2.3", "1.9.0", true],
  ["^1.2.3", "1.2.2", false],
  ["^1.2.3", "2.0.0", false],
  ["^0.2.3", "0.2.9", true],
  ["^0.2.3", "0.3.0", false],
  ["^0.0.3", "0.0.4", false],
  ["~1.2.3", "1.2.9", true],
  ["~1.2.3", "1.3.0", false],
  [">=1 <3", "9.0.0", true],
  ["^1.0.0 || ^2.0.0", "2.1.0", true],
  ["latest", "2.1.0", true],
  ["npm:other@^1.0.0", "2.1.0", true],
])("%s allows %s: %s", (range, version, isAllowed) => {
  const lock = lockOf({ "node_modules/a": { version } });
  expect(unlockedPackages(lock, { devDependencies: { a: range } })).toEqual(isAllowed ? [] : ["a"]);
});

test("a tarball is locked by its path, and a package that is not there is unlocked", () => {
  const lock = lockOf({ "node_modules/a": { version: "1.0.0", resolved: "file:vendor/a-1.tgz" } });
  const ask = (a: string) =>
    unlockedPackages(lock, { dependencies: { a }, optionalDependencies: { b: "1.0.0" } });
  expect(ask("file:vendor/a-1.tgz")).toEqual(["b"]);
  expect(ask("file:./vendor/a-1.tgz")).toEqual(["b"]);
  expect(ask("file:vendor/a-2.tgz")).toEqual(["a", "b"]);
});

test("a tarball is stale if its bytes are others, or if it is gone", () => {
  const bytes = Buffer.from("a");
  const entry = (path: string) => ({ resolved: `file:${path}`, integrity: integrityOf(bytes) });
  const lock = lockOf({
    "node_modules/a": entry("vendor/a.tgz"),
    "node_modules/b": entry("vendor/b.tgz"),
    "node_modules/c": entry("vendor/c.tgz"),
    "node_modules/d": { resolved: "file:../folder" },
    "node_modules/e": entry("../e.tgz"),
    "node_modules/f": entry("/f.tgz"),
    "node_modules/g": entry("vendor/../../g.tgz"),
  });
  const files = new Map([
    ["vendor/a.tgz", bytes],
    ["vendor/b.tgz", Buffer.from("b")],
  ]);
  expect(staleTarballs(lock, (path) => files.get(path))).toEqual([
    { path: "vendor/b.tgz", isThere: true },
    { path: "vendor/c.tgz", isThere: false },
  ]);
});

test("the versions of two lock files are compared, and not what npm writes of them", () => {
  const one = lockOf({ "node_modules/a": { version: "1.0.0", libc: ["musl"] }, "node_modules/b": {} });
  const same = lockOf({ "node_modules/b": {}, "node_modules/a": { version: "1.0.0", resolved: "x" } });
  const other = lockOf({ "node_modules/a": { version: "1.0.1" }, "node_modules/b": {} });
  expect(lockedVersions(same)).toBe(lockedVersions(one));
  expect(lockedVersions(other)).not.toBe(lockedVersions(one));
});

test.each([undefined, "", "{", "null", "[]", "{}", '{"packages":[]}', '{"packages":{"":null}}'])(
  "%j is no lock file",
  (text) => expect(readLock(text)).toBeUndefined(),
);
