import type ts from "typescript";
import * as parser from "./generated/parser.js";
import { type LiteralRange, findComments } from "./comments.ts";
import { DeclarationReader } from "./declarations.ts";
import type { Augmentation, Declaration, ImportedName, Module, Reexport } from "./syntax.ts";
import { TsbuilderError } from "../../shared/errors.ts";

/** Comments are read by `findComments`, with their markers. */
export const parsing = {
  languageVersion: parser.ScriptTarget.Latest,
  jsDocParsingMode: parser.JSDocParsingMode.ParseNone,
};

/** Parses a source file into our own syntax. Its code is not run, and its imports are not resolved. */
export function parseModule(file: string, text: string): Module {
  const source = parser.createSourceFile(file, text, parsing);
  const { blocks: comments, trailing: trailingComments } = findComments(text, literalRanges(source));
  const reader = new DeclarationReader(source, comments);
  const imports = new Map<string, ImportedName>();
  const exports = new Map<string, string>();
  const reexports: Reexport[] = [];
  const augmentations: Augmentation[] = [];
  const declarations = new Map<string, Declaration[]>();

  for (const statement of source.statements) {
    if (parser.isImportDeclaration(statement)) readImport(statement, imports);
    else if (parser.isExportDeclaration(statement)) readExport(statement, exports, reexports);
    else if (parser.isExportAssignment(statement) && parser.isIdentifier(statement.expression)) {
      exports.set("default", statement.expression.text);
    } else if (parser.isModuleDeclaration(statement) && parser.isStringLiteral(statement.name)) {
      const added = new Map<string, Declaration[]>();
      reader.readBody(statement, "", added);
      augmentations.push({ specifier: statement.name.text, declarations: added });
    } else reader.read(statement, "", declarations, exports);
  }
  return {
    file,
    text,
    imports,
    exports,
    reexports,
    declarations,
    augmentations,
    comments,
    trailingComments,
    syntaxErrors: syntaxErrors(source),
  };
}

/** The ranges of strings, templates and regular expressions in a file, in order; they contain no comments. */
function literalRanges(source: ts.SourceFile): LiteralRange[] {
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

function readImport(statement: ts.ImportDeclaration, imports: Map<string, ImportedName>): void {
  const clause = statement.importClause;
  if (!clause || !parser.isStringLiteral(statement.moduleSpecifier)) return;
  const specifier = statement.moduleSpecifier.text;
  if (clause.name) imports.set(clause.name.text, { specifier, name: "default" });
  const bindings = clause.namedBindings;
  if (!bindings) return;
  if (parser.isNamespaceImport(bindings)) {
    imports.set(bindings.name.text, { specifier, name: "*" });
    return;
  }
  for (const element of bindings.elements) {
    imports.set(element.name.text, { specifier, name: (element.propertyName ?? element.name).text });
  }
}

function readExport(
  statement: ts.ExportDeclaration,
  exports: Map<string, string>,
  reexports: Reexport[],
): void {
  const specifier =
    statement.moduleSpecifier && parser.isStringLiteral(statement.moduleSpecifier)
      ? statement.moduleSpecifier.text
      : undefined;
  const clause = statement.exportClause;
  if (!clause) {
    if (specifier) reexports.push({ specifier, name: "*", exported: "*" });
  } else if (parser.isNamespaceExport(clause)) {
    if (specifier) reexports.push({ specifier, name: "*", exported: clause.name.text });
  } else {
    for (const element of clause.elements) {
      const name = (element.propertyName ?? element.name).text;
      const exported = element.name.text;
      if (specifier) reexports.push({ specifier, name, exported });
      else exports.set(exported, name);
    }
  }
}

/** The parser stores syntax errors in a field that is missing in its types. */
function syntaxErrors(source: ts.SourceFile): Module["syntaxErrors"] {
  const found = (source as unknown as { parseDiagnostics?: readonly ts.Diagnostic[] }).parseDiagnostics ?? [];
  return found.map(({ messageText, start = 0 }) => ({
    message: typeof messageText === "string" ? messageText : messageText.messageText,
    pos: start,
  }));
}

/** The parts of a module that the next process needs before it parses the module again. */
export interface KeptModule {
  readonly file: string;
  readonly text: string;
  readonly imports: Module["imports"];
  readonly exports: Module["exports"];
  readonly reexports: Module["reexports"];
}

/** Returns undefined for a module with syntax errors or `declare module`, which every run must parse. */
export function keepModule({
  file,
  text,
  imports,
  exports,
  reexports,
  augmentations,
  syntaxErrors,
}: Module): KeptModule | undefined {
  if (augmentations.length > 0 || syntaxErrors.length > 0) return undefined;
  return { file, text, imports, exports, reexports };
}

/** Restores a module. It is parsed at the first access to its declarations or comments. */
export function restoreModule(kept: KeptModule): Module {
  let parsed: Module | undefined;
  const parse = (): Module =>
    (parsed ??= refuseTooDeep(`"${kept.file}"`, () => parseModule(kept.file, kept.text)));
  return {
    ...kept,
    augmentations: [],
    syntaxErrors: [],
    get declarations() {
      return parse().declarations;
    },
    get comments() {
      return parse().comments;
    },
    get trailingComments() {
      return parse().trailingComments;
    },
  };
}

/** Reports an overflow of the stack as an error in the sources: programs may write thousands of nested types. */
export function refuseTooDeep<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError && error.message.includes("call stack"))) throw error;
    throw new TsbuilderError(`${what} nests its types too deeply`, {
      code: "INVALID_SOURCE",
      hint: "use fewer levels, or JSONValue from @tsbuilder/runtime for what has no end",
      cause: error,
    });
  }
}
