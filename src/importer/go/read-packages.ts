// From the kinds of Go packages to all types that they need, in these and in other packages.

import { kubernetesAlias } from "../types/built-in-types.ts";
import type {
  GoComment,
  GoConstant,
  GoField,
  GoPackage,
  GoPlace,
  GoType,
  GoTypeDeclaration,
} from "./model.ts";
import type { GoKind } from "./operator-sources.ts";
import type { GoModules, ParsedPackage } from "./modules.ts";
import { type GoFieldSyntax, type GoFile, type GoTypeSpec, type GoTypeSyntax, unquote } from "./parse.ts";

interface ReadOptions {
  /** Types that are needed beside the kinds. */
  readonly further?: readonly GoKind[];
  /** Structs of Kubernetes that TypeScript lacks, as `PACKAGE.NAME`: those that are only parts of others. They are translated, too. */
  readonly missing?: ReadonlySet<string>;
}

/** The packages that all kinds of some packages need, and some further types. Notes say what has no counterpart, with its place. */
export function readPackages(
  modules: GoModules,
  paths: readonly string[],
  { further = [], missing = new Set() }: ReadOptions = {},
): { readonly packages: readonly GoPackage[]; readonly notes: readonly string[] } {
  const reader = new Reader(modules, missing);
  for (const path of paths) reader.needKinds(path);
  reader.need(further);
  const packages = reader.read();
  return { packages, notes: [...modules.notes, ...reader.notes] };
}

/** Types that stand for each other in a circle are no Go, but a hostile project may have them. */
const maxDepth = 8;

const metaPackage = "k8s.io/apimachinery/pkg/apis/meta/v1";

/** A type's declaration, and the file that its names belong to. */
interface Declared {
  readonly spec: GoTypeSpec;
  readonly file: string;
  readonly source: GoFile;
  readonly order: number;
}

interface IndexedPackage {
  readonly parsed: ParsedPackage;
  readonly declared: ReadonlyMap<string, Declared>;
  /** The names of the methods of each type. */
  readonly methods: ReadonlyMap<string, ReadonlySet<string>>;
  readonly read: Map<string, GoTypeDeclaration>;
}

class Reader {
  readonly notes: string[] = [];
  readonly #modules: GoModules;
  readonly #missing: ReadonlySet<string>;
  readonly #packages = new Map<string, IndexedPackage | undefined>();
  readonly #needed: GoKind[] = [];

  constructor(modules: GoModules, missing: ReadonlySet<string>) {
    this.#modules = modules;
    this.#missing = missing;
  }

  needKinds(path: string): void {
    const found = this.#find(path);
    if (found === undefined) return;
    for (const name of found.declared.keys())
      if (this.#isKind(found, name)) this.#needed.push({ path, name });
  }

  need(types: readonly GoKind[]): void {
    this.#needed.push(...types);
  }

  read(): GoPackage[] {
    for (let next = this.#needed.shift(); next !== undefined; next = this.#needed.shift()) {
      const found = this.#find(next.path);
      const declared = found?.declared.get(next.name);
      if (!found || !declared || found.read.has(next.name)) continue;
      // Its place is taken first, since types may need themselves.
      found.read.set(next.name, this.#declaration(found, declared));
    }
    const found = [...this.#packages.values()].filter((each) => each !== undefined && each.read.size > 0);
    for (const each of found) this.#noteConstants(each!);
    return found.map((each) => packageOf(each!)).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Names the constants of needed types whose values only a compiler knows. */
  #noteConstants({ parsed, read }: IndexedPackage): void {
    for (const { file, source } of parsed.files)
      for (const { name, type, literal, line } of source.constants)
        if (type !== undefined && read.has(type) && literal === undefined)
          this.notes.push(`${file}:${line}: the constant ${name} is left out: it is no literal`);
  }

  #find(path: string): IndexedPackage | undefined {
    if (!this.#packages.has(path)) {
      const parsed = this.#modules.find(path);
      this.#packages.set(path, parsed && indexPackage(parsed));
    }
    return this.#packages.get(path);
  }

  #isKind(found: IndexedPackage, name: string, depth = 0): boolean {
    const declared = found.declared.get(name);
    if (declared === undefined || declared.spec.isAlias || depth > maxDepth) return false;
    const { type } = declared.spec;
    if (type.kind !== "struct") {
      const used = this.#use(found, declared.source, type);
      const other = used && this.#find(used.path);
      return used !== undefined && other !== undefined && this.#isKind(other, used.name, depth + 1);
    }
    const embedded = type.fields
      .filter(({ names }) => names.length === 0)
      .map((field) => this.#use(found, declared.source, field.type))
      .filter((used) => used?.path === metaPackage);
    return ["TypeMeta", "ObjectMeta"].every((each) => embedded.some((used) => used!.name === each));
  }

  #declaration(found: IndexedPackage, { spec, file, source }: Declared): GoTypeDeclaration {
    const at = { file, line: spec.line };
    return {
      name: spec.name,
      at,
      comments: spec.comments,
      type: this.#type(found, source, spec.type, at),
      isKind: this.#isKind(found, spec.name),
      marshalsText: this.#marshals(found, spec.name, "MarshalText"),
      marshalsJson: this.#marshals(found, spec.name, "MarshalJSON"),
    };
  }

  /** Returns whether a type has a method, or embeds a type that has it. */
  #marshals(found: IndexedPackage, name: string, method: string, depth = 0): boolean {
    if (found.methods.get(name)?.has(method)) return true;
    const declared = found.declared.get(name);
    if (declared === undefined || depth > maxDepth) return false;
    const { type, isAlias } = declared.spec;
    const inherits = (of: GoTypeSyntax): boolean => {
      const used = this.#use(found, declared.source, of);
      const other = used && this.#find(used.path);
      return used !== undefined && other !== undefined && this.#marshals(other, used.name, method, depth + 1);
    };
    if (isAlias) return inherits(type);
    return (
      type.kind === "struct" && type.fields.some((field) => field.names.length === 0 && inherits(field.type))
    );
  }

  /** The package and the name of a type that is used by its name; undefined for any other, and for Go's own. */
  #use(found: IndexedPackage, source: GoFile, type: GoTypeSyntax): GoKind | undefined {
    if (type.kind === "pointer") return this.#use(found, source, type.of);
    if (type.kind !== "name") return undefined;
    const { qualifier, name } = type;
    if (qualifier !== undefined) {
      const named = source.imports.find((each) => each.name === qualifier);
      const imported =
        named ??
        source.imports.find(
          (each) => each.name === undefined && this.#modules.nameOf(each.path) === qualifier,
        );
      return imported && { path: imported.path, name };
    }
    if (found.declared.has(name)) return { path: found.parsed.path, name };
    const dotted = source.imports.find(
      (each) => each.name === "." && this.#find(each.path)?.declared.has(name),
    );
    return dotted && { path: dotted.path, name };
  }

  #type(found: IndexedPackage, source: GoFile, type: GoTypeSyntax, at: GoPlace): GoType {
    switch (type.kind) {
      case "pointer":
        return this.#type(found, source, type.of, at);
      case "list": {
        const { of } = type;
        const isByte = of.kind === "name" && of.qualifier === undefined && /^(?:byte|uint8)$/u.test(of.name);
        return isByte ? { kind: "bytes" } : { kind: "list", of: this.#type(found, source, of, at) };
      }
      case "map": {
        const key = this.#type(found, source, type.key, at);
        return { kind: "map", key, of: this.#type(found, source, type.of, at) };
      }
      case "struct":
        return {
          kind: "struct",
          fields: type.fields.flatMap((field) => this.#fields(found, source, field, at)),
        };
      case "other":
        return this.#unsupported(type.source, at);
      case "name": {
        const used = this.#use(found, source, type);
        if (used !== undefined) return this.#reference(used, at);
        return type.qualifier === undefined && basicNames.has(type.name)
          ? { kind: "basic", name: type.name }
          : this.#unsupported([type.qualifier, type.name].filter((part) => part !== undefined).join("."), at);
      }
    }
  }

  #reference(used: GoKind, at: GoPlace): GoType {
    const { path, name } = used;
    const own = ownTypes[`${path}.${name}`];
    if (own !== undefined) return own;
    const declared = this.#find(path)?.declared.get(name);
    const isKubernetes =
      /^k8s\.io\/(?:api|apimachinery)\//u.test(path) || (path.startsWith("k8s.io/") && name === "JSON");
    // Structs of Kubernetes are in a package of ours; its named strings, lists and maps are not.
    const isStruct = declared?.spec.type.kind === "struct" && !this.#missing.has(`${path}.${name}`);
    if (isKubernetes && isStruct) return { kind: "external", package: path, name };
    if (isKubernetes && declared === undefined)
      return kubernetesAlias(path, name) ?? { kind: "external", package: path, name };
    if (declared === undefined) return this.#unsupported(`${path}.${name}, which is not on this machine`, at);
    this.#needed.push(used);
    return { kind: "ref", package: path, name };
  }

  #unsupported(what: string, { file, line }: GoPlace): GoType {
    this.notes.push(`${file}:${line}: no type of TypeScript stands for ${what}`);
    return { kind: "unsupported" };
  }

  #fields(found: IndexedPackage, source: GoFile, field: GoFieldSyntax, { file }: GoPlace): GoField[] {
    const json = /(?:^|\s)json:("(?:[^"\\]|\\.)*")/u.exec(field.tag)?.[1];
    if (json === undefined) return [];
    const value = unquote(json);
    if (value === "-") return [];
    const [name = "", ...options] = value.split(",");
    return [
      {
        name,
        isInline: name === "" || options.includes("inline"),
        isOmitted: options.includes("omitempty") || options.includes("omitzero"),
        comments: field.comments,
        type: this.#type(found, source, field.type, { file, line: field.line }),
      },
    ];
  }
}

function indexPackage(parsed: ParsedPackage): IndexedPackage {
  const declared = new Map<string, Declared>();
  const methods = new Map<string, Set<string>>();
  for (const { file, source } of parsed.files) {
    for (const spec of source.types) declared.set(spec.name, { spec, file, source, order: declared.size });
    for (const { receiver, name } of source.functions) {
      if (receiver === undefined) continue;
      if (!methods.has(receiver)) methods.set(receiver, new Set());
      methods.get(receiver)!.add(name);
    }
  }
  return { parsed, declared, methods, read: new Map() };
}

function packageOf({ parsed, declared, read }: IndexedPackage): GoPackage {
  const order = (name: string): number => declared.get(name)!.order;
  return {
    path: parsed.path,
    name: parsed.name,
    markers: parsed.files.flatMap(({ source }) => source.markers.map(({ text }) => text)),
    types: [...read.values()].sort((a, b) => order(a.name) - order(b.name)),
    constants: parsed.files.flatMap(({ file, source }) =>
      source.constants.flatMap((one) => constantOf(one, file)),
    ),
  };
}

function constantOf(
  one: {
    name: string;
    type: string | undefined;
    literal: string | undefined;
    comments: readonly GoComment[];
    line: number;
  },
  file: string,
): GoConstant[] {
  const { name, type, literal, comments, line } = one;
  if (literal === undefined || !/^\p{Lu}/u.test(name)) return [];
  const value = /^["`]/u.test(literal) ? unquote(literal) : literalValue(literal);
  return value === undefined ? [] : [{ name, at: { file, line }, comments, type, value }];
}

function literalValue(literal: string): number | boolean | undefined {
  if (literal === "true" || literal === "false") return literal === "true";
  const value = Number(literal.replaceAll("_", ""));
  return Number.isSafeInteger(value) || (Number.isFinite(value) && literal.includes(".")) ? value : undefined;
}

/** Go's own types. */
const basicNames = new Set(
  "any bool byte complex128 complex64 error float32 float64 int int16 int32 int64 int8 rune string uint uint16 uint32 uint64 uint8 uintptr".split(
    " ",
  ),
);

/** Types of Go's own packages, which are not read. */
const ownTypes: Readonly<Record<string, GoType>> = {
  "time.Duration": { kind: "basic", name: "int64" },
  "time.Time": { kind: "basic", name: "string" },
  "encoding/json.RawMessage": { kind: "bytes" },
};
