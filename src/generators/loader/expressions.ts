import type ts from "typescript";
import * as parser from "./generated/parser.js";
import type { DeclarationReader } from "./declarations.ts";
import type { Expression } from "./syntax.ts";
import { readTypeNode } from "./type-nodes.ts";

/** Reads static values: literals, and references to other constants. */
export function readExpression(node: ts.Expression, reader: DeclarationReader): Expression {
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
export function isAsConst(node: ts.Expression): boolean {
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
