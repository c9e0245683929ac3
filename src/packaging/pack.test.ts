import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { packReleases, packSiblings, type Tarball, tarballName } from "./pack.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "pack-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const library = (text: string) => ({
  manifest: {
    name: "@tsbuilder/library",
    version: "1.2.3",
    private: true,
    dependencies: { re2js: "2.10.0" },
  },
  files: [{ path: "dist/index.js", content: Buffer.from(text) }],
});
const user = {
  manifest: {
    name: "user",
    version: "1.2.3",
    dependencies: { "@tsbuilder/library": "1.2.3" },
    scripts: { a: "b" },
  },
  files: [
    { path: "bin/user.js", content: Buffer.from("#!/usr/bin/env node\n"), executable: true },
    { path: `templates/${"a-long-folder/".repeat(9)}file.hbs`, content: Buffer.alloc(1024, "x") },
  ],
};

test("packSiblings() puts a content hash into the version", () => {
  const [first] = packSiblings([library("one")]);
  const [again] = packSiblings([library("one")]);
  const [other] = packSiblings([library("two")]);
  expect(first!.version).toMatch(/^1\.2\.3-dev\.h[0-9a-f]{10}$/);
  expect(again).toEqual(first);
  expect(other!.version).not.toBe(first!.version);
});

test("packSiblings() changes the version of what depends on changed content", () => {
  const [, before] = packSiblings([library("one"), user]);
  const [, after] = packSiblings([library("two"), user]);
  expect(after!.version).not.toBe(before!.version);
});

test("packSiblings() references siblings by their tarballs and keeps other ranges", () => {
  const [packedLibrary, packedUser] = packSiblings([library("one"), user]);
  expect(unpack(packedUser!)["dependencies"]).toEqual({
    "@tsbuilder/library": `file:./${packedLibrary!.fileName}`,
  });
  expect(unpack(packedLibrary!)["dependencies"]).toEqual({ re2js: "2.10.0" });
});

test("packSiblings() omits what only applies in the repository", () => {
  const [packedLibrary, packedUser] = packSiblings([library("one"), user]);
  expect(unpack(packedLibrary!)).not.toHaveProperty("private");
  expect(unpack(packedUser!)).not.toHaveProperty("scripts");
});

test("packSiblings() writes what tar reads: long paths, contents and the executable bit", () => {
  const [, packed] = packSiblings([library("one"), user]);
  unpack(packed!);
  const listing = execFileSync("tar", ["-tvzf", join(folder, packed!.fileName)], { encoding: "utf8" });
  expect(listing).toMatch(/-rwxr-xr-x.*package\/bin\/user\.js/);
  const long = join(folder, "package/templates", "a-long-folder/".repeat(9), "file.hbs");
  expect(readFileSync(long, "utf8")).toBe("x".repeat(1024));
});

test("packReleases() gives all packages one version, by whose range they depend on each other", () => {
  const originOf = (directory: string) => ({ homepage: `https://example.com/${directory}` });
  const sources = [{ ...library("one"), directory: "src/library" }, user];
  const [packedLibrary, packedUser] = packReleases(sources, "2.0.0", originOf);
  expect(packedLibrary!.fileName).toBe("tsbuilder-library-2.0.0.tgz");
  expect(unpack(packedUser!)).toEqual({
    name: "user",
    version: "2.0.0",
    dependencies: { "@tsbuilder/library": "^2.0.0" },
    homepage: "https://example.com/.",
    publishConfig: { access: "public" },
    tsbuilder: { released: true },
  });
  expect(unpack(packedLibrary!)).toMatchObject({
    dependencies: { re2js: "2.10.0" },
    homepage: "https://example.com/src/library",
  });
});

test("packReleases() has packages depend on exactly the CLI of their version", () => {
  const cli = { manifest: { name: "tsbuilder", version: "0.1.0" }, files: [] };
  const create = {
    manifest: { name: "create", version: "0.1.0", dependencies: { tsbuilder: "0.1.0" } },
    files: [],
  };
  const [, packed] = packReleases([cli, create], "2.0.0", () => ({}));
  expect(unpack(packed!)["dependencies"]).toEqual({ tsbuilder: "2.0.0" });
});

test("packages export nothing by the condition of the repository", () => {
  const exports = { ".": { "@tsbuilder/source": "./index.ts", types: "./dist/index.d.ts" }, "./a": "./a.js" };
  const [packed] = packSiblings([{ ...user, manifest: { ...user.manifest, exports } }]);
  expect(unpack(packed!)["exports"]).toEqual({ ".": { types: "./dist/index.d.ts" }, "./a": "./a.js" });
});

test("tarballName() matches npm's", () => {
  expect(tarballName("@tsbuilder/runtime", "1.0.0")).toBe("tsbuilder-runtime-1.0.0.tgz");
});

function unpack(tarball: Tarball): Record<string, unknown> {
  const file = join(folder, tarball.fileName);
  writeFileSync(file, tarball.bytes);
  execFileSync("tar", ["-xzf", file, "-C", folder]);
  return JSON.parse(readFileSync(join(folder, "package/package.json"), "utf8")) as Record<string, unknown>;
}
