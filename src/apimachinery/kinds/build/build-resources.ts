import { type GroupVersion, type Scope, parseApiVersion } from "../../meta/index.ts";
import type { BuiltinResource, BuiltinSubresource, PrinterColumn, Verb } from "../builtin-resources.ts";
import { moduleOf } from "../type-names.ts";
import { type Release, defaultRelease } from "../releases.ts";
import { readFacts, readLines } from "./model.ts";

/** A resource without the facts that follow from its type, or from those of other releases. */
export type ListedResource = Omit<BuiltinResource, "zero" | "releases">;

/**
 * Builds the list of a release's resources in the order of discovery. facts/resources.txt is made from Kubernetes' module: a line
 * without an indent is an `apiVersion`; its resources are indented by two spaces, and the columns of a resource by four.
 * A resource: kind, plural, scope, then what is not the default. "singular"; "short": short names; "in": categories;
 * "verbs" (default: all eight); "hash": of the storage version. Subresources start with a slash: "/name:kind(verbs)".
 * Default: the parent's kind, and the verbs get, patch and update; a kind of another group is written with its group.
 * Columns: name, then ":type" unless it is a string, "/format", and "+" for columns of wide output only. Ages are
 * strings, because the server computes them. facts/rules.txt adds what is not in the module.
 */
export function buildResources(release: Release = defaultRelease): ListedResource[] {
  const resources: ListedResource[] = [];
  const rules = readRules();
  const preferred = new Map<string, string>();
  let apiVersion = "";
  for (const line of [...readFacts("resources.txt", release).values()].flat()) {
    if (line.startsWith("    ")) {
      const last = resources.pop()!;
      const columns = rules.get(`${apiVersion} ${last.kind}`)?.columns ?? line.trim();
      resources.push({ ...last, columns: columns.split(", ").map(buildColumn) });
    } else if (line.startsWith("  ")) {
      const kind = line.trim().split(" ", 1)[0]!;
      const words = rules.get(`${apiVersion} ${kind}`)?.words ?? "";
      const isPreferred = preferred.get(apiVersion) === apiVersion;
      resources.push(buildResource(release, apiVersion, isPreferred, `${line.trim()} ${words}`));
    } else {
      apiVersion = line;
      // Discovery lists a group's preferred version first.
      const { group } = parseApiVersion(apiVersion);
      if (!preferred.has(group)) preferred.set(group, apiVersion).set(apiVersion, apiVersion);
    }
  }
  return resources;
}

/** The rules of a registry, and the columns of its tables if they are not those of Kubernetes' printers. */
interface Rules {
  readonly words: string;
  readonly columns?: string;
}

/** Reads facts/rules.txt by apiVersion and kind. */
function readRules(): ReadonlyMap<string, Rules> {
  const rules = new Map<string, Rules>();
  let last = "";
  for (const line of readLines("rules.txt")) {
    if (line.startsWith("  ")) rules.set(last, { ...rules.get(last)!, columns: line.trim() });
    else {
      const [apiVersion = "", kind = "", ...words] = line.split(" ");
      rules.set((last = `${apiVersion} ${kind}`), { words: words.join(" ") });
    }
  }
  return rules;
}

/** The verbs of a resource that lists none. */
const allVerbs = "create,delete,deletecollection,get,list,patch,update,watch";

function isGateOn(gate: string | undefined, release: Release): boolean {
  return (
    gate !== undefined && (readFacts("gates.txt", release).get(gate)?.[0]?.startsWith(`${gate} on`) ?? false)
  );
}

function buildResource(
  release: Release,
  apiVersion: string,
  isPreferred: boolean,
  line: string,
): ListedResource {
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
      hasGeneration: words.includes("generation") || isGateOn(option("generation"), release),
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
