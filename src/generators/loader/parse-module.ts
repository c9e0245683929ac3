import type ts from "typescript";
import * as parser from "./generated/parser.js";
import type { CommentBlock, LeadingComments, LiteralRange } from "./comments.ts";
import { findComments, leadingComments } from "./comments.ts";
import type {
  Augmentation,
  ConstDeclaration,
  Declaration,
  EnumDeclaration,
  Expression,
  ImportedName,
  MappedModifier,
  Member,
  Module,
  ObjectDeclaration,
  Reexport,
  ReferenceNode,
  TypeNode,
} from "./syntax.ts";
import { TsbuilderError } from "../../shared/errors.ts";

/** The parser leaves comments alone: `findComments` reads them. */
export const parsing = {
  languageVersion: parser.ScriptTarget.Latest,
  jsDocParsingMode: parser.JSDocParsingMode.ParseNone,
};

/** Parses a source file into our own syntax, with its syntax errors; runs no code, and resolves no imports. */
export function parseModule(file: string, text: string): Module {
  const source = parser.createSourceFile(file, text, parsing);
  const { blocks: comments, trailing: trailingComments } = findComments(text, literalRanges(source));
  const reader = new DeclarationReader(source, comments);
  const imports = new Map<string, ImportedName>();
  const exports = new Map<string, string>();
  const reexports: Reexport[] = [];
  const augmentations: Augmentation[] = [];
  const declarations = new Map<string, Declaration[]>();

  for (const statement of source.statements) {
    if (parser.isImportDeclaration(statement)) readImport(statement, imports);
    else if (parser.isExportDeclaration(statement)) readExport(statement, exports, reexports);
    else if (parser.isExportAssignment(statement) && parser.isIdentifier(statement.expression)) {
      exports.set("default", statement.expression.text);
    } else if (parser.isModuleDeclaration(statement) && parser.isStringLiteral(statement.name)) {
      const added = new Map<string, Declaration[]>();
      reader.readBody(statement, "", added);
      augmentations.push({ specifier: statement.name.text, declarations: added });
    } else reader.read(statement, "", declarations, exports);
  }
  return {
    file,
    text,
    imports,
    exports,
    reexports,
    declarations,
    augmentations,
    comments,
    trailingComments,
    syntaxErrors: syntaxErrors(source),
  };
}

/** Reads the declarations of a file; a name in a namespace is qualified with dots. */
class DeclarationReader {
  readonly #source: ts.SourceFile;
  readonly #comments: readonly CommentBlock[];

  constructor(source: ts.SourceFile, comments: readonly CommentBlock[]) {
    this.#source = source;
    this.#comments = comments;
  }

  read(
    statement: ts.Node,
    prefix: string,
    into: Map<string, Declaration[]>,
    exports?: Map<string, string>,
  ): void {
    for (const declaration of this.#declarationsOf(statement, prefix)) {
      into.set(declaration.name, [...(into.get(declaration.name) ?? []), declaration]);
      const isDefault =
        parser.canHaveModifiers(statement) &&
        parser.getModifiers(statement)?.some(({ kind }) => kind === parser.SyntaxKind.DefaultKeyword);
      if (isDefault) exports?.set("default", declaration.name);
    }
    if (parser.isModuleDeclaration(statement) && parser.isIdentifier(statement.name)) {
      this.readBody(statement, `${prefix}${statement.name.text}.`, into);
    }
  }

  readBody(declaration: ts.ModuleDeclaration, prefix: string, into: Map<string, Declaration[]>): void {
    const body = declaration.body;
    if (!body) return;
    if (parser.isModuleBlock(body)) for (const inner of body.statements) this.read(inner, prefix, into);
    else if (parser.isModuleDeclaration(body)) this.read(body, prefix, into);
  }

  /** The comments above a node, whose text starts at `start`. */
  commentsOf(node: ts.Node, start: number = this.startOf(node)): LeadingComments {
    return leadingComments(this.#source.text, this.#comments, node.pos, start);
  }

  #declarationsOf(statement: ts.Node, prefix: string): Declaration[] {
    if (parser.isInterfaceDeclaration(statement)) return [this.#object(statement, "interface", prefix)];
    if (parser.isClassDeclaration(statement) && statement.name)
      return [this.#object(statement, "class", prefix)];
    if (parser.isTypeAliasDeclaration(statement)) {
      const type = readTypeNode(statement.type, this);
      return [{ kind: "alias", type, ...this.#base(statement, prefix) }];
    }
    if (parser.isEnumDeclaration(statement)) return [this.#enum(statement, prefix)];
    if (parser.isVariableStatement(statement)) return this.#constants(statement, prefix);
    return [];
  }

  #base(node: ts.InterfaceDeclaration | ts.ClassDeclaration | ts.TypeAliasDeclaration, prefix: string) {
    return {
      name: prefix + node.name!.text,
      pos: node.name!.getStart(this.#source),
      comments: this.commentsOf(node),
      typeParameters: (node.typeParameters ?? []).map((parameter) => ({
        name: parameter.name.text,
        constraint: parameter.constraint && readTypeNode(parameter.constraint, this),
        fallback: parameter.default && readTypeNode(parameter.default, this),
      })),
    };
  }

  #object(
    node: ts.InterfaceDeclaration | ts.ClassDeclaration,
    kind: "interface" | "class",
    prefix: string,
  ): ObjectDeclaration {
    const bases = (node.heritageClauses ?? [])
      .filter((clause) => clause.token === parser.SyntaxKind.ExtendsKeyword)
      .flatMap((clause) => clause.types.map((type) => readTypeNode(type, this)));
    const toJSON = node.members.find(
      (member): member is ts.MethodDeclaration | ts.MethodSignature =>
        (parser.isMethodDeclaration(member) || parser.isMethodSignature(member)) &&
        member.name.getText(this.#source) === "toJSON",
    );
    return {
      kind,
      ...this.#base(node, prefix),
      extends: bases.filter((base): base is ReferenceNode => base.kind === "reference"),
      members: readMembers(node.members, this),
      toJSON: toJSON?.type && readTypeNode(toJSON.type, this),
    };
  }

  #enum(node: ts.EnumDeclaration, prefix: string): EnumDeclaration {
    let next: number | undefined = 0;
    const members = node.members.map((member) => {
      const initializer = member.initializer && readExpression(member.initializer, this);
      const value: string | number | undefined = !initializer
        ? next
        : initializer.kind === "literal" &&
            (typeof initializer.value === "string" || typeof initializer.value === "number")
          ? initializer.value
          : undefined;
      next = typeof value === "number" ? value + 1 : undefined;
      return { name: member.name.getText(this.#source), value };
    });
    return {
      kind: "enum",
      name: prefix + node.name.text,
      pos: node.name.getStart(this.#source),
      comments: this.commentsOf(node),
      typeParameters: [],
      members,
    };
  }

  #constants(node: ts.VariableStatement, prefix: string): ConstDeclaration[] {
    const comments = this.commentsOf(node);
    return node.declarationList.declarations.flatMap((declaration) => {
      if (!parser.isIdentifier(declaration.name)) return [];
      const pos = declaration.name.getStart(this.#source);
      return [
        {
          kind: "const",
          name: prefix + declaration.name.text,
          pos,
          comments,
          typeParameters: [],
          type: declaration.type && readTypeNode(declaration.type, this),
          value: declaration.initializer
            ? readExpression(declaration.initializer, this)
            : { kind: "opaque", pos },
          isLiteral: declaration.initializer !== undefined && isAsConst(declaration.initializer),
        },
      ];
    });
  }

  /** Returns the position of a node without the comments above it. */
  startOf(node: ts.Node): number {
    return node.getStart(this.#source);
  }

  textOf(node: ts.Node): string {
    return node.getText(this.#source);
  }
}

/**
 * Reads the JSON properties of an interface, a class or an object type, without private members, statics and methods.
 */
function readMembers(
  members: readonly (ts.TypeElement | ts.ClassElement)[],
  reader: DeclarationReader,
): Member[] {
  return members.flatMap((member): Member[] => {
    const start = reader.startOf(member);
    // Modifiers come before the name.
    const pos = member.name && member.name.pos > member.pos ? reader.startOf(member.name) : start;
    if (parser.isIndexSignatureDeclaration(member)) {
      const key = member.parameters[0]?.type;
      if (!key) return [];
      return [
        { kind: "index", pos, key: readTypeNode(key, reader), value: readTypeNode(member.type, reader) },
      ];
    }
    if (!parser.isPropertySignature(member) && !parser.isPropertyDeclaration(member)) return [];
    if (isHidden(member)) return [];
    const comments = reader.commentsOf(member, start);
    const name = propertyName(member.name);
    if (name === undefined) {
      return [{ kind: "foreign", pos, what: `the computed name ${reader.textOf(member.name)}`, comments }];
    }
    return [
      {
        kind: "property",
        name,
        pos,
        comments,
        type: member.type ? readTypeNode(member.type, reader) : inferType(member, pos, reader),
        optional: member.questionToken !== undefined,
        readonly: member.modifiers?.some(({ kind }) => kind === parser.SyntaxKind.ReadonlyKeyword) === true,
      },
    ];
  });
}

const hidingModifiers = new Set<ts.SyntaxKind>([
  parser.SyntaxKind.PrivateKeyword,
  parser.SyntaxKind.ProtectedKeyword,
  parser.SyntaxKind.StaticKeyword,
  parser.SyntaxKind.DeclareKeyword,
]);

function isHidden(member: ts.PropertySignature | ts.PropertyDeclaration): boolean {
  if (parser.isPrivateIdentifier(member.name)) return true;
  return member.modifiers?.some(({ kind }) => hidingModifiers.has(kind)) === true;
}

/** Returns the name of a property in JSON; undefined for a computed one. */
function propertyName(name: ts.PropertyName): string | undefined {
  if (parser.isIdentifier(name) || parser.isStringLiteral(name) || parser.isNumericLiteral(name))
    return name.text;
  if (parser.isComputedPropertyName(name) && parser.isStringLiteralLike(name.expression))
    return name.expression.text;
  return undefined;
}

/** Infers the type of a class property from a plain literal; without one, the property needs a type. */
function inferType(
  member: ts.PropertySignature | ts.PropertyDeclaration,
  pos: number,
  reader: DeclarationReader,
): TypeNode {
  const value = parser.isPropertyDeclaration(member) ? member.initializer : undefined;
  if (value && parser.isStringLiteralLike(value)) return { kind: "keyword", name: "string", pos };
  if (value && parser.isNumericLiteral(value)) return { kind: "keyword", name: "number", pos };
  const { TrueKeyword, FalseKeyword } = parser.SyntaxKind;
  if (value?.kind === TrueKeyword || value?.kind === FalseKeyword)
    return { kind: "keyword", name: "boolean", pos };
  return { kind: "unsupported", what: `a property without a type: ${reader.textOf(member.name)}`, pos };
}

/** Converts a type to our own syntax. A type that no schema supports keeps its description for an error. */
function readTypeNode(node: ts.TypeNode, reader: DeclarationReader): TypeNode {
  const pos = reader.startOf(node);
  const read = (inner: ts.TypeNode): TypeNode => readTypeNode(inner, reader);
  const unsupported = (what: string): TypeNode => ({ kind: "unsupported", what, pos });

  if (parser.isParenthesizedTypeNode(node)) return read(node.type);
  if (parser.isTypeReferenceNode(node) || parser.isExpressionWithTypeArguments(node)) {
    const written = parser.isTypeReferenceNode(node) ? node.typeName : node.expression;
    const name = reader.textOf(written).replace(/\s/gu, "");
    return { kind: "reference", name, args: (node.typeArguments ?? []).map(read), specifier: undefined, pos };
  }
  if (parser.isArrayTypeNode(node)) return { kind: "array", element: read(node.elementType), pos };
  if (parser.isUnionTypeNode(node)) return { kind: "union", members: node.types.map(read), pos };
  if (parser.isIntersectionTypeNode(node))
    return { kind: "intersection", members: node.types.map(read), pos };
  if (parser.isTypeLiteralNode(node))
    return { kind: "object", members: readMembers(node.members, reader), pos };
  if (parser.isLiteralTypeNode(node)) return readLiteral(node.literal, pos, reader);
  if (parser.isTupleTypeNode(node)) return readTuple(node, pos, reader);
  if (parser.isTemplateLiteralTypeNode(node)) {
    const spans = node.templateSpans.map((span) => ({ type: read(span.type), text: span.literal.text }));
    return { kind: "template", head: node.head.text, spans, pos };
  }
  if (parser.isTypeOperatorNode(node)) {
    if (node.operator === parser.SyntaxKind.KeyOfKeyword)
      return { kind: "keyof", type: read(node.type), pos };
    if (node.operator === parser.SyntaxKind.ReadonlyKeyword) return read(node.type);
    return unsupported("unique symbol");
  }
  if (parser.isIndexedAccessTypeNode(node)) {
    return { kind: "indexed", object: read(node.objectType), index: read(node.indexType), pos };
  }
  if (parser.isTypeQueryNode(node)) return { kind: "typeof", path: reader.textOf(node.exprName), pos };
  if (parser.isMappedTypeNode(node)) return readMapped(node, pos, reader);
  if (parser.isImportTypeNode(node)) return readImportType(node, pos, reader);
  if (parser.isFunctionTypeNode(node) || parser.isConstructorTypeNode(node))
    return unsupported("a function type");
  if (parser.isConditionalTypeNode(node)) return unsupported("a conditional type");
  return { kind: "keyword", name: reader.textOf(node), pos };
}

function readLiteral(node: ts.LiteralTypeNode["literal"], pos: number, reader: DeclarationReader): TypeNode {
  if (parser.isStringLiteralLike(node)) return { kind: "literal", value: node.text, pos };
  if (node.kind === parser.SyntaxKind.NullKeyword) return { kind: "keyword", name: "null", pos };
  const text = reader.textOf(node).replaceAll("_", "");
  if (text === "true" || text === "false") return { kind: "literal", value: text === "true", pos };
  if (text.endsWith("n")) return { kind: "unsupported", what: "a bigint literal", pos };
  return { kind: "literal", value: Number(text), pos };
}

function readTuple(node: ts.TupleTypeNode, pos: number, reader: DeclarationReader): TypeNode {
  const isFixed = node.elements.every((element) => {
    const type = parser.isNamedTupleMember(element) ? element : undefined;
    return (
      !parser.isRestTypeNode(element) &&
      !parser.isOptionalTypeNode(element) &&
      !type?.dotDotDotToken &&
      !type?.questionToken
    );
  });
  if (!isFixed) return { kind: "unsupported", what: "a tuple with optional or rest elements", pos };
  const elements = node.elements.map((element) =>
    readTypeNode(parser.isNamedTupleMember(element) ? element.type : element, reader),
  );
  return { kind: "tuple", elements, pos };
}

function readMapped(node: ts.MappedTypeNode, pos: number, reader: DeclarationReader): TypeNode {
  const keys = node.typeParameter.constraint;
  if (!keys || !node.type || node.nameType) {
    return { kind: "unsupported", what: "a mapped type that renames its keys", pos };
  }
  return {
    kind: "mapped",
    parameter: node.typeParameter.name.text,
    keys: readTypeNode(keys, reader),
    type: readTypeNode(node.type, reader),
    optional: readModifier(node.questionToken),
    readonly: readModifier(node.readonlyToken),
    pos,
  };
}

/** Reads the modifier of a mapped type: `?` and `+?` add, `-?` removes, and so for `readonly`. */
function readModifier(token: ts.Node | undefined): MappedModifier {
  if (!token) return undefined;
  return token.kind === parser.SyntaxKind.MinusToken ? "remove" : "add";
}

function readImportType(node: ts.ImportTypeNode, pos: number, reader: DeclarationReader): TypeNode {
  const { argument, qualifier } = node;
  if (!qualifier || !parser.isLiteralTypeNode(argument) || !parser.isStringLiteral(argument.literal)) {
    return { kind: "unsupported", what: "an import type without a name", pos };
  }
  const name = reader.textOf(qualifier);
  const specifier = argument.literal.text;
  if (node.isTypeOf) return { kind: "unsupported", what: "typeof import", pos };
  const args = (node.typeArguments ?? []).map((type) => readTypeNode(type, reader));
  return { kind: "reference", name, args, specifier, pos };
}

/** Reads a static value: a literal, a reference to a constant, or a call, whose arguments may be static. */
function readExpression(node: ts.Expression, reader: DeclarationReader): Expression {
  const pos = reader.startOf(node);
  if (
    parser.isAsExpression(node) ||
    parser.isSatisfiesExpression(node) ||
    parser.isParenthesizedExpression(node)
  ) {
    return readExpression(node.expression, reader);
  }
  if (parser.isStringLiteralLike(node)) return { kind: "literal", value: node.text, pos };
  if (parser.isNumericLiteral(node)) return { kind: "literal", value: Number(node.text), pos };
  if (parser.isPrefixUnaryExpression(node) && parser.isNumericLiteral(node.operand)) {
    if (node.operator === parser.SyntaxKind.MinusToken) {
      return { kind: "literal", value: -Number(node.operand.text), pos };
    }
  }
  if (node.kind === parser.SyntaxKind.TrueKeyword) return { kind: "literal", value: true, pos };
  if (node.kind === parser.SyntaxKind.FalseKeyword) return { kind: "literal", value: false, pos };
  if (node.kind === parser.SyntaxKind.NullKeyword) return { kind: "literal", value: null, pos };
  if (parser.isIdentifier(node) || parser.isPropertyAccessExpression(node)) {
    return { kind: "name", path: reader.textOf(node).replace(/\s/gu, ""), pos };
  }
  if (parser.isArrayLiteralExpression(node)) {
    return { kind: "array", items: node.elements.map((item) => readExpression(item, reader)), pos };
  }
  if (parser.isObjectLiteralExpression(node)) return readObject(node, reader);
  if (parser.isCallExpression(node)) {
    return {
      kind: "call",
      callee: reader.textOf(node.expression),
      typeArguments: (node.typeArguments ?? []).map((type) => readTypeNode(type, reader)),
      arguments: node.arguments.map((argument) => readExpression(argument, reader)),
      pos,
    };
  }
  return { kind: "opaque", pos };
}

function readObject(node: ts.ObjectLiteralExpression, reader: DeclarationReader): Expression {
  const properties = node.properties.flatMap((property) => {
    if (parser.isShorthandPropertyAssignment(property)) {
      const value: Expression = { kind: "name", path: property.name.text, pos: reader.startOf(property) };
      return [{ name: property.name.text, value }];
    }
    if (!parser.isPropertyAssignment(property)) return [];
    const { name } = property;
    if (!parser.isIdentifier(name) && !parser.isStringLiteral(name)) return [];
    return [{ name: name.text, value: readExpression(property.initializer, reader) }];
  });
  return { kind: "object", properties, pos: reader.startOf(node) };
}

/** Returns whether an expression has `as const`, also within parentheses or before `satisfies`. */
function isAsConst(node: ts.Expression): boolean {
  if (parser.isSatisfiesExpression(node) || parser.isParenthesizedExpression(node))
    return isAsConst(node.expression);
  return parser.isAsExpression(node) && parser.isConstTypeReference(node.type);
}

/** The ranges of strings, templates and regular expressions in a file, in order; they contain no comments. */
function literalRanges(source: ts.SourceFile): LiteralRange[] {
  const { SyntaxKind } = parser;
  const literals = new Set<ts.SyntaxKind>([
    SyntaxKind.StringLiteral,
    SyntaxKind.NoSubstitutionTemplateLiteral,
    SyntaxKind.TemplateHead,
    SyntaxKind.TemplateMiddle,
    SyntaxKind.TemplateTail,
    SyntaxKind.RegularExpressionLiteral,
    SyntaxKind.JsxText,
  ]);
  const ranges: LiteralRange[] = [];
  const visit = (node: ts.Node): void => {
    if (literals.has(node.kind)) ranges.push([node.getStart(source), node.end]);
    else parser.forEachChild(node, visit);
  };
  visit(source);
  return ranges;
}

function readImport(statement: ts.ImportDeclaration, imports: Map<string, ImportedName>): void {
  const clause = statement.importClause;
  if (!clause || !parser.isStringLiteral(statement.moduleSpecifier)) return;
  const specifier = statement.moduleSpecifier.text;
  if (clause.name) imports.set(clause.name.text, { specifier, name: "default" });
  const bindings = clause.namedBindings;
  if (!bindings) return;
  if (parser.isNamespaceImport(bindings)) {
    imports.set(bindings.name.text, { specifier, name: "*" });
    return;
  }
  for (const element of bindings.elements) {
    imports.set(element.name.text, { specifier, name: (element.propertyName ?? element.name).text });
  }
}

function readExport(statement: ts.ExportDeclaration, exports: Map<string, string>, reexports: Reexport[]) {
  const specifier =
    statement.moduleSpecifier && parser.isStringLiteral(statement.moduleSpecifier)
      ? statement.moduleSpecifier.text
      : undefined;
  const clause = statement.exportClause;
  if (!clause) {
    if (specifier) reexports.push({ specifier, name: "*", exported: "*" });
  } else if (parser.isNamespaceExport(clause)) {
    if (specifier) reexports.push({ specifier, name: "*", exported: clause.name.text });
  } else {
    for (const element of clause.elements) {
      const name = (element.propertyName ?? element.name).text;
      const exported = element.name.text;
      if (specifier) reexports.push({ specifier, name, exported });
      else exports.set(exported, name);
    }
  }
}

/** The parser stores syntax errors in a field that is missing in its types. */
function syntaxErrors(source: ts.SourceFile): Module["syntaxErrors"] {
  const found = (source as unknown as { parseDiagnostics?: readonly ts.Diagnostic[] }).parseDiagnostics ?? [];
  return found.map(({ messageText, start = 0 }) => ({
    message: typeof messageText === "string" ? messageText : messageText.messageText,
    pos: start,
  }));
}

/** The parts of a module that the next process needs before it parses the module again. */
export type KeptModule = Pick<Module, "file" | "text" | "imports" | "exports" | "reexports">;

/** Returns the parts to keep of a module; undefined for one that every run must parse: for errors, or `declare module`. */
export function keepModule(module: Module): KeptModule | undefined {
  if (module.augmentations.length > 0 || module.syntaxErrors.length > 0) return undefined;
  const { file, text, imports, exports, reexports } = module;
  return { file, text, imports, exports, reexports };
}

/** Restores a module. It is parsed at the first access to its declarations or comments. */
export function restoreModule(kept: KeptModule): Module {
  let parsed: Module | undefined;
  const parse = (): Module =>
    (parsed ??= refuseTooDeep(`"${kept.file}"`, () => parseModule(kept.file, kept.text)));
  return {
    ...kept,
    augmentations: [],
    syntaxErrors: [],
    get declarations() {
      return parse().declarations;
    },
    get comments() {
      return parse().comments;
    },
    get trailingComments() {
      return parse().trailingComments;
    },
  };
}

/** Calls a function; throws a TsbuilderError if the sources nest types so deeply that the stack overflows. */
export function refuseTooDeep<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError && error.message.includes("call stack"))) throw error;
    const message = `${what} nests its types too deeply`;
    const hint = "use fewer levels, or JSONValue from @tsbuilder/runtime for what has no end";
    throw new TsbuilderError(message, { code: "INVALID_SOURCE", hint, cause: error });
  }
}
