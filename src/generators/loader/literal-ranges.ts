import type ts from "typescript";
import * as parser from "./generated/parser.js";
import type { LiteralRange } from "./comments.ts";

/** The ranges of strings, templates and regular expressions in a file, in order; they contain no comments. */
export function literalRanges(source: ts.SourceFile): LiteralRange[] {
  const { SyntaxKind } = parser;
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
    if (literals.has(node.kind)) ranges.push([node.getStart(source), node.end]);
    else parser.forEachChild(node, visit);
  };
  visit(source);
  return ranges;
}
