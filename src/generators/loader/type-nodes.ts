import type ts from "typescript";
import * as parser from "./generated/parser.js";
import type { DeclarationReader } from "./declarations.ts";
import { readMembers } from "./members.ts";
import type { MappedModifier, TypeNode } from "./syntax.ts";

/** Parses a type as written. */
export function readTypeNode(node: ts.TypeNode, reader: DeclarationReader): TypeNode {
  const pos = reader.startOf(node);
  const read = (inner: ts.TypeNode): TypeNode => readTypeNode(inner, reader);
  const unsupported = (what: string): TypeNode => ({ kind: "unsupported", what, pos });

  if (parser.isParenthesizedTypeNode(node)) return read(node.type);
  if (parser.isTypeReferenceNode(node)) {
    const name = reader.textOf(node.typeName).replace(/\s/gu, "");
    return { kind: "reference", name, args: (node.typeArguments ?? []).map(read), specifier: undefined, pos };
  }
  if (parser.isExpressionWithTypeArguments(node)) {
    const name = reader.textOf(node.expression).replace(/\s/gu, "");
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
    optional: modifier(node.questionToken),
    readonly: modifier(node.readonlyToken),
    pos,
  };
}

/** `?` and `+?` add, `-?` removes; the same holds for `readonly`. */
function modifier(token: ts.Node | undefined): MappedModifier {
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
