import type ts from "typescript";
import * as parser from "./generated/parser.js";
import type { DeclarationReader } from "./declarations.ts";
import type { Member, TypeNode } from "./syntax.ts";
import { readTypeNode } from "./type-nodes.ts";

/**
 * Reads the JSON properties of an interface, a class or an object type, without private members, statics and methods.
 */
export function readMembers(
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
        type: member.type ? readTypeNode(member.type, reader) : inferred(member, pos, reader),
        optional: member.questionToken !== undefined,
        readonly: member.modifiers?.some(({ kind }) => kind === parser.SyntaxKind.ReadonlyKeyword) === true,
      },
    ];
  });
}

function isHidden(member: ts.PropertySignature | ts.PropertyDeclaration): boolean {
  if (parser.isPrivateIdentifier(member.name)) return true;
  return member.modifiers?.some(({ kind }) => hiding.has(kind)) === true;
}

const hiding = new Set<ts.SyntaxKind>([
  parser.SyntaxKind.PrivateKeyword,
  parser.SyntaxKind.ProtectedKeyword,
  parser.SyntaxKind.StaticKeyword,
  parser.SyntaxKind.DeclareKeyword,
]);

function propertyName(name: ts.PropertyName): string | undefined {
  if (parser.isIdentifier(name) || parser.isStringLiteral(name) || parser.isNumericLiteral(name))
    return name.text;
  if (parser.isComputedPropertyName(name) && parser.isStringLiteralLike(name.expression))
    return name.expression.text;
  return undefined;
}

/** A class property may omit its type if it has a plain literal as initializer. */
function inferred(
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
