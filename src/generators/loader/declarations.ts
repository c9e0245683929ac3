import type ts from "typescript";
import * as parser from "./generated/parser.js";
import { type CommentBlock, type LeadingComments, leadingComments } from "./comments.ts";
import { readMembers } from "./members.ts";
import type {
  ConstDeclaration,
  Declaration,
  EnumDeclaration,
  Expression,
  ObjectDeclaration,
  ReferenceNode,
  TypeParameter,
} from "./syntax.ts";
import { readTypeNode } from "./type-nodes.ts";

/** Reads the declarations of a file; a name in a namespace is qualified with dots. */
export class DeclarationReader {
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

  #base(
    node: ts.InterfaceDeclaration | ts.ClassDeclaration | ts.TypeAliasDeclaration,
    prefix: string,
  ): { name: string; pos: number; comments: LeadingComments; typeParameters: TypeParameter[] } {
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
      const written = member.initializer && readExpression(member.initializer, this);
      const value: string | number | undefined = !written
        ? next
        : written.kind === "literal" &&
            (typeof written.value === "string" || typeof written.value === "number")
          ? written.value
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

  /** Where the text of a node starts, comments left out. */
  startOf(node: ts.Node): number {
    return node.getStart(this.#source);
  }

  textOf(node: ts.Node): string {
    return node.getText(this.#source);
  }
}

/** Reads static values: literals, and references to other constants. */
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

/** Returns whether an expression has `as const`, also within parentheses or before `satisfies`. */
function isAsConst(node: ts.Expression): boolean {
  if (parser.isSatisfiesExpression(node) || parser.isParenthesizedExpression(node))
    return isAsConst(node.expression);
  return parser.isAsExpression(node) && parser.isConstTypeReference(node.type);
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
