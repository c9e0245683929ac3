// Kubernetes' APIs that an operator uses and that a release of Kubernetes lacks, deprecates or removes.

import {
  type Release,
  builtinResources,
  compareReleases,
  lifetimeOf,
  moduleOf,
  releases,
} from "@tsbuilder/apimachinery/kinds";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { Tree } from "../../scaffold/tree.ts";
import { readYaml } from "../../shared/read-yaml.ts";
import type { Finding } from "../reporting/report.ts";

/** A kind that a file names. */
interface Use {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
}

/**
 * Finds kinds of Kubernetes in manifests and sources that some release lacks or will lack. Fields aren't looked at. Only what no
 * release serves any more is wrong.
 */
export function checkApis(tree: Tree): Finding[] {
  const seen = new Set<string>();
  return tree.list("").flatMap((file) =>
    usesIn(file, tree.read(file)).flatMap((use) => {
      const finding = explain(use);
      const key = `${use.file} ${finding?.message}`;
      if (!finding || seen.has(key)) return [];
      seen.add(key);
      return [finding];
    }),
  );
}

function explain({ file, apiVersion, kind }: Use): Finding | undefined {
  const name = `${kind} of ${apiVersion}`;
  const { deprecated, removed, replacement } = lifetimeOf(apiVersion, kind) ?? {};
  const instead = replacement?.replace(/^(.+)\/(.+)$/u, "$2 of $1");
  const remedy =
    instead === undefined ? "find its successor in Kubernetes' deprecation guide" : `use ${instead}`;
  if (removed !== undefined && compareReleases(removed, releases.at(-1)!) <= 0) {
    const state = compareReleases(removed, releases[0]) <= 0 ? "wrong" : "missing";
    return { state, subject: file, message: `Kubernetes ${removed} and newer have no ${name}`, remedy };
  }
  if (deprecated !== undefined && compareReleases(deprecated, releases.at(-1)!) <= 0) {
    const end = removed === undefined ? "" : ` and gone in ${removed}`;
    const message = `${name} is deprecated since Kubernetes ${deprecated}${end}`;
    return { state: "missing", subject: file, message, remedy };
  }
  const lacking = releasesWithout(apiVersion, kind);
  if (lacking.length === 0) return undefined;
  const message = `Kubernetes ${lacking.join(" and ")} has no ${name}`;
  return { state: "missing", subject: file, message, remedy: "run the operator on newer releases only" };
}

/** Returns the releases that lack a kind which another release has. */
function releasesWithout(apiVersion: string, kind: string): Release[] {
  const found = builtinResources("all").filter(
    (known) => known.apiVersion === apiVersion && known.kind === kind,
  );
  if (found.length === 0) return [];
  return releases.filter((release) => !found.some((resource) => resource.releases.includes(release)));
}

const builtInImport = /import\s[^;]*?\{([^}]*)\}\s*from\s*"@tsbuilder\/runtime\/k8s\/([^"]+)"/gu;
const literal = /apiVersion:\s*"([^"]+)",\s*kind:\s*"(\w+)"/gu;

function usesIn(file: string, text = ""): Use[] {
  if (/\.ya?ml$/u.test(file)) return manifestsIn(file, text);
  if (!/\.[cm]?ts$/u.test(file)) return [];
  const named = [...text.matchAll(literal)].map(([, apiVersion = "", kind = ""]) => ({
    file,
    apiVersion,
    kind,
  }));
  const imported = [...text.matchAll(builtInImport)].flatMap(([, names = "", module = ""]) => {
    const kinds = new Set(names.split(",").map((name) => name.replace(/^\s*(?:type\s+)?(\w+)[^]*$/u, "$1")));
    return builtinResources("all")
      .filter((resource) => moduleOf(resource) === module && kinds.has(resource.kind))
      .map(({ apiVersion, kind }) => ({ file, apiVersion, kind }));
  });
  return [...named, ...imported];
}

/** Reads the manifests of a file. Templates of charts and the like are no YAML: other checks report what is broken. */
function manifestsIn(file: string, text: string): Use[] {
  if (!/^apiVersion:/mu.test(text)) return [];
  try {
    return readYaml(file, text).flatMap((value) => {
      const { apiVersion, kind } = isObject(value) ? value : {};
      return typeof apiVersion === "string" && typeof kind === "string" ? [{ file, apiVersion, kind }] : [];
    });
  } catch {
    return [];
  }
}
