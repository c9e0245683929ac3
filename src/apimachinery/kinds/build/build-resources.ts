import { type Scope, parseApiVersion } from "../../meta/index.ts";
import type { BuiltinResource, BuiltinSubresource, PrinterColumn, Verb } from "../builtin-resource.ts";
import { moduleOf } from "../type-names.ts";
import { columns } from "./overlay/columns.ts";
import { discovery } from "./overlay/discovery.ts";
import { fieldSelectors, registryRules, sharedStorage } from "./overlay/registry.ts";

/** Builds the list of resources from the overlay, in the order of discovery. */
export function buildResources(): BuiltinResource[] {
  const resources: BuiltinResource[] = [];
  const preferred = new Map<string, string>();
  let apiVersion = "";
  for (const line of discovery.trim().split("\n")) {
    if (line.startsWith(" ")) {
      resources.push(buildResource(apiVersion, preferred.get(apiVersion) === apiVersion, line.trim()));
      continue;
    }
    apiVersion = line;
    // Discovery lists a group's preferred version first.
    const { group } = parseApiVersion(apiVersion);
    if (!preferred.has(group)) preferred.set(group, apiVersion).set(apiVersion, apiVersion);
  }
  return resources;
}

function buildResource(apiVersion: string, isPreferred: boolean, line: string): BuiltinResource {
  const [kind = "", plural = "", scope = "", ...words] = line.split(" ");
  const { group, version } = parseApiVersion(apiVersion);
  const key = `${apiVersion} ${plural}`;
  const option = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const verbs = (option("verbs")?.split(",") as Verb[] | undefined) ?? allVerbs;
  return {
    group,
    version,
    apiVersion,
    kind,
    listKind: verbs.includes("list") ? `${kind}List` : undefined,
    plural,
    singular: option("singular") ?? kind.toLowerCase(),
    scope: scope as Scope,
    shortNames: option("short")?.split(",") ?? [],
    categories: option("in")?.split(",") ?? [],
    verbs,
    subresources: words
      .filter((word) => word.startsWith("/"))
      .map((word) => buildSubresource(word, { group, version, kind })),
    type: `${moduleOf({ group, version })}.${kind}`,
    isPreferred,
    storage: parseApiVersion(sharedStorage[key] ?? apiVersion),
    storageVersionHash: option("hash"),
    fieldSelectors: fieldSelectors[key] ?? [],
    columns: (columns[key]?.split(", ") ?? []).map(buildColumn),
    rules: {
      hasGeneration: false,
      allowsUnconditionalUpdate: true,
      allowsCreateOnUpdate: false,
      defaultPropagation: "Background",
      ...registryRules[key],
    },
  };
}

const allVerbs: readonly Verb[] = [
  "create",
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "update",
  "watch",
];

function buildSubresource(
  word: string,
  parent: { group: string; version: string; kind: string },
): BuiltinSubresource {
  const [, name = "", type = "", verbs] = /^\/(\w+)(?::([\w./]+))?(?:\((.*)\))?$/u.exec(word) ?? [];
  const slash = type.lastIndexOf("/");
  const own = slash === -1 ? { group: parent.group, version: parent.version } : undefined;
  return {
    name,
    ...(own ?? parseApiVersion(type.slice(0, slash))),
    kind: type.slice(slash + 1) || parent.kind,
    verbs: (verbs?.split(",") as Verb[] | undefined) ?? ["get", "patch", "update"],
  };
}

function buildColumn(text: string): PrinterColumn {
  const [, name = "", type = "string", format = "", wide = ""] =
    /^([^:/+]+)(?::(\w+))?(?:\/(\w+))?(\+)?$/u.exec(text) ?? [];
  return { name, type: type as PrinterColumn["type"], format, priority: wide ? 1 : 0 };
}

/** The types that the tables must include: all kinds, their lists, and the other bodies of requests and responses. */
export function rootTypes(resources: readonly BuiltinResource[]): string[] {
  const ofKinds = resources.flatMap(({ group, version, type, listKind, subresources }) => [
    type,
    ...(listKind ? [`${moduleOf({ group, version })}.${listKind}`] : []),
    ...subresources
      .filter(({ kind }) => !kind.endsWith("Options"))
      .map((subresource) => `${moduleOf(subresource)}.${subresource.kind}`),
  ]);
  return [...ofKinds, ...metaTypes.map((name) => `meta/v1.${name}`)];
}

/** Types of request and response bodies that no kind refers to. */
const metaTypes = ["APIGroupList", "APIResourceList", "APIVersions", "DeleteOptions", "Status", "WatchEvent"];
