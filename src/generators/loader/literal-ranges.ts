import type { LiteralRange } from "./comments.ts";
import { type ts, typescript } from "./typescript.ts";

/** Where strings, templates and regular expressions stand in a file, in order: comments are not looked for there. */
export function literalRanges(source: ts.SourceFile): LiteralRange[] {
  const { SyntaxKind, forEachChild } = typescript();
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
    if (literals.has(node.kind)) ranges.push([node.getStart(source, false), node.end]);
    else forEachChild(node, visit);
  };
  visit(source);
  return ranges;
}
