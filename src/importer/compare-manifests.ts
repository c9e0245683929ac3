// Compares the manifests that a Go project has with those that are generated from the imported one: CRDs, the role's rules, webhooks.
// Form doesn't count: what an API server would do is compared, and descriptions apart from it.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "@tsbuilder/apimachinery/json";
import { LineCounter, isNode, parseAllDocuments } from "yaml";
import type { GoPackage, GoType } from "./go/model.ts";
import { metaPackage } from "./types/built-in-types.ts";
import { readSource } from "./go/modules.ts";

/** The result of the comparison of manifests. */
export interface ManifestComparison {
  /** The names of the CRDs that both have. */
  readonly crds: readonly string[];
  /** Where a generated manifest is not what the Go project has: `config/crd/bases/x.yaml:12: …`. */
  readonly differences: readonly string[];
  /** How many descriptions are worded or broken otherwise. */
  readonly descriptions: number;
  /** Differences within types of Kubernetes: the Go project may have another release of it. */
  readonly kubernetes: readonly string[];
}

/** Compares the manifests in the `config/` of a Go project with generated ones, which are given by path. */
export function compareManifests(
  root: string,
  generated: (path: string) => string | undefined,
  packages: readonly GoPackage[],
): ManifestComparison {
  const comparison = {
    crds: [] as string[],
    differences: [] as string[],
    descriptions: 0,
    kubernetes: [] as string[],
  };
  const folder = crdFolder(root);
  for (const name of crdFiles(root, folder)) {
    const path = `${folder}/${name}`;
    const theirs = readObjects(readSource(join(root, path)) ?? "");
    const crds = theirs.filter(({ value }) => value["kind"] === "CustomResourceDefinition");
    if (crds.length === 0) continue;
    const ours = readObjects(generated(`config/crd/bases/${name}`) ?? "");
    for (const { value, lineOf } of crds) {
      const other = ours.find((each) => nameOf(each.value) === nameOf(value));
      if (other === undefined) {
        comparison.differences.push(`${path}:1: no CRD ${nameOf(value)} is generated`);
        continue;
      }
      comparison.crds.push(nameOf(value));
      compareValues(effective(value), effective(other.value), [], (steps, left, right) => {
        if (steps.at(-1) === "description" && typeof (left ?? right) === "string") comparison.descriptions++;
        else {
          const isTheirs = isWithinKubernetes(packages, kindOf(value), steps);
          const list = isTheirs ? comparison.kubernetes : comparison.differences;
          list.push(`${path}:${lineOf(steps)}: ${describe(steps, left, right)}`);
        }
      });
    }
  }
  compareSets(root, generated, "config/rbac/role.yaml", rulesOf, comparison.differences);
  compareSets(root, generated, "config/webhook/manifests.yaml", webhooksOf, comparison.differences);
  return comparison;
}

function kindOf({ spec }: Value): string {
  const names = isObject(spec) ? (spec as Value)["names"] : undefined;
  return isObject(names) ? String((names as Value)["kind"]) : "";
}

/** Types nest and embed each other less deeply, unless they do so in a circle. */
const maxDepth = 20;

/** The markers of a type itself; other markers at a field, such as a default, are those of the field. */
const ofType = new Set<Step | undefined>(["properties", "required", "items", "additionalProperties"]);

/** Returns whether a place in a kind's schema is within a type of Kubernetes, which has no declaration in the packages. */
function isWithinKubernetes(packages: readonly GoPackage[], kind: string, steps: readonly Step[]): boolean {
  const roots = packages.flatMap(({ types }) => types.filter(({ name, isKind }) => isKind && name === kind));
  const isField = (_: Step, i: number): boolean =>
    steps[i - 1] === "properties" && steps[i - 2] !== "properties";
  const fields = steps.filter(isField);
  const after = steps[steps.findLastIndex(isField) + 1];
  return roots.some(({ type: root }) => {
    let type: GoType | undefined = declaredAs(packages, root);
    for (const name of fields) {
      if (type === undefined || type.kind === "external") break;
      type = fieldOf(packages, type, String(name));
      if (type?.kind === "external" && name === fields.at(-1)) return ofType.has(after);
    }
    return type?.kind === "external";
  });
}

/** The type of a field of a struct, or of one that it embeds; undefined if it has none. */
function fieldOf(
  packages: readonly GoPackage[],
  type: GoType,
  wanted: string,
  depth = 0,
): GoType | undefined {
  if (type.kind !== "struct" || depth > maxDepth) return undefined;
  const inners = type.fields.map(({ name, isInline, type: of }) => ({
    name,
    isInline,
    inner: declaredAs(packages, of),
  }));
  for (const { name, isInline, inner } of inners) {
    const found = isInline
      ? fieldOf(packages, inner, wanted, depth + 1)
      : name === wanted
        ? inner
        : undefined;
    if (found !== undefined) return found;
  }
  // A field that no declaration has belongs to an embedded type of Kubernetes.
  return inners.find(
    ({ isInline, inner }) => isInline && inner.kind === "external" && inner.package !== metaPackage,
  )?.inner;
}

/** The type behind names, lists and maps. */
function declaredAs(packages: readonly GoPackage[], type: GoType, depth = 0): GoType {
  if (type.kind === "list" || type.kind === "map") return declaredAs(packages, type.of, depth + 1);
  if (type.kind !== "ref" || depth > maxDepth) return type;
  const found = packages
    .find(({ path }) => path === type.package)
    ?.types.find(({ name }) => name === type.name);
  return found === undefined ? type : declaredAs(packages, found.type, depth + 1);
}

type Value = Readonly<Record<string, unknown>>;

/** Where the Makefile has controller-gen write CRDs. */
function crdFolder(root: string): string {
  const named = /\boutput:crd:(?:artifacts:config|dir)=([\w./-]+)/u.exec(
    readSource(join(root, "Makefile")) ?? "",
  )?.[1];
  const isInside = named !== undefined && !named.startsWith("/") && !named.split("/").includes("..");
  return isInside ? named.replace(/^\.\//u, "").replace(/\/$/u, "") : "config/crd/bases";
}

function crdFiles(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".yaml"))
      .sort();
  } catch {
    return [];
  }
}

interface ReadObject {
  readonly value: Value;
  /** The line of a value, or of the closest one around it. */
  readonly lineOf: (steps: readonly Step[]) => number;
}

type Step = string | number;

function readObjects(text: string): ReadObject[] {
  const lines = new LineCounter();
  return parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false, logLevel: "error" }).flatMap(
    (document) => {
      const value: unknown = document.errors.length > 0 ? undefined : document.toJS({ maxAliasCount: 100 });
      if (!isObject(value)) return [];
      const lineOf = (steps: readonly Step[]): number => {
        for (let length = steps.length; length > 0; length--) {
          const node = document.getIn(steps.slice(0, length), true);
          if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
        }
        return 1;
      };
      return [{ value, lineOf }];
    },
  );
}

const nameOf = ({ metadata }: Value): string =>
  isObject(metadata) ? String((metadata as Value)["name"]) : "";

/** A CRD without what no API server acts on: who generated it, and the status that older generators wrote. */
function effective({ spec }: Value): unknown {
  return { spec };
}

/** Reports each place where two values differ. A list that is atomic is what a list is without the word. */
function compareValues(
  left: unknown,
  right: unknown,
  steps: readonly Step[],
  report: (steps: readonly Step[], left: unknown, right: unknown) => void,
): void {
  if (Array.isArray(left) && Array.isArray(right) && isOrdered(steps)) {
    const length = Math.max(left.length, right.length);
    for (let i = 0; i < length; i++) compareValues(left[i], right[i], [...steps, i], report);
  } else if (Array.isArray(left) && Array.isArray(right)) {
    const [one, other] = [left, right].map((list) =>
      JSON.stringify([...list].map((each) => JSON.stringify(each)).sort()),
    );
    if (one !== other) report(steps, left, right);
  } else if (isObject(left) && isObject(right)) {
    const [one, other] = [left as Value, right as Value];
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
      compareValues(one[key] ?? implied[key], other[key] ?? implied[key], [...steps, key], report);
  } else if (left !== right) report(steps, left, right);
}

/** Lists of names are sets, except where their order is shown to people. */
const isOrdered = (steps: readonly Step[]): boolean =>
  !["required", "enum", "shortNames", "categories"].includes(String(steps.at(-1)));

/** Values that a field has where it is absent. */
const implied: Readonly<Record<string, unknown>> = {
  "x-kubernetes-list-type": "atomic",
  "x-kubernetes-map-type": "granular",
};

function describe(steps: readonly Step[], left: unknown, right: unknown): string {
  const place = steps.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`)).join("");
  return `${place}: ${show(left)} in the Go project, ${show(right)} generated`;
}

function show(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** Compares what a file says as a set of lines. */
function compareSets(
  root: string,
  generated: (path: string) => string | undefined,
  path: string,
  read: (object: Value) => readonly string[],
  differences: string[],
): void {
  const text = readSource(join(root, path));
  if (text === undefined) return;
  const theirs = new Set(readObjects(text).flatMap(({ value }) => read(value)));
  const ours = new Set(readObjects(generated(path) ?? "").flatMap(({ value }) => read(value)));
  for (const line of theirs) if (!ours.has(line)) differences.push(`${path}:1: not generated: ${line}`);
  for (const line of ours) if (!theirs.has(line)) differences.push(`${path}:1: generated only: ${line}`);
}

/** Each permission of a role by itself. */
function rulesOf({ kind, metadata, rules }: Value): string[] {
  if (!String(kind).endsWith("Role") || !Array.isArray(rules)) return [];
  const namespace = isObject(metadata) ? ((metadata as Value)["namespace"] ?? "") : "";
  const list = (rule: Value, key: string): string[] =>
    Array.isArray(rule[key]) ? rule[key].map(String) : [];
  return rules.filter(isObject).flatMap((each) => {
    const rule = each as Value;
    const names = list(rule, "resourceNames");
    const targets = [
      ...list(rule, "apiGroups").flatMap((group) =>
        list(rule, "resources").map((resource) => `${group}/${resource}`),
      ),
      ...list(rule, "nonResourceURLs"),
    ];
    return targets.flatMap((target) =>
      list(rule, "verbs").flatMap((verb) =>
        (names.length > 0 ? names : ["*"]).map((name) =>
          [kind, namespace, verb, target, name].filter((part) => part !== "" && part !== "*").join(" "),
        ),
      ),
    );
  });
}

/** Each webhook of a configuration, its keys in order. */
function webhooksOf({ kind, webhooks }: Value): string[] {
  if (!Array.isArray(webhooks)) return [];
  return webhooks.map((webhook) => `${String(kind)} ${JSON.stringify(sorted(webhook))}`);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, of]) => [key, sorted(of)]),
  );
}
