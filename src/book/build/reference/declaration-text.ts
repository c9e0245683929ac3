import ts from "typescript";

const typeFormat = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;

/** A declaration as its users see it: without bodies, values and what is private; types that were left out are filled in. */
export function declarationText(declaration: ts.Declaration, checker: ts.TypeChecker): string {
  if (ts.isFunctionDeclaration(declaration)) return signatureText(declaration, checker);
  if (ts.isVariableDeclaration(declaration))
    return `const ${declaration.name.getText()}: ${typeText(declaration, checker)};`;
  if (ts.isClassDeclaration(declaration)) return classText(declaration, checker);
  if (ts.isTypeAliasDeclaration(declaration) && /\btypeof\b/u.test(declaration.type.getText()))
    return `type ${declaration.name.text} = ${writtenOut(declaration, checker)};`;
  return withoutExport(declaration.getText());
}

/** A type that is made from a constant, which readers can't see. */
function writtenOut(declaration: ts.TypeAliasDeclaration, checker: ts.TypeChecker): string {
  const type = checker.getTypeAtLocation(declaration);
  return checker.typeToString(type, declaration, typeFormat | ts.TypeFormatFlags.InTypeAlias);
}

const withoutExport = (text: string): string => text.replace(/^export (?:declare )?/u, "");

/** With the body cut off, and the type of what it returns. */
function signatureText(node: ts.FunctionLikeDeclaration, checker: ts.TypeChecker): string {
  const end = (node.body?.getFullStart() ?? node.getEnd()) - node.getStart();
  const head = withoutExport(node.getText().slice(0, end).trim().replace(/;$/u, "")).replace(
    /^((?:static |override )*)async /u,
    "$1",
  );
  const hasType = node.type !== undefined || ts.isConstructorDeclaration(node) || ts.isSetAccessor(node);
  if (hasType) return `${head};`;
  const returned = checker.getSignatureFromDeclaration(node)!.getReturnType();
  return `${head}: ${checker.typeToString(returned, node, typeFormat)};`;
}

function typeText(node: ts.VariableDeclaration | ts.PropertyDeclaration, checker: ts.TypeChecker): string {
  if (node.type) return node.type.getText();
  return checker.typeToString(checker.getTypeAtLocation(node), node, typeFormat);
}

function classText(node: ts.ClassDeclaration, checker: ts.TypeChecker): string {
  const open = node.members.pos - node.getStart();
  const shown = node.members.filter((member) => isPublic(member) && !implementsOverloads(member, node));
  const members = shown.map((member) => indent(memberText(member, checker)));
  const spaced = members.map((text, i) => (i > 0 && text.startsWith("  /**") ? `\n${text}` : text));
  return [withoutExport(node.getText().slice(0, open)), ...spaced, "}"].join("\n");
}

function isPublic(member: ts.ClassElement): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  if (member.name && ts.isPrivateIdentifier(member.name)) return false;
  return (ts.getCombinedModifierFlags(member) & hidden) === 0 && !ts.isClassStaticBlockDeclaration(member);
}

/** Callers see the overloads alone. */
function implementsOverloads(member: ts.ClassElement, { members }: ts.ClassDeclaration): boolean {
  if (!ts.isMethodDeclaration(member) || member.body === undefined) return false;
  const name = member.name.getText();
  return members.some(
    (other) => ts.isMethodDeclaration(other) && other.body === undefined && other.name.getText() === name,
  );
}

function memberText(member: ts.ClassElement, checker: ts.TypeChecker): string {
  return [...commentsOf(member), unindent(bareMember(member, checker))].join("\n");
}

function bareMember(member: ts.ClassElement, checker: ts.TypeChecker): string {
  if (ts.isPropertyDeclaration(member)) {
    const end = (member.questionToken ?? member.name).getEnd() - member.getStart();
    return `${member.getText().slice(0, end)}: ${typeText(member, checker)};`;
  }
  if (ts.isFunctionLike(member)) return signatureText(member as ts.FunctionLikeDeclaration, checker);
  return member.getText();
}

function commentsOf(node: ts.Node): string[] {
  return ts.getJSDocCommentsAndTags(node).map((comment) => unindent(comment.getText()));
}

/** The members of a class stand two columns in. */
const unindent = (text: string): string => text.replaceAll(/\n {2}/gu, "\n");
const indent = (text: string): string => `  ${text.replaceAll("\n", "\n  ")}`;
