import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "../../../src/packaging/commit.ts";
import { findOwnPackage } from "../../../src/packaging/own-package.ts";
import { packageFolders } from "../../../src/packaging/pack.ts";
import { sha256 } from "../../../src/packaging/tarball.ts";
import { checkTag, closeUnreleased, isInChangelog, setVersion } from "./versions.ts";
import { type PackOptions, readReleaseCommand, releaseHelp } from "./command-line.ts";
import { findRepository, packRelease } from "./pack-release.ts";

const { folder: root, version: current } = findOwnPackage();
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const manifests = packageFolders.map((folder) => join(folder, "package.json"));

/** The files of a release. A folder with any other file is refused, since it is deleted as a whole. */
const releaseFile = /^(?:SHA256SUMS|NOTES\.md|sbom\.cdx\.json|(?:create-)?tsbuilder-[\w.-]+\.tgz)$/u;

try {
  const command = readReleaseCommand(process.argv.slice(2), process.env);
  if (command.action === "pack") pack(command);
  else if (command.action === "write") write(command.version);
  else console.log(releaseHelp);
} catch (error) {
  console.error(`error: ${(error as Error).message}`);
  process.exitCode = 1;
}

/** Writes a version into the files of the repository, for the commit of a release. */
function write(version: string): void {
  if (askGit("status", "--porcelain") !== "")
    throw new Error("there are changes that are not committed: commit them first");
  const changelog = read("CHANGELOG.md");
  if (isInChangelog(changelog, version))
    throw new Error(`CHANGELOG.md already has a version ${version}: choose another one`);
  const closed = closeUnreleased(changelog, version);
  for (const path of ["package-lock.json", ...manifests])
    writeFileSync(join(root, path), setVersion(read(path), version));
  writeFileSync(join(root, "CHANGELOG.md"), closed);
  console.log(`Wrote ${version}. Next:
  git commit --all --message "Release ${version}"             # to be reviewed
  git tag v${version} && git push origin v${version}          # the workflow publishes`);
}

/** Packs a release into a folder, after the checks that publishing needs. */
function pack({ version = current, tag, to, repository, build }: PackOptions): void {
  const folder = to ?? join(root, "dist/release");
  if (existsSync(folder) && !statSync(folder).isDirectory()) throw new Error(`"${folder}" is a file`);
  const existing = existsSync(folder) ? readdirSync(folder) : [];
  const isOlderRelease = existing.includes("SHA256SUMS") && existing.every((name) => releaseFile.test(name));
  if (existing.length > 0 && !isOlderRelease)
    throw new Error(`"${folder}" has other files than a release: choose an empty folder`);
  const changes = git(root, ["status", "--porcelain"]);
  if (tag !== undefined) checkTag(readState(tag));
  if (build && spawnSync("npm", ["run", "--silent", "build"], { cwd: root, stdio: "inherit" }).status !== 0)
    throw new Error("the build failed");
  const page = repository ?? findRepository(git(root, ["config", "--get", "remote.origin.url"]), process.env);
  const { files, problems } = packRelease(root, version, page);
  if (problems.length > 0)
    throw new Error(`these packages are not fit for a registry:\n  ${problems.join("\n  ")}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) {
    writeFileSync(join(folder, name), bytes);
    console.log(`${sha256(bytes)} ${String(bytes.length).padStart(8)} ${name}`);
  }
  if (changes === undefined) console.log("Not to be published: this is not a clone.");
  else if (changes !== "") console.log("Not to be published: there are changes that are not committed.");
  if (page === undefined)
    console.log("Not to be published: no repository is known; add the remote origin, or --repository URL.");
}

/** Reads the state of the repository that `checkTag` compares. */
function readState(tag: string): Parameters<typeof checkTag>[0] {
  const versionOf = (path: string): string => (JSON.parse(read(path)) as { version: string }).version;
  return {
    tag,
    versions: new Map(["package-lock.json", ...manifests].map((path) => [path, versionOf(path)])),
    changelog: read("CHANGELOG.md"),
    tagged: git(root, ["rev-parse", "--verify", "--quiet", `${tag}^{commit}`]),
    head: askGit("rev-parse", "HEAD"),
    changes: askGit("status", "--porcelain"),
  };
}

/** Runs git; throws if it fails. */
function askGit(...args: string[]): string {
  const answer = git(root, args);
  if (answer === undefined) throw new Error(`git ${args.join(" ")} failed: a release needs a clone`);
  return answer;
}
