import { readFileSync } from "node:fs";
import { type GroupVersion, type Scope, parseApiVersion } from "../../meta/index.ts";
import type { BuiltinResource, BuiltinSubresource, PrinterColumn, Verb } from "../builtin-resources.ts";
import { moduleOf } from "../type-names.ts";

/** A resource without the facts that follow from its type. */
export type ListedResource = Omit<BuiltinResource, "zero">;

/**
 * Builds the list of resources from `overlay/resources.txt`, in the order of discovery. A line without an indent is an
 * `apiVersion`; its resources are indented by two spaces, and the columns of a resource by four.
 */
export function buildResources(): ListedResource[] {
  const resources: ListedResource[] = [];
  const preferred = new Map<string, string>();
  let apiVersion = "";
  for (const line of readOverlay("resources.txt")) {
    if (line.startsWith("    ")) {
      const columns = line.trim().split(", ").map(buildColumn);
      resources.push({ ...resources.pop()!, columns });
    } else if (line.startsWith("  ")) {
      resources.push(buildResource(apiVersion, preferred.get(apiVersion) === apiVersion, line.trim()));
    } else {
      apiVersion = line;
      // Discovery lists a group's preferred version first.
      const { group } = parseApiVersion(apiVersion);
      if (!preferred.has(group)) preferred.set(group, apiVersion).set(apiVersion, apiVersion);
    }
  }
  return resources;
}

/** Returns the lines of a file of the overlay, without comments. */
export function readOverlay(file: string): string[] {
  const text = readFileSync(new URL(`overlay/${file}`, import.meta.url), "utf8");
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

/** The verbs of a resource that lists none. */
const allVerbs = "create,delete,deletecollection,get,list,patch,update,watch";

function buildResource(apiVersion: string, isPreferred: boolean, line: string): ListedResource {
  const [kind = "", plural = "", scope = "", ...words] = line.split(" ");
  const { group, version } = parseApiVersion(apiVersion);
  const option = (name: string): string | undefined =>
    words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
  const list = (name: string): string[] => option(name)?.split(",") ?? [];
  const verbs = (option("verbs") ?? allVerbs).split(",") as Verb[];
  return {
    group,
    version,
    apiVersion,
    kind,
    listKind: verbs.includes("list") ? `${kind}List` : undefined,
    plural,
    singular: option("singular") ?? kind.toLowerCase(),
    scope: scope as Scope,
    shortNames: list("short"),
    categories: list("in"),
    verbs,
    subresources: words
      .filter((word) => word.startsWith("/"))
      .map((word) => buildSubresource(word, { group, version, kind })),
    type: `${moduleOf({ group, version })}.${kind}`,
    isPreferred,
    storage: parseApiVersion(option("stored") ?? apiVersion),
    storageVersionHash: option("hash"),
    fieldSelectors: list("select"),
    columns: [],
    rules: {
      hasGeneration: words.includes("generation"),
      allowsUnconditionalUpdate: !words.includes("needs-version"),
      allowsCreateOnUpdate: words.includes("put-creates"),
      defaultPropagation: (option("propagation") ??
        "Background") as BuiltinResource["rules"]["defaultPropagation"],
    },
  };
}

function buildSubresource(word: string, parent: GroupVersion & { kind: string }): BuiltinSubresource {
  const [, name = "", type = "", verbs] = /^\/(\w+)(?::([\w./]+))?(?:\((.*)\))?$/u.exec(word) ?? [];
  const slash = type.lastIndexOf("/");
  const { group, version } = slash === -1 ? parent : parseApiVersion(type.slice(0, slash));
  return {
    name,
    group,
    version,
    kind: type.slice(slash + 1) || parent.kind,
    verbs: (verbs?.split(",") as Verb[] | undefined) ?? ["get", "patch", "update"],
  };
}

function buildColumn(text: string): PrinterColumn {
  const [, name = "", type = "string", format = "", wide = ""] =
    /^([^:/+]+)(?::(\w+))?(?:\/(\w+))?(\+)?$/u.exec(text) ?? [];
  return { name, type: type as PrinterColumn["type"], format, priority: wide ? 1 : 0 };
}

/** Types of request and response bodies that no kind refers to. */
const metaTypes = ["APIGroupList", "APIResourceList", "APIVersions", "DeleteOptions", "Status", "WatchEvent"];

/** Returns the types that the tables must include: all kinds, their lists, and other bodies of requests and responses. */
export function rootTypes(resources: readonly ListedResource[]): string[] {
  const kindTypes = resources.flatMap(({ group, version, type, listKind, subresources }) => [
    type,
    ...(listKind ? [`${moduleOf({ group, version })}.${listKind}`] : []),
    ...subresources
      .filter(({ kind }) => !kind.endsWith("Options"))
      .map((subresource) => `${moduleOf(subresource)}.${subresource.kind}`),
  ]);
  return [...kindTypes, ...metaTypes.map((name) => `meta/v1.${name}`)];
}
