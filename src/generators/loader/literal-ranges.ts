import type { LiteralRange } from "./comments.ts";
import { type ts, typescript } from "./typescript.ts";

/** The ranges of strings, templates and regular expressions in a file, in order; they contain no comments. */
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
