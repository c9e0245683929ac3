import type { DeclarationReader } from "./declarations.ts";
import type { Member, TypeNode } from "./syntax.ts";
import { readTypeNode } from "./type-nodes.ts";
import { type ts, typescript } from "./typescript.ts";

/**
 * Reads the JSON properties of an interface, a class or an object type, without private members, statics and methods.
 */
export function readMembers(
  members: readonly (ts.TypeElement | ts.ClassElement)[],
  reader: DeclarationReader,
): Member[] {
  const api = typescript();
  return members.flatMap((member): Member[] => {
    const pos = reader.startOf(member.name ?? member);
    if (api.isIndexSignatureDeclaration(member)) {
      const key = member.parameters[0]?.type;
      if (!key) return [];
      return [
        { kind: "index", pos, key: readTypeNode(key, reader), value: readTypeNode(member.type, reader) },
      ];
    }
    if (!api.isPropertySignature(member) && !api.isPropertyDeclaration(member)) return [];
    if (isHidden(member)) return [];
    const comments = reader.commentsOf(member);
    const name = propertyName(member.name);
    if (name === undefined) {
      return [{ kind: "foreign", pos, what: `the computed name ${reader.textOf(member.name)}`, comments }];
    }
    const modifiers = (api.canHaveModifiers(member) && api.getModifiers(member)) || [];
    return [
      {
        kind: "property",
        name,
        pos,
        comments,
        type: member.type ? readTypeNode(member.type, reader) : inferred(member, pos, reader),
        optional: member.questionToken !== undefined,
        readonly: modifiers.some(({ kind }) => kind === api.SyntaxKind.ReadonlyKeyword),
      },
    ];
  });
}

function isHidden(member: ts.PropertySignature | ts.PropertyDeclaration): boolean {
  const api = typescript();
  if (api.isPrivateIdentifier(member.name)) return true;
  const { PrivateKeyword, ProtectedKeyword, StaticKeyword, DeclareKeyword } = api.SyntaxKind;
  const hiding = new Set<ts.SyntaxKind>([PrivateKeyword, ProtectedKeyword, StaticKeyword, DeclareKeyword]);
  return (api.getModifiers(member) ?? []).some(({ kind }) => hiding.has(kind));
}

function propertyName(name: ts.PropertyName): string | undefined {
  const api = typescript();
  if (api.isIdentifier(name) || api.isStringLiteral(name) || api.isNumericLiteral(name)) return name.text;
  if (api.isComputedPropertyName(name) && api.isStringLiteralLike(name.expression))
    return name.expression.text;
  return undefined;
}

/** A class property may omit its type if it has a plain literal as initializer. */
function inferred(
  member: ts.PropertySignature | ts.PropertyDeclaration,
  pos: number,
  reader: DeclarationReader,
): TypeNode {
  const api = typescript();
  const value = api.isPropertyDeclaration(member) ? member.initializer : undefined;
  if (value && api.isStringLiteralLike(value)) return { kind: "keyword", name: "string", pos };
  if (value && api.isNumericLiteral(value)) return { kind: "keyword", name: "number", pos };
  const { TrueKeyword, FalseKeyword } = api.SyntaxKind;
  if (value?.kind === TrueKeyword || value?.kind === FalseKeyword)
    return { kind: "keyword", name: "boolean", pos };
  return { kind: "unsupported", what: `a property without a type: ${reader.textOf(member.name)}`, pos };
}
