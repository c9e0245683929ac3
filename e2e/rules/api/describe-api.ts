import { relative } from "node:path";
import ts from "typescript";

/** A package's entry points, by subpath: their declarations, as the build wrote them. */
export interface ApiSource {
  /** The folder with its declarations. */
  readonly folder: string;
  readonly entries: ReadonlyMap<string, string>;
}

/**
 * The names that users of a package can import, with their declarations, without comments: a text whose differences
 * show every change of the API to who reviews it. What is not exported itself, but is part of what is, stands at its
 * end.
 */
export function describeApi({ folder, entries }: ApiSource): string {
  const program = ts.createProgram([...entries.values()], {
    module: ts.ModuleKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  });
  const checker = program.getTypeChecker();
  const isOwn = (node: ts.Node): boolean => !relative(folder, node.getSourceFile().fileName).startsWith("..");
  const target = (symbol: ts.Symbol): ts.Symbol =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const exported = new Set<ts.Symbol>();
  const reached = new Set<ts.Symbol>();
  const printed = new Set<ts.Node>();

  const sections = [...entries].map(([subpath, file]) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!;
    const symbols = checker.getExportsOfModule(module).map((symbol) => [symbol.name, symbol] as const);
    for (const [, symbol] of symbols) exported.add(target(symbol));
    return [subpath, symbols] as const;
  });

  /** A symbol, and the name by which an entry point exports it if that isn't its own, or only as a type. */
  function describeExport(name: string, alias: ts.Symbol): string[] {
    const symbol = target(alias);
    if (symbol.declarations?.some((node) => ts.isSourceFile(node)))
      throw new Error(`${name}: export * as ${name} is not described`);
    const isType =
      (symbol.flags & ts.SymbolFlags.Value) !== 0 &&
      alias.declarations?.some((node) => ts.isTypeOnlyExportDeclaration(node)) === true;
    const clause = `export ${isType ? "type " : ""}{ ${symbol.name === name ? "" : `${symbol.name} as `}${name} }`;
    if (!symbol.declarations?.some(isOwn)) return [`${clause} from "${packageOf(symbol)}";`];
    return [...describe(symbol), ...(isType || symbol.name !== name ? [`${clause};`] : [])];
  }

  function describe(symbol: ts.Symbol): string[] {
    const declarations = (symbol.declarations ?? []).filter(isOwn);
    const statements = new Set(declarations.map(statementOf));
    for (const statement of statements) {
      printed.add(statement);
      reach(statement);
    }
    return [...statements].map((statement) => print(statement));
  }

  /** Adds the types that a declaration names. */
  function reach(node: ts.Node): void {
    if (isPrivate(node)) return;
    if (ts.isIdentifier(node)) {
      const found = checker.getSymbolAtLocation(node);
      const symbol = found && target(found);
      if (symbol?.declarations?.some((one) => isOwn(one) && isTopLevel(statementOf(one))))
        reached.add(symbol);
    }
    ts.forEachChild(node, reach);
  }

  const texts = sections.map(([subpath, symbols]) =>
    section(
      subpath,
      symbols.toSorted(byName).flatMap(([name, symbol]) => describeExport(name, symbol)),
    ),
  );
  const hidden = new Map<string, string[]>();
  // A Set also visits what is added on the way.
  for (const symbol of reached)
    if (!exported.has(symbol) && !symbol.declarations!.some((node) => printed.has(statementOf(node))))
      hidden.set(`${symbol.name} ${hidden.size}`, describe(symbol));
  const rest = [...hidden].toSorted(byName).flatMap(([, lines]) => lines);
  return [...texts, ...(rest.length > 0 ? [section("Not exported, but part of the above", rest)] : [])].join(
    "\n",
  );
}

/** The package that declares what another one exports again. */
function packageOf({ declarations = [] }: ts.Symbol): string {
  const file = declarations[0]?.getSourceFile().fileName ?? "";
  const [, ours, other] = /\/src\/(\w+)\/dist\/|.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(file) ?? [];
  return ours === undefined ? (other ?? "typescript") : `@tsbuilder/${ours}`;
}

const section = (title: string, lines: readonly string[]): string =>
  `## ${title}\n\n\`\`\`ts\n${lines.join("\n")}\n\`\`\`\n`;

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** A variable's statement; all other declarations are statements themselves. */
function statementOf(node: ts.Node): ts.Node {
  return ts.isVariableDeclaration(node) ? node.parent.parent : node;
}

const isTopLevel = (node: ts.Node): boolean => ts.isSourceFile(node.parent);

const printer = ts.createPrinter({ removeComments: true });

function print(statement: ts.Node): string {
  const { transformed } = ts.transform(statement, [withoutPrivates]);
  return printer.printNode(ts.EmitHint.Unspecified, transformed[0]!, statement.getSourceFile());
}

/** Users can't name private members. */
function withoutPrivates(context: ts.TransformationContext): ts.Transformer<ts.Node> {
  const visit = (node: ts.Node): ts.Node | undefined =>
    isPrivate(node) ? undefined : ts.visitEachChild(node, visit, context);
  return (node) => visit(node)!;
}

function isPrivate(node: ts.Node): boolean {
  if (ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name)) return true;
  return (
    ts.canHaveModifiers(node) &&
    (node.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword)
  );
}
