import { parseSemver } from "@tsbuilder/apimachinery/semver";
import type { Tree } from "../scaffold/tree.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { annotationsFile, bundleDockerfileName, bundleFolders, csvKind, writeYaml } from "./bundle-format.ts";
import { bundleDockerfile, requiredAnnotations } from "./bundle/bundle-metadata.ts";
import { type Located, readDocuments } from "./located.ts";

/** Returns the files of a bundle for each version of a package, by path: OUT/VERSION/bundle, and a Dockerfile beside it. */
export function planMigration(tree: Tree, folder: string, out: string): Map<string, string> {
  const packages = tree.list(folder).filter((path) => /(?:^|[./-])package\.ya?ml$/u.test(path));
  const [file, ...others] = packages;
  if (file === undefined || others.length > 0) {
    throw invalidSource(
      file === undefined
        ? `"${folder}" has no package manifest`
        : `"${folder}" has several package manifests`,
      "name the folder with one file PACKAGE.package.yaml, and a folder for each version",
    );
  }
  const manifest = readOne(tree, file);
  const packageName = manifest.get("packageName").text;
  if (!packageName) throw invalidSource(`"${file}" has no packageName`, "add it", manifest);
  const releases = findReleases(tree, folder);
  const channels = channelsOf(manifest, releases);
  const files = new Map<string, string>();
  for (const { folder: source, csv } of releases) {
    const name = csv.get("metadata", "name").text!;
    const bundleChannels = channels.get(name);
    const version = csv.get("spec", "version").text;
    if (!version || !parseSemver(version)) {
      const message = `"${csv.file}" has no valid spec.version`;
      throw invalidSource(message, "set it to three numbers, such as 1.0.0", csv.get("spec"));
    }
    if (!bundleChannels) {
      const message = `no channel of "${file}" leads to "${name}"`;
      throw invalidSource(message, "have a later version replace it, or delete its folder", csv);
    }
    // Only the bundles of the default channel name it.
    const defaultChannel = bundleChannels.find((channel) => channel === manifest.get("defaultChannel").text);
    const annotations = requiredAnnotations({ packageName, channels: bundleChannels, defaultChannel });
    const target = `${out}/${version}`;
    if (files.has(`${target}/${bundleDockerfileName}`)) {
      const hint = "give each a version of its own";
      throw invalidSource(`two versions are called ${version}`, hint, csv.get("spec", "version"));
    }
    files.set(`${target}/${bundleDockerfileName}`, bundleDockerfile("bundle", annotations));
    files.set(`${target}/bundle/${bundleFolders.metadata}${annotationsFile}`, writeYaml({ annotations }));
    for (const path of tree.list(source).filter((one) => !one.slice(source.length + 1).includes("/"))) {
      if (!/\.(?:ya?ml|json)$/u.test(path) || path === file) continue;
      files.set(
        `${target}/bundle/${bundleFolders.manifests}${path.slice(source.length + 1)}`,
        tree.read(path)!,
      );
    }
  }
  return files;
}

/** A version of a package in the old format: a folder with a ClusterServiceVersion and CRDs. */
interface Release {
  readonly folder: string;
  readonly csv: Located;
}

function findReleases(tree: Tree, folder: string): Release[] {
  const releases = tree
    .list(folder)
    .filter((path) => /\.(?:ya?ml|json)$/u.test(path) && !/(?:^|[./-])package\.ya?ml$/u.test(path))
    .map((path) => ({ folder: path.slice(0, path.lastIndexOf("/")), csv: readOne(tree, path) }))
    .filter(({ csv }) => csv.get("kind").value === csvKind);
  for (const { csv } of releases) {
    if (!csv.get("metadata", "name").text)
      throw invalidSource(`"${csv.file}" has no metadata.name`, "add it", csv);
  }
  if (releases.length > 0) return releases;
  throw invalidSource(`"${folder}" has no ${csvKind}`, "each version has a folder with one");
}

/** Returns the channels of each version: those whose current version it is, or replaces it, directly or by others. */
function channelsOf(manifest: Located, releases: readonly Release[]): Map<string, string[]> {
  const replaced = new Map(
    releases.map(({ csv }) => [csv.get("metadata", "name").text, csv.get("spec", "replaces").text]),
  );
  const channels = new Map<string, string[]>();
  for (const channel of manifest.get("channels").items) {
    const seen = new Set<string>();
    for (let name = channel.get("currentCSV").text; name && !seen.has(name); name = replaced.get(name)) {
      seen.add(name);
      channels.set(name, [...(channels.get(name) ?? []), channel.get("name").text ?? ""]);
    }
  }
  return channels;
}

/** Reads the first document of a file. Throws if there is none. */
function readOne(tree: Tree, path: string): Located {
  const documents = readDocuments(path, tree.read(path) ?? "");
  if (documents instanceof TsbuilderError) throw documents;
  if (documents[0]) return documents[0];
  throw invalidSource(`"${path}" is empty`, "delete it");
}

function invalidSource(message: string, hint: string, place?: Located): TsbuilderError {
  return new TsbuilderError(message, { code: "INVALID_SOURCE", hint, at: place?.at });
}
