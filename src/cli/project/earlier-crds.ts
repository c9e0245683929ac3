import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { compareSemver, parseSemver } from "@tsbuilder/apimachinery/semver";
import type { ComparedCrd } from "../../lifecycle/compare-crds.ts";
import { crdsIn, generatedCrds } from "../../lifecycle/project-crds.ts";
import { projectFile } from "../../project/store.ts";
import { diskTree, everythingBelow } from "../../scaffold/tree.ts";
import type { ClusterChoice } from "../../ship/cluster/kubectl.ts";
import { atFile } from "../../shared/files.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { askGit, git, gitTree, isRepository } from "./git.ts";

/** An earlier state of a project's API. */
export interface EarlierApi {
  /** Where it comes from, for people: `v1.2.0`, `dist/install.yaml`. */
  readonly name: string;
  readonly crds: readonly ComparedCrd[];
  /** The place may have CRDs of others, too: those of other groups than the project's don't count. */
  readonly isShared: boolean;
  /** The place does not say how versions are converted: the manifests of an OLM bundle. */
  readonly hasNoConversions: boolean;
}

/** Reads the CRDs of a git ref, a folder or a file. Nothing is checked out, and nothing in it runs. */
export async function readEarlier(root: string, cwd: string, place: string): Promise<EarlierApi> {
  const path = resolve(cwd, place);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) {
    const commit = isRepository(root) ? commitOf(root, place) : undefined;
    if (commit === undefined) throw nothingAt(place);
    return {
      name: place,
      crds: await generatedCrds(gitTree(root, commit)),
      isShared: false,
      hasNoConversions: false,
    };
  }
  if (found.isDirectory()) return { ...(await readFolder(place, path)), name: place };
  const content = atFile(path, () => readFileSync(path));
  const files = /\.(?:tgz|tar\.gz)$/u.test(path)
    ? await readPackedChart(place, content)
    : [[place, content.toString("utf8")] as const];
  const crds = requireCrds(place, await crdsIn(files));
  return { name: place, crds, isShared: true, hasNoConversions: false };
}

/** Reads the files of a packed chart. */
async function readPackedChart(
  place: string,
  bytes: Uint8Array,
): Promise<(readonly [path: string, text: string])[]> {
  const { readTarball } = await import("../../packaging/tarball.ts");
  try {
    return readTarball(bytes).map(
      ({ path, content }) => [path, Buffer.from(content).toString("utf8")] as const,
    );
  } catch (cause) {
    throw new TsbuilderError(`"${place}" is not a gzipped tarball`, {
      code: "INVALID_SOURCE",
      hint: "name what helm package or helm pull has written",
      cause,
    });
  }
}

async function readFolder(place: string, path: string): Promise<Omit<EarlierApi, "name">> {
  const tree = diskTree(path);
  if (tree.has(projectFile))
    return { crds: await generatedCrds(tree), isShared: false, hasNoConversions: false };
  const isBundle = tree.has("manifests") && tree.has("metadata/annotations.yaml");
  const all = everythingBelow(path);
  const files = all.list("").map((file) => [join(place, file), all.read(file) ?? ""] as const);
  return { crds: requireCrds(place, await crdsIn(files)), isShared: true, hasNoConversions: isBundle };
}

/** Reads the CRDs of the project's groups in a cluster. */
export async function readCluster(choice: ClusterChoice): Promise<EarlierApi> {
  const { readList } = await import("../../ship/cluster/kubectl.ts");
  const items = await readList<object>(choice, "customresourcedefinitions");
  const texts = items.map((item, index) => [`${index}.json`, JSON.stringify(item)] as const);
  return {
    name: choice.context ?? "the cluster",
    crds: await crdsIn(texts),
    isShared: true,
    hasNoConversions: false,
  };
}

/** A released version: its tag. */
interface Release {
  readonly tag: string;
  /** The current commit is that of the release. */
  readonly isCurrent: boolean;
}

/** Lists the released versions that the current commit is or descends from, the newest first. */
export function listReleases(root: string): Release[] {
  if (!isRepository(root) || commitOf(root, "HEAD") === undefined) return [];
  const lines = (args: readonly string[]): string[] => git(root, ["tag", ...args]).split("\n");
  const current = new Set(lines(["--points-at", "HEAD"]));
  const released = lines(["--merged", "HEAD"]).flatMap((tag) => {
    const version = parseSemver(tag.replace(/^v/u, ""));
    return version && version.prerelease.length === 0 ? [{ tag, version, isCurrent: current.has(tag) }] : [];
  });
  return released.sort((a, b) => compareSemver(b.version, a.version));
}

function commitOf(root: string, ref: string): string | undefined {
  return askGit(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
}

function requireCrds(place: string, crds: readonly ComparedCrd[]): readonly ComparedCrd[] {
  if (crds.length > 0) return crds;
  throw new TsbuilderError(`"${place}" contains no CustomResourceDefinition`, {
    code: "INVALID_SOURCE",
    hint: "name a file with CRDs such as dist/install.yaml, a folder with them, or a git ref",
  });
}

function nothingAt(place: string): TsbuilderError {
  return new TsbuilderError(`"${place}" is neither a file, a folder nor a git ref`, {
    code: "NOT_FOUND",
    hint: "for a tag or branch that is not here yet, run git fetch --tags first; for a cluster, use --context",
  });
}
