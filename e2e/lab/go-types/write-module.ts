import { posix } from "node:path";
import { stringLiteral } from "../../../src/shared/source-text.ts";
import { basicTypes, builtInType, metaPackage } from "./built-in-types.ts";
import { enumOf, withoutEnum } from "./enum-values.ts";
import {
  type GoField,
  type GoPackage,
  type GoType,
  type GoTypeDeclaration,
  linesOf,
  markerValueOf,
} from "./go-package.ts";
import { kindConstant } from "./kind-constant.ts";
import { ModuleNames } from "./module-names.ts";
import { writeComments } from "./write-comments.ts";

/** Where the module of a Go package stands in the project; only those with kinds of their own are below `api`. */
export type ModulePath = (goPackage: string) => string;

/** Writes the types of a Go package as a module of TypeScript, as a user of tsbuilder would. */
export function writeModule(written: GoPackage, pathOf: ModulePath): string {
  const writer = new ModuleWriter(written, pathOf);
  const declarations = written.types.map((declaration) => writer.declaration(declaration));
  const kinds = pathOf(written.path).startsWith("api/") ? written.types.filter(({ isKind }) => isKind) : [];
  const constants = kinds.map((kind) => kindConstant(kind, written, writer.names));
  const markers = written.markers.filter(
    (line) => !/^\+(?:build|groupName|versionName)\b/u.test(line.trim()),
  );
  const comment = markers.map((line) => `// ${line}\n`).join("");
  const parts = [comment, writer.names.imports, ...writer.names.helpers, ...declarations, ...constants];
  return parts.filter((part) => part !== "").join("\n");
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

class ModuleWriter {
  readonly names: ModuleNames;
  readonly #package: GoPackage;
  readonly #pathOf: ModulePath;

  constructor(written: GoPackage, pathOf: ModulePath) {
    this.names = new ModuleNames(written.types.map(({ name }) => name));
    this.#package = written;
    this.#pathOf = pathOf;
  }

  declaration(declared: GoTypeDeclaration): string {
    const { name, type, comments, marshalsJson, marshalsText } = declared;
    const asType = marshalsJson ? markerValueOf(linesOf(comments), "kubebuilder:validation:Type") : undefined;
    if (asType !== undefined || (marshalsText && !marshalsJson)) {
      const written = asType === "object" ? "{}" : asType === "integer" ? "number" : (asType ?? "string");
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
    if (isKind) bases.unshift(this.names.runtime("KubernetesObject"));
    const base = bases.length > 0 ? ` extends ${bases.join(", ")}` : "";
    const members = own.filter(({ isInline }) => !isInline).map((field) => this.#member(field));
    // An interface has no place for the markers of an embedded field but its own comment.
    const markers = own
      .filter(({ isInline }) => isInline)
      .flatMap((field) => linesOf(field.comments).filter(isMarker));
    return `${writeComments(comments, markers, "")}export interface ${name}${base} {\n${members.join("")}}\n`;
  }

  #member({ name, isOmitted, comments, type }: GoField): string {
    const key = /^[A-Za-z_$][\w$]*$/u.test(name) ? name : stringLiteral(name);
    return `${writeComments(comments, [], "  ")}  ${key}${isOmitted ? "?" : ""}: ${this.#type(type)};\n`;
  }

  #type(type: GoType): string {
    switch (type.kind) {
      case "basic":
        return this.#basic(type.name);
      case "bytes":
        return this.names.helper("bytes");
      case "list":
        return `${this.#type(type.of)}[]`;
      case "map":
        return `Record<${this.#type(type.key)}, ${this.#type(type.of)}>`;
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
    if (/^(?:int32|int64|float64)$/u.test(written)) return this.names.runtime(written);
    return written === "integer" ? this.names.helper("integer") : written;
  }

  #builtIn(goPackage: string, name: string): string {
    const found = builtInType(goPackage, name);
    if (!found) return `unknown /* ${goPackage}.${name} */`;
    return found.module === "@tsbuilder/runtime"
      ? this.names.runtime(found.name)
      : this.names.of(found.module, found.name);
  }

  #reference(goPackage: string, name: string): string {
    if (goPackage === this.#package.path) return name;
    const from = posix.dirname(this.#pathOf(this.#package.path));
    return this.names.of(posix.relative(from, this.#pathOf(goPackage)).replace(/^(?!\.)/u, "./"), name);
  }
}
