import { createHash } from "node:crypto";
import ts from "typescript";

/** A small change of a source that a test should notice. */
export interface Mutant {
  /** Names it as long as the code around it is the same. */
  readonly id: string;
  /** Relative to the repository. */
  readonly file: string;
  readonly line: number;
  /** The replaced text, by its offsets in the file. */
  readonly start: number;
  readonly end: number;
  readonly before: string;
  readonly after: string;
}

/** The text that a node is replaced by; undefined if it stays. */
type Mutation = (node: ts.Node, source: ts.SourceFile) => string | undefined;

const comparisons = new Map([
  [ts.SyntaxKind.LessThanToken, "<="],
  [ts.SyntaxKind.LessThanEqualsToken, "<"],
  [ts.SyntaxKind.GreaterThanToken, ">="],
  [ts.SyntaxKind.GreaterThanEqualsToken, ">"],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [ts.SyntaxKind.AmpersandAmpersandToken, "||"],
  [ts.SyntaxKind.BarBarToken, "&&"],
]);

const mutations: readonly Mutation[] = [
  (node, source) => {
    if (!ts.isBinaryExpression(node)) return undefined;
    const operator = comparisons.get(node.operatorToken.kind);
    return operator && `${node.left.getText(source)} ${operator} ${node.right.getText(source)}`;
  },
  (node, source) => (isCondition(node) && !isEquation(node) ? `!(${node.getText(source)})` : undefined),
  (node, source) =>
    ts.isExpressionStatement(node) && isCall(node.expression) && !isChatter(node, source) ? ";" : undefined,
  (node, source) => (ts.isAwaitExpression(node) ? node.expression.getText(source) : undefined),
  (node) => (node.kind === ts.SyntaxKind.TrueKeyword && isValue(node) ? "false" : undefined),
  (node) => (node.kind === ts.SyntaxKind.FalseKeyword && isValue(node) ? "true" : undefined),
  (node, source) =>
    ts.isReturnStatement(node) && node.expression && node.expression.getText(source) !== "undefined"
      ? "return undefined as never;"
      : undefined,
];

/** All mutants of a source, in its order. Texts for people are left alone: their wording is no behaviour. */
export function findMutants(file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const seen = new Map<string, number>();
  const visit = (node: ts.Node): void => {
    if (isText(node, source)) return;
    for (const mutation of mutations) {
      const after = mutation(node, source);
      if (after === undefined) continue;
      const before = node.getText(source);
      const place = `${file}\n${node.parent.getText(source)}\n${before}\n${after}`;
      const count = seen.get(place) ?? 0;
      seen.set(place, count + 1);
      const start = node.getStart(source);
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      const id = createHash("sha256").update(`${place}\n${count}`).digest("hex").slice(0, 10);
      found.push({ id, file, line, start, end: node.getEnd(), before, after });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(source, visit);
  return found;
}

/** The source with a mutant in the place of what it replaces. */
export function applyMutant(text: string, { start, end, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(end);
}

/** A loop with a negated condition would only hang. */
function isCondition(node: ts.Node): boolean {
  const { parent } = node;
  return (
    (ts.isIfStatement(parent) && parent.expression === node) ||
    (ts.isConditionalExpression(parent) && parent.condition === node)
  );
}

/** Its negation is the other comparison. */
function isEquation(node: ts.Node): boolean {
  if (!ts.isBinaryExpression(node)) return false;
  const { kind } = node.operatorToken;
  return (
    kind === ts.SyntaxKind.EqualsEqualsEqualsToken || kind === ts.SyntaxKind.ExclamationEqualsEqualsToken
  );
}

/** Lines of log levels that no one relies on. */
function isChatter(statement: ts.ExpressionStatement, source: ts.SourceFile): boolean {
  return /(^|\.)#?log(ger)?(\?\.|\.)(debug|info)\(/.test(statement.getText(source));
}

function isCall(node: ts.Expression): boolean {
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) return isCall(node.expression);
  return ts.isCallExpression(node) && node.expression.kind !== ts.SyntaxKind.SuperKeyword;
}

/** `true` as a type is no value. */
function isValue(node: ts.Node): boolean {
  return !ts.isLiteralTypeNode(node.parent);
}

/** Messages of errors, log lines and templates, and what has no effect when it runs. */
function isText(node: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true;
  if (ts.isTemplateExpression(node)) return true;
  if (ts.isNewExpression(node)) return node.expression.getText(source).endsWith("Error");
  if (!ts.isCallExpression(node)) return false;
  return /(^|\.)#?log(ger)?(\?\.|\.)(debug|info|warn|error)$/.test(node.expression.getText(source));
}
