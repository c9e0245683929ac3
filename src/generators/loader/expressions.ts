import type { DeclarationReader } from "./declarations.ts";
import type { Expression } from "./syntax.ts";
import { readTypeNode } from "./type-nodes.ts";
import { type ts, typescript } from "./typescript.ts";

/** Reads static values: literals, and references to other constants. */
export function readExpression(node: ts.Expression, reader: DeclarationReader): Expression {
  const api = typescript();
  const pos = reader.startOf(node);
  if (api.isAsExpression(node) || api.isSatisfiesExpression(node) || api.isParenthesizedExpression(node)) {
    return readExpression(node.expression, reader);
  }
  if (api.isStringLiteralLike(node)) return { kind: "literal", value: node.text, pos };
  if (api.isNumericLiteral(node)) return { kind: "literal", value: Number(node.text), pos };
  if (api.isPrefixUnaryExpression(node) && api.isNumericLiteral(node.operand)) {
    if (node.operator === api.SyntaxKind.MinusToken) {
      return { kind: "literal", value: -Number(node.operand.text), pos };
    }
  }
  if (node.kind === api.SyntaxKind.TrueKeyword) return { kind: "literal", value: true, pos };
  if (node.kind === api.SyntaxKind.FalseKeyword) return { kind: "literal", value: false, pos };
  if (node.kind === api.SyntaxKind.NullKeyword) return { kind: "literal", value: null, pos };
  if (api.isIdentifier(node) || api.isPropertyAccessExpression(node)) {
    return { kind: "name", path: reader.textOf(node).replace(/\s/gu, ""), pos };
  }
  if (api.isArrayLiteralExpression(node)) {
    return { kind: "array", items: node.elements.map((item) => readExpression(item, reader)), pos };
  }
  if (api.isObjectLiteralExpression(node)) return readObject(node, reader);
  if (api.isCallExpression(node)) {
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
  const api = typescript();
  if (api.isSatisfiesExpression(node) || api.isParenthesizedExpression(node))
    return isAsConst(node.expression);
  return api.isAsExpression(node) && api.isConstTypeReference(node.type);
}

function readObject(node: ts.ObjectLiteralExpression, reader: DeclarationReader): Expression {
  const api = typescript();
  const properties = node.properties.flatMap((property) => {
    if (api.isShorthandPropertyAssignment(property)) {
      const value: Expression = { kind: "name", path: property.name.text, pos: reader.startOf(property) };
      return [{ name: property.name.text, value }];
    }
    if (!api.isPropertyAssignment(property)) return [];
    const { name } = property;
    if (!api.isIdentifier(name) && !api.isStringLiteral(name)) return [];
    return [{ name: name.text, value: readExpression(property.initializer, reader) }];
  });
  return { kind: "object", properties, pos: reader.startOf(node) };
}
