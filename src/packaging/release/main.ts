import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findOwnPackage } from "../own-package.ts";
import { packRelease, sha256 } from "./pack-release.ts";
import { checkVersion, closeUnreleased, isInChangelog, setVersion } from "./versions.ts";

const help = `npm run release -- VERSION
  Writes VERSION into the package.json files, the lock file and CHANGELOG.md, to be committed and tagged.
npm run release -- --dry-run [--version VERSION] [--tag TAG] [--to FOLDER] [--repository URL] [--no-build]
  Builds, and packs what would be published into FOLDER, by default dist/release. Publishes nothing.
  --version VERSION  as which version; Default: that of package.json
  --tag TAG          fails unless the tag, package.json, CHANGELOG.md and what is committed agree
  --repository URL   where the packages come from; Default: that of the workflow, or the remote origin
  --no-build         packs what was built before`;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "dry-run": { type: "boolean", default: false },
    version: { type: "string" },
    tag: { type: "string" },
    to: { type: "string" },
    repository: { type: "string" },
    "no-build": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const { folder: root, version: current } = findOwnPackage();
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const git = (...args: string[]): string =>
  spawnSync("git", ["-C", root, ...args], { encoding: "utf8" }).stdout.trim();

try {
  if (flags["dry-run"]) pack();
  else if (positionals.length === 1 && !flags.help) write(checkVersion(positionals[0]!));
  else console.log(help);
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
}

/** Prepares the commit of a release. */
function write(version: string): void {
  if (git("status", "--porcelain") !== "")
    throw new Error("there are changes that are not committed: commit them first");
  const changelog = read("CHANGELOG.md");
  if (isInChangelog(changelog, version))
    throw new Error(`CHANGELOG.md already has a version ${version}: choose another one`);
  const folders = [".", "src/apimachinery", "src/runtime", "src/cluster", "src/simulation", "src/create"];
  for (const path of ["package-lock.json", ...folders.map((folder) => `${folder}/package.json`)])
    writeFileSync(join(root, path), setVersion(read(path), version));
  writeFileSync(join(root, "CHANGELOG.md"), closeUnreleased(changelog, version));
  console.log(`Wrote ${version}. Next:
  git commit --all --message "Release ${version}"
  npm run release -- --dry-run --tag v${version}
  git tag v${version} && git push origin HEAD v${version}     # the workflow publishes`);
}

/** Packs what would be published. */
function pack(): void {
  const version = checkVersion(flags.version ?? current);
  const changed = git("status", "--porcelain", "--untracked-files=no") !== "";
  if (flags.tag !== undefined) checkTag(flags.tag, version, changed);
  if (!flags["no-build"]) build();
  const { files, problems } = packRelease(root, version, findRepository());
  const folder = flags.to ?? join(root, "dist/release");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) {
    writeFileSync(join(folder, name), bytes);
    console.log(`${sha256(bytes)} ${String(bytes.length).padStart(8)} ${name}`);
  }
  if (changed) console.log("Not to be published: there are changes that are not committed.");
  if (findRepository() === undefined)
    console.log("Not to be published: no repository is known; add the remote origin.");
  if (problems.length > 0)
    throw new Error(`these packages are not fit for a registry:\n  ${problems.join("\n  ")}`);
}

function checkTag(tag: string, version: string, changed: boolean): void {
  if (tag !== `v${version}`) throw new Error(`the tag is ${tag}, and package.json says ${version}`);
  if (!isInChangelog(read("CHANGELOG.md"), version))
    throw new Error(`CHANGELOG.md has no version ${version}: npm run release -- ${version} writes it`);
  if (changed) throw new Error("there are changes that are not committed");
}

function build(): void {
  const { status } = spawnSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error("the build failed");
}

/** As a web page: provenance is refused if it is not the repository of the workflow. */
function findRepository(): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env;
  const url =
    flags.repository ?? (server && name ? `${server}/${name}` : git("config", "--get", "remote.origin.url"));
  const web = url.replace(/^git@([^:]+):/u, "https://$1/");
  return web.startsWith("https://") ? web : undefined;
}
