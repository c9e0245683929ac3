// Writes the types of Go packages as a user of tsbuilder would: a module for each Go file, and one for each kind.

import { posix } from "node:path";
import { stringLiteral } from "../../shared/source-text.ts";
import {
  type GoComment,
  type GoConstant,
  type GoField,
  type GoPackage,
  type GoType,
  type GoTypeDeclaration,
  linesOf,
  markerValueOf,
} from "../go/model.ts";
import { basicTypes, builtInType, metaPackage } from "./built-in-types.ts";
import { enumOf, kindNames, withoutEnum } from "./kind-markers.ts";
import { ModuleNames } from "./module-names.ts";
import { isWritable, writeComments } from "./write-comments.ts";

/** Where the modules of Go packages stand in a project. */
export interface TypesLayout {
  /** The folder of a package's modules. */
  readonly folderOf: (goPackage: string) => string;
  /** The packages whose kinds are the project's. */
  readonly roots: readonly string[];
  /** Returns whether the folder of a package has a `groupversion_info.ts`; else its kinds name group and version themselves. */
  readonly hasGroupVersion: (goPackage: string) => boolean;
}

/** The modules of some packages by path. */
export function translateTypes(packages: readonly GoPackage[], layout: TypesLayout): Map<string, string> {
  const places = new Map<string, string>();
  const modules = packages.flatMap((each) => {
    const isRoot = layout.roots.includes(each.path);
    const stems = modulesOf(each, isRoot);
    for (const [name, stem] of stems)
      places.set(`${each.path}.${name}`, `${layout.folderOf(each.path)}/${stem}.ts`);
    return [...new Set(stems.values())].map((stem) => ({ package: each, isRoot, stem, stems }));
  });
  const written = modules.map(({ package: of, isRoot, stem, stems }) => {
    const path = `${layout.folderOf(of.path)}/${stem}.ts`;
    const isHere = ({ name }: { readonly name: string }): boolean => stems.get(name) === stem;
    const writer = new ModuleWriter(of, path, places, layout.hasGroupVersion(of.path));
    return [path, writer.module(of.types.filter(isHere), of.constants.filter(isHere), isRoot, stem)] as const;
  });
  return new Map(written);
}

/**
 * The module of each type and constant. A kind has its own, as create api would name it, with all that is in its Go file, unless
 * other kinds are there too; all others have that of their Go file.
 */
function modulesOf({ types, constants }: GoPackage, isRoot: boolean): Map<string, string> {
  const goFile = ({ at }: { readonly at: GoTypeDeclaration["at"] }): string =>
    posix.basename(at.file, ".go").replaceAll(/[^\w-]/gu, "_");
  const kinds = isRoot ? types.filter(({ isKind }) => isKind) : [];
  const files = new Set(types.map(goFile));
  const names = new Set(types.map(({ name }) => name));
  const stemOf = (one: GoTypeDeclaration | GoConstant): string => {
    const file = goFile(one);
    const [first, ...others] = kinds.filter((kind) => goFile(kind) === file);
    if (kinds.includes(one as GoTypeDeclaration) || (first !== undefined && others.length === 0))
      return `${(kinds.find((kind) => kind === one) ?? first!).name.toLowerCase()}_types`;
    return file === "groupversion_info" ? "groupversion_types" : file;
  };
  // Constants of other files than those of types, such as feature names, are the program's.
  const used = constants.filter((one) => files.has(goFile(one)) && !names.has(one.name));
  return new Map([...types, ...used].map((one) => [one.name, stemOf(one)]));
}

/** Fields that every kind has already: its kind, and metadata unless it is required. */
function isImplied({ type, isOmitted }: GoField): boolean {
  if (type.kind !== "external" || type.package !== metaPackage) return false;
  return type.name === "TypeMeta" || (type.name === "ObjectMeta" && isOmitted);
}

function isMarker(line: string): boolean {
  return (
    /^\s*\+/u.test(line) &&
    !/^\s*\+(?:optional|required|kubebuilder:validation:(?:Optional|Required))\b/u.test(line)
  );
}

/** Markers that mean something for all types of a package, other than the group, the version and what Go generates. */
function isPackageMarker(line: string): boolean {
  return (
    isWritable(line) &&
    /^\+(?!kubebuilder:(?:object|docs-gen|rbac|webhook)|groupName|versionName)(?:kubebuilder:|optional|required)/u.test(
      line,
    )
  );
}

/** Markers that say what the question mark of a field says, or that a type is a kind. */
function withoutImplied(comments: readonly GoComment[], implied: RegExp): GoComment[] {
  return comments.map(({ isDoc, lines }) => ({
    isDoc,
    lines: lines.filter((line) => !implied.test(line.trim())),
  }));
}

function isConditions(type: GoType): boolean {
  if (type.kind !== "list" || type.of.kind !== "external") return false;
  return type.of.package === metaPackage && type.of.name === "Condition";
}

const optional = /^\+(?:optional|kubebuilder:validation:Optional)$/u;
const required = /^\+(?:required|kubebuilder:validation:Required)$/u;
const root = /^\+kubebuilder:object:root(?::?=true)?$/u;

class ModuleWriter {
  readonly #names: ModuleNames;
  readonly #package: GoPackage;
  readonly #path: string;
  readonly #places: ReadonlyMap<string, string>;
  readonly #hasGroupVersion: boolean;

  constructor(
    written: GoPackage,
    path: string,
    places: ReadonlyMap<string, string>,
    hasGroupVersion: boolean,
  ) {
    this.#names = new ModuleNames([...written.types, ...written.constants].map(({ name }) => name));
    this.#package = written;
    this.#path = path;
    this.#places = places;
    this.#hasGroupVersion = hasGroupVersion;
  }

  module(
    types: readonly GoTypeDeclaration[],
    constants: readonly GoConstant[],
    isRoot: boolean,
    stem: string,
  ): string {
    const declarations = types.map((each) => this.#declaration(each));
    const values = constants.map((each) => this.#constant(each));
    const kinds = isRoot ? types.filter(({ isKind }) => isKind).map((each) => this.#kind(each)) : [];
    // The markers of a Go package count for all of its files, and here for all of a folder: the first module has them.
    const isFirst = stem === [...modulesOf(this.#package, isRoot).values()].sort()[0];
    const markers = new Set(
      isFirst ? this.#package.markers.map((line) => line.trim()).filter(isPackageMarker) : [],
    );
    const comment = [...markers].map((line) => `// ${line}\n`).join("");
    const parts = [comment, this.#names.imports, ...this.#names.declarations, ...declarations];
    return [...parts, values.join(""), ...kinds].filter((part) => part !== "").join("\n");
  }

  /** The call of `defineKind`, which says what Go says in markers. */
  #kind(declared: GoTypeDeclaration): string {
    const { name } = declared;
    const { plural, isClusterScoped } = kindNames(declared);
    const define = `${this.#names.runtime("defineKind")}<${name}>`;
    const scope = isClusterScoped ? ', scope: "Cluster"' : "";
    return `export const ${name} = ${define}(${this.#groupVersion()}, { kind: ${stringLiteral(name)}, plural: ${stringLiteral(plural)}${scope} });\n`;
  }

  #groupVersion(): string {
    if (this.#hasGroupVersion)
      return this.#names.named("./groupversion_info.ts", "groupVersion", { isType: false });
    const { markers, name } = this.#package;
    const group = (markerValueOf(markers, "groupName") ?? "").replace(/^"(.*)"$/u, "$1");
    const version = markerValueOf(markers, "versionName") ?? name;
    return `{ group: ${stringLiteral(group)}, version: ${stringLiteral(version)} }`;
  }

  #declaration(declared: GoTypeDeclaration): string {
    const { name, type, comments, marshalsJson, marshalsText } = declared;
    const asType = marshalsJson ? markerValueOf(linesOf(comments), "kubebuilder:validation:Type") : undefined;
    if (asType !== undefined || (marshalsText && !marshalsJson)) {
      const written = markedTypes[asType ?? "string"] ?? "string";
      return `${writeComments(comments, [], "")}export type ${name} = ${written};\n`;
    }
    if (type.kind === "struct") return this.#interface(declared, type.fields);
    if (declared.isKind)
      return `${writeComments(comments, [], "")}export interface ${name} extends ${this.#type(type)} {}\n`;
    const values = type.kind === "basic" ? enumOf(comments) : undefined;
    const comment = writeComments(values ? withoutEnum(comments) : comments, [], "");
    return `${comment}export type ${name} = ${values?.map(stringLiteral).join(" | ") ?? this.#type(type)};\n`;
  }

  #interface({ name, comments, isKind }: GoTypeDeclaration, fields: readonly GoField[]): string {
    const own = isKind ? fields.filter((field) => !isImplied(field)) : fields;
    const bases = own.filter(({ isInline }) => isInline).map(({ type }) => this.#type(type));
    if (isKind) bases.unshift(this.#names.runtime("KubernetesObject"));
    const base = bases.length > 0 ? ` extends ${bases.join(", ")}` : "";
    const members = own.filter(({ isInline }) => !isInline).map((field) => this.#member(field));
    // An interface has no place for the markers of an embedded field but its own comment.
    const markers = own
      .filter(({ isInline }) => isInline)
      .flatMap((field) => linesOf(field.comments).filter(isMarker));
    const written = withoutImplied(comments, root);
    return `${writeComments(written, markers, "")}export interface ${name}${base} {\n${members.join("")}}\n`;
  }

  #member({ name, isOmitted, comments, type }: GoField): string {
    const key = /^[A-Za-z_$][\w$]*$/u.test(name) ? name : stringLiteral(name);
    const written = withoutImplied(comments, isOmitted ? optional : required);
    // Here a list of conditions is a list map without a marker. In Go it is atomic, and stored objects may have one twice.
    if (isConditions(type) && !linesOf(comments).some((line) => /^\s*\+listType=/u.test(line)))
      written.push({ isDoc: true, lines: [...(written.pop()?.lines ?? []), "+listType=atomic"] });
    return `${writeComments(written, [], "  ")}  ${key}${isOmitted ? "?" : ""}: ${this.#type(type)};\n`;
  }

  #constant({ name, comments, value, type }: GoConstant): string {
    const isHere = type !== undefined && this.#places.has(`${this.#package.path}.${type}`);
    const annotation = isHere ? `: ${this.#reference(this.#package.path, type)}` : "";
    // Comments of constants belong to no schema: a marker in one would be misplaced.
    const lines = linesOf(comments).filter((line) => !/^\s*\+/u.test(line));
    const comment = lines.length > 0 ? writeComments([{ isDoc: true, lines }], [], "") : "";
    return `${comment}export const ${name}${annotation} = ${typeof value === "string" ? stringLiteral(value) : String(value)};\n`;
  }

  #type(type: GoType): string {
    switch (type.kind) {
      case "basic":
        return this.#basic(type.name);
      case "bytes":
        return this.#names.declared("bytes");
      case "list":
        return `${this.#type(type.of)}[]`;
      case "map":
        // A type of the package's own may have the name of TypeScript's.
        return this.#package.types.some(({ name }) => name === "Record")
          ? `{ [key: string]: ${this.#type(type.of)} }`
          : `Record<${this.#type(type.key)}, ${this.#type(type.of)}>`;
      case "struct":
        return `{\n${type.fields.map((field) => this.#member(field)).join("")}}`;
      case "external":
        return this.#builtIn(type.package, type.name);
      case "ref":
        return this.#reference(type.package, type.name);
      case "unsupported":
        return "unknown";
    }
  }

  #basic(name: string): string {
    const written = basicTypes[name] ?? "unknown";
    if (/^(?:int32|int64|float64)$/u.test(written)) return this.#names.runtime(written);
    return written === "integer" ? this.#names.declared("integer") : written;
  }

  #builtIn(goPackage: string, name: string): string {
    const found = builtInType(goPackage, name);
    if (!found) return "unknown";
    return found.module === "@tsbuilder/runtime"
      ? this.#names.runtime(found.name)
      : this.#names.of(found.module, found.name);
  }

  #reference(goPackage: string, name: string): string {
    const place = this.#places.get(`${goPackage}.${name}`)!;
    if (place === this.#path) return name;
    const specifier = posix.relative(posix.dirname(this.#path), place).replace(/^(?!\.)/u, "./");
    return goPackage === this.#package.path
      ? this.#names.named(specifier, name)
      : this.#names.of(specifier, name);
  }
}

/** The types that a marker gives to a type that marshals itself. */
const markedTypes: Readonly<Record<string, string>> = {
  object: "{}",
  integer: "number",
  number: "number",
  boolean: "boolean",
  string: "string",
};
