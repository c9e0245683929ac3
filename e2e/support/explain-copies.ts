import ts from "typescript";
import type { NamedSource } from "../rules/explain-names.ts";

/** A function in the sources, and its shape. */
interface ShapedFunction {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly shape: string;
}

/** Functions with fewer nodes of syntax are alike by chance: guards, getters, a call with other arguments. */
const smallest = 28;

/**
 * Returns a sentence for each function with the shape of a function in another file: the same syntax, operators and
 * values, with other names and types. `allowed` has a reason for each pair that only looks alike, by `first = second`.
 */
export function explainCopies(
  sources: readonly NamedSource[],
  allowed: Readonly<Record<string, string>> = {},
): string[] {
  const byShape = new Map<string, ShapedFunction[]>();
  for (const one of sources.flatMap(shapedFunctions)) {
    const alike = byShape.get(one.shape);
    if (alike) alike.push(one);
    else byShape.set(one.shape, [one]);
  }
  return [...byShape.values()].flatMap(([first, ...others]) =>
    others
      .filter(({ file, name }) => file !== first!.file && !(`${first!.name} = ${name}` in allowed))
      .map(
        ({ file, line, name }) =>
          `${file}:${line} ${name}() has the shape of ${first!.name}() in ${first!.file}:${first!.line}: ` +
          "call one function from both places, or say in names.test.ts why they only look alike",
      ),
  );
}

/** Lists the functions of a file from the smallest size on. A function within a large one is part of it. */
function shapedFunctions({ file, text }: NamedSource): ShapedFunction[] {
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const found: ShapedFunction[] = [];
  const visit = (node: ts.Node): void => {
    if (!isFunction(node) || !node.body) return ts.forEachChild(node, visit);
    const { shape, size } = shapeOf(node);
    if (size < smallest) return;
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    found.push({ file, line, name: nameOf(node), shape });
  };
  visit(source);
  return found;
}

function isFunction(
  node: ts.Node,
): node is ts.FunctionDeclaration | ts.MethodDeclaration | ts.FunctionExpression | ts.ArrowFunction {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node)
  );
}

function nameOf(node: ts.SignatureDeclaration): string {
  const named = node.name ? node : node.parent;
  const { name } = named as { name?: ts.Node };
  return name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)) ? name.text : "anonymous";
}

/**
 * Describes the syntax of a function's parameters and body. Names are numbered in the order of their first occurrence;
 * types, assertions and parentheses are left out.
 */
function shapeOf(node: ts.SignatureDeclaration & { readonly body?: ts.Node | undefined }): {
  shape: string;
  size: number;
} {
  const names = new Map<string, number>();
  let shape = "";
  let size = 0;
  const visit = (inner: ts.Node): void => {
    if (ts.isTypeNode(inner) || ts.isTypeParameterDeclaration(inner)) return;
    if (ts.isAsExpression(inner) || ts.isNonNullExpression(inner) || ts.isParenthesizedExpression(inner)) {
      visit(inner.expression);
      return;
    }
    size++;
    shape += `(${inner.kind}`;
    if (ts.isIdentifier(inner) || ts.isPrivateIdentifier(inner)) shape += ` ${numberOf(inner.text)}`;
    else if (ts.isLiteralExpression(inner)) shape += ` ${JSON.stringify(inner.text)}`;
    ts.forEachChild(inner, visit);
    shape += ")";
  };
  const numberOf = (name: string): number => {
    const known = names.get(name) ?? names.size;
    names.set(name, known);
    return known;
  };
  for (const parameter of node.parameters) visit(parameter);
  if (node.body) visit(node.body);
  return { shape, size };
}
