// What is known of a Go package with API types, as `read-packages.ts` reads it and the writers of TypeScript use it.

/** A Go package with the types that its kinds need. */
export interface GoPackage {
  readonly path: string;
  readonly name: string;
  /** The lines with markers that belong to no type. */
  readonly markers: readonly string[];
  readonly types: readonly GoTypeDeclaration[];
  readonly constants: readonly GoConstant[];
}

/** Where something stands in the Go sources: a path from the project's folder, and a line. */
export interface GoPlace {
  readonly file: string;
  readonly line: number;
}

/** The declaration of a type. */
export interface GoTypeDeclaration {
  readonly name: string;
  readonly at: GoPlace;
  readonly comments: readonly GoComment[];
  readonly type: GoType;
  /** True if the struct embeds the metadata of an object. */
  readonly isKind: boolean;
  /** True if the JSON of the type is not that of its fields. */
  readonly marshalsText: boolean;
  readonly marshalsJson: boolean;
}

/** An exported constant, with the literal that it is. */
export interface GoConstant {
  readonly name: string;
  readonly at: GoPlace;
  readonly comments: readonly GoComment[];
  /** The name of its type, if it stands in the package. */
  readonly type: string | undefined;
  readonly value: string | number | boolean;
}

/** A group of comment lines above a declaration or a field. */
export interface GoComment {
  /** True if the comment stands directly above; a blank line separates any other. */
  readonly isDoc: boolean;
  readonly lines: readonly string[];
}

/** The use of a type; pointers are left out, as they are in JSON. */
export type GoType =
  | { readonly kind: "ref" | "external"; readonly package: string; readonly name: string }
  | { readonly kind: "basic"; readonly name: string }
  | { readonly kind: "list"; readonly of: GoType }
  | { readonly kind: "map"; readonly key: GoType; readonly of: GoType }
  | { readonly kind: "struct"; readonly fields: readonly GoField[] }
  | { readonly kind: "bytes" | "unsupported" };

/** A field of a struct that JSON has. */
export interface GoField {
  readonly name: string;
  readonly isInline: boolean;
  readonly isOmitted: boolean;
  readonly comments: readonly GoComment[];
  readonly type: GoType;
}

/** The marker that a comment ends with the value of; undefined if none of the comments has it. */
export function markerValueOf(lines: readonly string[], name: string): string | undefined {
  const found = lines.map((line) => line.trim()).find((line) => line.startsWith(`+${name}=`));
  return found?.slice(name.length + 2);
}

/** All lines of some comments. */
export function linesOf(comments: readonly GoComment[]): string[] {
  return comments.flatMap(({ lines }) => lines);
}
