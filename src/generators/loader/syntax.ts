import type { CommentBlock, LeadingComments } from "./comments.ts";

/**
 * The syntax of a source file, independent of the compiler's own types. Types are kept as written: a type checker would
 * lose aliases and the order of unions, and with them markers and the order of enum values.
 */
export interface Module {
  readonly file: string;
  readonly text: string;
  /** Local name → imported name and module. */
  readonly imports: ReadonlyMap<string, ImportedName>;
  /** Exported name → local name, if they differ or the export is separate from the declaration. */
  readonly exports: ReadonlyMap<string, string>;
  readonly reexports: readonly Reexport[];
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>;
  /** Declarations that the file adds to another module. */
  readonly augmentations: readonly Augmentation[];
  readonly comments: readonly CommentBlock[];
  readonly trailingComments: readonly CommentBlock[];
  readonly syntaxErrors: readonly { readonly message: string; readonly pos: number }[];
}

/** `name` is `*` for a namespace import and `default` for a default import. */
export interface ImportedName {
  readonly specifier: string;
  readonly name: string;
}

/** `export * from`, or one name of `export { name as exported } from`. */
export interface Reexport {
  readonly specifier: string;
  readonly name: string;
  readonly exported: string;
}

/** A `declare module` for another module. */
export interface Augmentation {
  readonly specifier: string;
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>;
}

export interface TypeParameter {
  readonly name: string;
  /** The type that it extends. */
  readonly constraint: TypeNode | undefined;
  /** Its default. */
  readonly fallback: TypeNode | undefined;
}

/** A mapped type adds or removes `?` or `readonly`; undefined if it does neither. */
export type MappedModifier = "add" | "remove" | undefined;

interface Located {
  readonly pos: number;
}

interface DeclarationBase extends Located {
  readonly name: string;
  readonly comments: LeadingComments;
  readonly typeParameters: readonly TypeParameter[];
}

export interface ObjectDeclaration extends DeclarationBase {
  readonly kind: "interface" | "class";
  readonly extends: readonly ReferenceNode[];
  readonly members: readonly Member[];
  /** The type that `toJSON()` returns, which is the form in JSON. */
  readonly toJSON: TypeNode | undefined;
}

export interface EnumDeclaration extends DeclarationBase {
  readonly kind: "enum";
  readonly members: readonly { readonly name: string; readonly value: string | number | undefined }[];
}

export interface ConstDeclaration extends DeclarationBase {
  readonly kind: "const";
  readonly type: TypeNode | undefined;
  readonly value: Expression;
  /** With `as const`, the types of its elements and properties are literals. */
  readonly isLiteral: boolean;
}

interface AliasDeclaration extends DeclarationBase {
  readonly kind: "alias";
  readonly type: TypeNode;
}

type TypeDeclaration = ObjectDeclaration | AliasDeclaration | EnumDeclaration;
export type Declaration = TypeDeclaration | ConstDeclaration;

interface PropertyMember extends Located {
  readonly kind: "property";
  readonly name: string;
  readonly type: TypeNode;
  readonly optional: boolean;
  readonly readonly: boolean;
  readonly comments: LeadingComments;
}

interface IndexMember extends Located {
  readonly kind: "index";
  readonly key: TypeNode;
  readonly value: TypeNode;
}

/** A member that has no name in JSON: one with a computed name. */
interface ForeignMember extends Located {
  readonly kind: "foreign";
  readonly what: string;
  readonly comments: LeadingComments;
}

export type Member = PropertyMember | IndexMember | ForeignMember;

export interface ReferenceNode extends Located {
  readonly kind: "reference";
  /** Dotted if qualified. */
  readonly name: string;
  readonly args: readonly TypeNode[];
  /** The module of an `import("…").Name` type. */
  readonly specifier: string | undefined;
}

interface TemplateSpan {
  readonly type: TypeNode;
  readonly text: string;
}

export type TypeNode =
  | ReferenceNode
  | (Located & { readonly kind: "keyword"; readonly name: string })
  | (Located & { readonly kind: "literal"; readonly value: string | number | bigint | boolean })
  | (Located & { readonly kind: "array"; readonly element: TypeNode })
  | (Located & { readonly kind: "tuple"; readonly elements: readonly TypeNode[] })
  | (Located & { readonly kind: "union" | "intersection"; readonly members: readonly TypeNode[] })
  | (Located & { readonly kind: "object"; readonly members: readonly Member[] })
  | (Located & { readonly kind: "template"; readonly head: string; readonly spans: readonly TemplateSpan[] })
  | (Located & { readonly kind: "typeof"; readonly path: string })
  | (Located & { readonly kind: "keyof"; readonly type: TypeNode })
  | (Located & { readonly kind: "indexed"; readonly object: TypeNode; readonly index: TypeNode })
  | (Located & {
      readonly kind: "mapped";
      readonly parameter: string;
      readonly keys: TypeNode;
      readonly type: TypeNode;
      readonly optional: MappedModifier;
      readonly readonly: MappedModifier;
    })
  | (Located & { readonly kind: "unsupported"; readonly what: string });

export type Expression =
  | (Located & { readonly kind: "literal"; readonly value: string | number | boolean | null })
  | (Located & {
      readonly kind: "object";
      readonly properties: readonly { readonly name: string; readonly value: Expression }[];
    })
  | (Located & { readonly kind: "array"; readonly items: readonly Expression[] })
  | (Located & { readonly kind: "name"; readonly path: string })
  | (Located & {
      readonly kind: "call";
      readonly callee: string;
      readonly typeArguments: readonly TypeNode[];
      readonly arguments: readonly Expression[];
    })
  | (Located & { readonly kind: "opaque" });
