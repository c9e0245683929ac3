import { isNamed } from "./model.ts";

/** Where the generated types import hand-written ones from. */
export const meta = "../../meta/index.ts";

/** Types that are written by hand in `meta`. */
export const shared = new Set(
  [
    "Condition",
    "LabelSelector",
    "LabelSelectorRequirement",
    "ListMeta",
    "ManagedFieldsEntry",
    "ObjectMeta",
    "OwnerReference",
    "Status",
    "StatusCause",
    "StatusDetails",
  ].map((name) => `meta/v1.${name}`),
);

/** Collects the imports of a module; a name that the module declares itself is imported under an alias. */
export class ModuleImports {
  readonly #module: string;
  readonly #own: ReadonlySet<string>;
  readonly #bySource = new Map<string, Map<string, string>>();
  readonly #kinds: ReadonlySet<string>;
  #definesKinds = false;

  /** `own`: what the module declares. `kinds`: the types of all modules that are kinds. */
  constructor(module: string, own: ReadonlySet<string>, kinds: ReadonlySet<string>) {
    this.#module = module;
    this.#own = own;
    this.#kinds = kinds;
  }

  /** Returns a field's TypeScript type. Embedded kinds, such as a StatefulSet's claims, may omit apiVersion and kind. */
  value(type: string): string {
    const name = this.type(type);
    if (!this.#kinds.has(type)) return name;
    return `Omit<${name}, keyof ${this.meta("TypeMeta")}> & Partial<${this.meta("TypeMeta")}>`;
  }

  type(type: string): string {
    const plain = primitives[type];
    if (plain !== undefined) return plain;
    if (type.startsWith("JSONSchemaProps")) return unions[type] ?? this.meta("JSONValue");
    if (!isNamed(type)) return this.meta(metaNames[type] ?? type);
    const [module = "", name = ""] = type.split(".");
    if (shared.has(type)) return this.meta(name);
    if (module === this.#module) return name;
    const [group, version] = module.split("/");
    return this.#add(`../${group}/${version}.ts`, name, group!);
  }

  meta(name: string): string {
    return this.#add(meta, name, "meta");
  }

  defineKind(): string {
    this.#definesKinds = true;
    return "defineKind";
  }

  write(): string {
    const lines = [...this.#bySource]
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .map(([source, names]) => {
        const list = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
        const specifiers = list.map(([name, local]) => (name === local ? name : `${name} as ${local}`));
        return `import type { ${specifiers.join(", ")} } from "${source}";\n`;
      });
    const values = this.#definesKinds ? `import { defineKind } from "${meta}";\n` : "";
    return values + lines.join("");
  }

  #add(source: string, name: string, group: string): string {
    const taken = this.#own.has(name);
    const local = taken ? group.slice(0, 1).toUpperCase() + group.slice(1) + name : name;
    const names = this.#bySource.get(source) ?? new Map<string, string>();
    this.#bySource.set(source, names.set(name, local));
    return local;
  }
}

const primitives: Readonly<Record<string, string>> = {
  boolean: "boolean",
  byte: "string",
  double: "number",
  int32: "number",
  int64: "number",
  string: "string",
};

/** Types of CRDs that are unions. */
const unions: Readonly<Record<string, string>> = {
  JSONSchemaPropsOrArray: "JSONSchemaProps | JSONSchemaProps[]",
  JSONSchemaPropsOrBool: "JSONSchemaProps | boolean",
  JSONSchemaPropsOrStringArray: "JSONSchemaProps | string[]",
};

/** Scalars that have another name in `meta`. */
const metaNames: Readonly<Record<string, string>> = { FieldsV1: "RawExtension", JSON: "JSONValue" };
