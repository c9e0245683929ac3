import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { releaseTags } from "@tsbuilder/apimachinery/semver";
import { compareText } from "@tsbuilder/apimachinery/text";
import type { ComparedCrd } from "../../lifecycle/compare-crds.ts";
import { crdsIn, generatedCrds } from "../../lifecycle/project-crds.ts";
import { projectFile } from "../../project/store.ts";
import { diskTree, everythingBelow, type Tree } from "../../scaffold/tree.ts";
import type { ClusterChoice } from "../../ship/cluster/kubectl.ts";
import { atFile } from "../../shared/files.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { listWords } from "../../shared/text.ts";
import { askGit, git, gitTree, isRepository } from "./git.ts";

/** An earlier state of a project's API. */
export interface EarlierApi {
  /** Where it comes from, for people: `v1.2.0`, `dist/install.yaml`. */
  readonly name: string;
  readonly crds: readonly ComparedCrd[];
  /** The source does not say how versions are converted: the manifests of an OLM bundle. */
  readonly hasNoConversions: boolean;
}

/**
 * Reads the CRDs of a git ref, a folder or a file. Nothing is checked out, and no program of the source runs. A source that
 * may contain CRDs of others, such as a file, counts with those of the given API groups only.
 */
export async function readEarlier(
  root: string,
  cwd: string,
  source: string,
  groups: ReadonlySet<string>,
): Promise<EarlierApi> {
  const path = resolve(cwd, source);
  const found = statSync(path, { throwIfNoEntry: false });
  const read = async (): Promise<Omit<EarlierApi, "name">> => {
    if (!found) return readProject(gitTree(root, commitNamed(root, source)));
    if (found.isDirectory()) return readFolder(source, path, groups);
    const content = atFile(path, () => readFileSync(path));
    const files = /\.(?:tgz|tar\.gz)$/u.test(path)
      ? await readPackedChart(source, content)
      : [[source, content.toString("utf8")] as const];
    const crds = requireCrds(source, await crdsIn(files));
    return { crds: requireGroups(`"${source}"`, crds, groups), hasNoConversions: false };
  };
  return { name: source, ...(await read()) };
}

async function readProject(tree: Tree): Promise<Omit<EarlierApi, "name">> {
  return { crds: await generatedCrds(tree), hasNoConversions: false };
}

/** Reads the files of a packed chart. */
async function readPackedChart(
  source: string,
  bytes: Uint8Array,
): Promise<(readonly [path: string, text: string])[]> {
  const { readTarball } = await import("../../packaging/tarball.ts");
  try {
    return readTarball(bytes).map(
      ({ path, content }) => [path, Buffer.from(content).toString("utf8")] as const,
    );
  } catch (cause) {
    throw new TsbuilderError(`"${source}" is not a gzipped tarball`, {
      code: "INVALID_SOURCE",
      hint: "name a file that helm package or helm pull has written",
      cause,
    });
  }
}

async function readFolder(
  source: string,
  path: string,
  groups: ReadonlySet<string>,
): Promise<Omit<EarlierApi, "name">> {
  const tree = diskTree(path);
  if (tree.has(projectFile)) return readProject(tree);
  const isBundle = tree.has("manifests") && tree.has("metadata/annotations.yaml");
  const all = everythingBelow(path);
  const files = all.list("").map((file) => [join(source, file), all.read(file) ?? ""] as const);
  const crds = requireCrds(source, await crdsIn(files));
  return { crds: requireGroups(`"${source}"`, crds, groups), hasNoConversions: isBundle };
}

/** Reads the CRDs of API groups in a cluster. */
export async function readCluster(choice: ClusterChoice, groups: ReadonlySet<string>): Promise<EarlierApi> {
  const { findTarget, readList } = await import("../../ship/cluster/kubectl.ts");
  const { context } = await findTarget(choice);
  const name = `the cluster of context "${context}"`;
  const resource = "customresourcedefinitions.apiextensions.k8s.io";
  const items = await readList<ComparedCrd>(choice, resource).catch((cause: unknown) => {
    if (!(cause instanceof TsbuilderError && /\(Forbidden\)/u.test(cause.message))) throw cause;
    throw new TsbuilderError(`${name} does not allow you to list CRDs`, {
      code: "CLUSTER_UNREACHABLE",
      hint: `ask for the permission (list of ${resource}), or for the output of: kubectl get crds -o yaml; then --against FILE`,
      cause,
    });
  });
  // An API server keeps CRDs of others that it would not accept today, so only those of these groups are checked.
  const own = requireGroups(name, items, groups);
  const crds = await crdsIn(own.map((item) => [`${item.metadata.name}.json`, JSON.stringify(item)] as const));
  return { name, crds, hasNoConversions: false };
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
  return releaseTags(lines(["--merged", "HEAD"])).map((tag) => ({ tag, isCurrent: current.has(tag) }));
}

/** Returns the commit of a git ref. Throws a TsbuilderError if there is none. */
function commitNamed(root: string, source: string): string {
  const commit = isRepository(root) ? commitOf(root, source) : undefined;
  if (commit !== undefined) return commit;
  throw new TsbuilderError(`"${source}" is neither a file, a folder nor a git ref`, {
    code: "NOT_FOUND",
    hint: "for a tag or branch that is not here yet, run git fetch --tags first; for a cluster, use --context",
  });
}

function commitOf(root: string, ref: string): string | undefined {
  return askGit(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
}

function requireCrds(source: string, crds: readonly ComparedCrd[]): readonly ComparedCrd[] {
  if (crds.length > 0) return crds;
  throw new TsbuilderError(`"${source}" contains no CustomResourceDefinition`, {
    code: "INVALID_SOURCE",
    hint: "name a file with CRDs such as dist/install.yaml, a folder with them, or a git ref",
  });
}

/**
 * Leaves out the CRDs of other API groups. Throws if no CRD is left: a comparison with nothing would find no change that
 * breaks anybody. A project without kinds has no groups, and is compared with nothing.
 */
function requireGroups(
  source: string,
  crds: readonly ComparedCrd[],
  groups: ReadonlySet<string>,
): readonly ComparedCrd[] {
  const own = crds.filter(({ spec }) => groups.has(spec.group));
  if (own.length > 0 || groups.size === 0) return own;
  throw new TsbuilderError(`${source} has no CRD of ${listWords([...groups].sort(compareText), "or")}`, {
    code: "NOT_FOUND",
    hint: "name another one, in which an earlier version of this project is",
  });
}
