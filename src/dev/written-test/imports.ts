import { compareText } from "@tsbuilder/apimachinery/text";
import { literal } from "./literal.ts";
import type { KindFacts } from "./project-facts.ts";

/** Names that the written test itself uses. */
const taken = ["CustomResourceDefinition", "Promise", "String", "TestCluster", "TestManager"];

/** The kinds that a test imports, and the names by which it knows them. */
export class Imports {
  readonly #facts: readonly KindFacts[];
  readonly #names = new Map<string, string>();
  readonly #modules = new Map<string, string[]>();
  readonly #taken = new Set(taken);

  constructor(facts: readonly KindFacts[]) {
    this.#facts = facts;
  }

  /** An expression for a kind: the name that is imported, or a question to the cluster. */
  kind(apiVersion: string, kind: string): string {
    const id = `${apiVersion} ${kind}`;
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const module =
      this.#facts.find((each) => each.apiVersion === apiVersion && each.kind === kind)?.module ??
      builtIn(apiVersion);
    if (module === undefined) return `await client.mapper.kindFor(${literal({ apiVersion, kind })})`;
    let name = kind;
    for (let count = 2; this.#taken.has(name); count++) name = `${kind}${count}`;
    this.#taken.add(name);
    this.#names.set(id, name);
    const imported = this.#modules.get(module) ?? [];
    imported.push(name === kind ? kind : `${kind} as ${name}`);
    this.#modules.set(module, imported);
    return name;
  }

  /** The imports, packages before the project's own modules. */
  lines(): string[] {
    return [...this.#modules]
      .toSorted(([a], [b]) => Number(a.startsWith(".")) - Number(b.startsWith(".")) || compareText(a, b))
      .map(
        ([module, names]) =>
          `import { ${names.toSorted(compareText).join(", ")} } from ${JSON.stringify(module)};`,
      );
  }
}

/** The module with the types of a built-in kind; a group with a domain of its own is not built in. */
function builtIn(apiVersion: string): string | undefined {
  const [, group = "", version] = /^(?:([a-z.0-9]+)\/)?(v[12])$/u.exec(apiVersion) ?? [];
  if (version === undefined || (group.includes(".") && !group.endsWith(".k8s.io"))) return undefined;
  const [folder = ""] = group.split(".");
  return folders.has(folder)
    ? `@tsbuilder/runtime/k8s/${folder === "" ? "core" : folder}/${version}`
    : undefined;
}

/** The groups whose objects hands and operators write; the core's has no name. */
const folders = new Set(
  [
    "",
    "admissionregistration",
    "apps",
    "autoscaling",
    "batch",
    "certificates",
    "coordination",
    "discovery",
  ].concat(["networking", "node", "policy", "rbac", "scheduling", "storage"]),
);
