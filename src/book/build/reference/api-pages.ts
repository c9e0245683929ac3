// The pages of our packages' exports. First the tables of pages and entry points, then a page's Markdown, then the exports as
// TypeScript's compiler reads them, then the text of one declaration.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { Anchors, type Page, code, codeBlock, table } from "./markdown.ts";

const repository = join(import.meta.dirname, "../../../..");
const apimachinery = join(repository, "src/apimachinery");

/** The folders of apimachinery that programs import: those with an index. */
const subpaths = readdirSync(apimachinery, { withFileTypes: true })
  .filter(
    (folder) => folder.isDirectory() && readdirSync(join(apimachinery, folder.name)).includes("index.ts"),
  )
  .map(({ name }) => name);

/** An entry point: the specifier that programs import, and its source. */
interface Entry {
  readonly name: string;
  readonly module: string;
}

/** A page, and the entry points that it describes. */
interface ApiPage {
  readonly title: string;
  readonly intro: string;
  readonly entries: readonly Entry[];
}

const pages: Readonly<Record<string, ApiPage>> = {
  runtime: {
    title: "@tsbuilder/runtime",
    intro: `What operators are made of: client, cache, controllers, manager, webhooks. The types of the built-in kinds are in ${code("@tsbuilder/runtime/k8s/GROUP/VERSION")}, such as ${code("k8s/apps/v1")}.`,
    entries: [{ name: "@tsbuilder/runtime", module: "src/runtime/index.ts" }],
  },
  "runtime-advanced": {
    title: "@tsbuilder/runtime/advanced",
    intro:
      "Types of options that are mostly written in place, and what tools are built on: caches, requests, channels.",
    entries: [{ name: "@tsbuilder/runtime/advanced", module: "src/runtime/advanced.ts" }],
  },
  "runtime-testing": {
    title: "@tsbuilder/runtime/testing",
    intro: "Helpers for the tests of operators.",
    entries: [{ name: "@tsbuilder/runtime/testing", module: "src/runtime/testing/index.ts" }],
  },
  "runtime-client-node": {
    title: "@tsbuilder/runtime/client-node",
    intro: `The runtime together with ${code("@kubernetes/client-node")}.`,
    entries: [{ name: "@tsbuilder/runtime/client-node", module: "src/runtime/client-node/index.ts" }],
  },
  cluster: {
    title: "@tsbuilder/cluster",
    intro: "The embedded cluster, and clusters for tests.",
    entries: [
      { name: "@tsbuilder/cluster", module: "src/cluster/index.ts" },
      { name: "@tsbuilder/cluster/testing", module: "src/cluster/testing/index.ts" },
    ],
  },
  simulation: {
    title: "@tsbuilder/simulation",
    intro: "An operator and its whole world in one process, under one clock and one seed.",
    entries: [{ name: "@tsbuilder/simulation", module: "src/simulation/index.ts" }],
  },
  scaffold: {
    title: "tsbuilder/scaffold",
    intro: "What plugins use to contribute files, lines and flags.",
    entries: [{ name: "tsbuilder/scaffold", module: "src/plugins/library.ts" }],
  },
  generators: {
    title: "tsbuilder/generators",
    intro: "The generators as functions.",
    entries: [{ name: "tsbuilder/generators", module: "src/generators/library.ts" }],
  },
  apimachinery: {
    title: "@tsbuilder/apimachinery",
    intro: `The vocabulary that runtime, cluster and generators share. Operators need little of it: ${code("@tsbuilder/runtime")} exports what they do. The types of the built-in kinds are in ${code("@tsbuilder/apimachinery/k8s/GROUP/VERSION")}.`,
    entries: subpaths.map((name) => ({
      name: `@tsbuilder/apimachinery/${name}`,
      module: `src/apimachinery/${name}/index.ts`,
    })),
  },
};

/** All entry points that have a page. */
export const entries = Object.values(pages).flatMap((page) => page.entries);

/** The place of the first page. The other pages of the reference come before it. */
const firstOrder = 20;

/** The number of exports up to which they stand on the package's own page: hundreds of them load slowly, and nobody finds one. */
const mostExports = 60;

/** Returns a page for each package, by its name, with signatures and doc comments; a large package has a page for each chapter. */
export function apiPages(symbols: ExportedSymbols): Record<string, Page> {
  return Object.fromEntries(
    Object.entries(pages).flatMap(([name, { title, intro, entries }], index): [string, Page][] => {
      const order = firstOrder + index;
      const modules = entries.map((entry) => ({ ...entry, exported: symbols.exportsOf(entry.module) }));
      if (modules.reduce((sum, { exported }) => sum + exported.length, 0) <= mostExports) {
        const anchors = new Anchors();
        anchors.add(title);
        const body = modules.flatMap((module) => {
          if (modules.length === 1) return describeExports(symbols, module.exported, "##", anchors);
          anchors.add(module.name);
          return [`## ${module.name}`, ...describeExports(symbols, module.exported, "###", anchors)];
        });
        return [[`api/${name}`, { title, order, body: [intro, ...body] }]];
      }
      const chapters = modules.length === 1 ? chaptersOf(title, modules[0]!.exported) : modules;
      const file = (chapter: string): string => chapter.slice(title.length).replaceAll(/\W+/gu, "");
      const folder = name.slice(name.lastIndexOf("/") + 1);
      const rows = chapters.flatMap((chapter) => {
        const anchors = new Anchors();
        anchors.add(chapter.name);
        return chapter.exported.map((one) => {
          const address = `${folder}/${file(chapter.name)}.md#${anchors.add(one.name)}`;
          return { name: one.name, cells: [`[${code(one.name)}](${address})`, firstSentence(one.doc)] };
        });
      });
      const sorted =
        modules.length === 1 ? rows.toSorted((a, b) => a.name.localeCompare(b.name, "en")) : rows;
      const overview = table(
        ["name", "what it is"],
        sorted.map(({ cells }) => cells),
      );
      return [
        [`api/${name}`, { title, order, body: [intro, overview] }],
        ...chapters.map((chapter): [string, Page] => {
          const anchors = new Anchors();
          anchors.add(chapter.name);
          const what = `A part of [${title}](../${folder}.md), whose page lists the names of all parts.`;
          const body = [what, ...describeExports(symbols, chapter.exported, "##", anchors)];
          return [`api/${name}/${file(chapter.name)}`, { title: chapter.name, order, body }];
        }),
      ];
    }),
  );
}

/** A part of a package. */
interface Chapter {
  /** Begins with the title of the package. */
  readonly name: string;
  readonly exported: readonly ExportedSymbol[];
}

/** The number of exports from which on a folder of sources is a chapter of its own. */
const leastOfChapter = 5;

/** Returns the chapters of a package: its folders of sources, with all small ones together. */
function chaptersOf(title: string, exported: readonly ExportedSymbol[]): Chapter[] {
  const folderOf = ({ file }: ExportedSymbol): string => file.split("/")[2]!;
  const groups = [...new Set(exported.map(folderOf))].map((folder) => ({
    name: `${title}: ${folder}`,
    exported: exported.filter((one) => folderOf(one) === folder),
  }));
  const chapters = groups.filter((group) => group.exported.length >= leastOfChapter);
  const rest = exported.filter((one) => !chapters.some((chapter) => chapter.exported.includes(one)));
  return [
    ...chapters.toSorted((a, b) => a.name.localeCompare(b.name, "en")),
    ...(rest.length > 0 ? [{ name: `${title}: more`, exported: rest }] : []),
  ];
}

function describeExports(
  symbols: ExportedSymbols,
  exported: readonly ExportedSymbol[],
  heading: string,
  anchors: Anchors,
): string[] {
  return [
    table(
      ["name", "what it is"],
      exported.map(({ name, doc }) => [`[${code(name)}](#${anchors.add(name)})`, firstSentence(doc)]),
    ),
    ...exported.flatMap((symbol) => [
      `${heading} ${symbol.name}`,
      escapeTypes(symbol.doc),
      codeBlock("ts", declarationsText(symbol, symbols)),
      `Source: ${code(symbol.file)}`,
    ]),
  ];
}

/** Returns all declarations of a symbol, such as overloads, without the implementation of overloads. */
function declarationsText({ declarations }: ExportedSymbol, { checker }: ExportedSymbols): string {
  const bodiless = declarations.filter((node) => !("body" in node) || node.body === undefined);
  const shown = bodiless.length > 0 && declarations.length > 1 ? bodiless : declarations;
  return [...new Set(shown.map((node) => declarationText(node, checker)))].join("\n");
}

const firstSentence = (doc: string): string => escapeTypes(/^.*?(?:\.(?=\s|$)|$)/su.exec(doc)![0]);

/** Escapes a doc comment. It is Markdown, but not HTML: some contain types such as `Map<string, T>` outside of code. */
const escapeTypes = (doc: string): string =>
  doc
    .split(/(`[^`]*`)/u)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "\\<")))
    .join("");

/** Reads the exports of our packages, which takes seconds. */
export function readExports(): ExportedSymbols {
  return new ExportedSymbols(entries.map(({ module }) => module));
}

/** An export of a module; if it is a re-export, of the symbol behind it. */
interface ExportedSymbol {
  readonly name: string;
  /** The doc comment as Markdown; empty without one. */
  readonly doc: string;
  readonly declarations: readonly ts.Declaration[];
  /** The source: `src/runtime/queue/work-queue.ts`. */
  readonly file: string;
}

/** Reads the exports of modules by TypeScript's compiler, sorted by name. */
class ExportedSymbols {
  readonly #program: ts.Program;
  readonly checker: ts.TypeChecker;

  constructor(modules: readonly string[]) {
    const { config } = ts.readConfigFile(join(repository, ".config/tsconfig.strict.json"), (file) =>
      readFileSync(file, "utf8"),
    ) as { config: object };
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
    this.#program = ts.createProgram(
      modules.map((module) => join(repository, module)),
      { ...options, noEmit: true },
    );
    this.checker = this.#program.getTypeChecker();
  }

  /** Returns the exports of a module. */
  exportsOf(module: string): ExportedSymbol[] {
    const source = this.#program.getSourceFile(join(repository, module))!;
    const exported = this.checker.getExportsOfModule(this.checker.getSymbolAtLocation(source)!);
    return exported
      .map((symbol) => this.#read(symbol))
      .toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  }

  #read(symbol: ts.Symbol): ExportedSymbol {
    const { checker } = this;
    const origin = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const declarations = origin.declarations ?? [];
    return {
      name: symbol.name,
      doc: ts.displayPartsToString(origin.getDocumentationComment(checker)),
      declarations,
      file: declarations[0]!.getSourceFile().fileName.slice(repository.length + 1),
    };
  }
}

/** Returns a declaration as its users see it: without bodies, values and private members, and with inferred types. */
export function declarationText(declaration: ts.Declaration, checker: ts.TypeChecker): string {
  if (ts.isFunctionDeclaration(declaration)) return signatureText(declaration, checker);
  if (ts.isVariableDeclaration(declaration))
    return `const ${declaration.name.getText()}: ${typeText(declaration, checker)};`;
  if (ts.isClassDeclaration(declaration)) return classText(declaration, checker);
  if (ts.isTypeAliasDeclaration(declaration) && /\btypeof\b/u.test(declaration.type.getText()))
    return `type ${declaration.name.text} = ${expandedType(declaration, checker)};`;
  return withoutExport(declaration.getText());
}

const typeFormat = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;

/** Writes out a type that is derived from a constant, which readers can't see. */
function expandedType(declaration: ts.TypeAliasDeclaration, checker: ts.TypeChecker): string {
  const type = checker.getTypeAtLocation(declaration);
  return checker.typeToString(type, declaration, typeFormat | ts.TypeFormatFlags.InTypeAlias);
}

const withoutExport = (text: string): string => text.replace(/^export (?:declare )?/u, "");

/** Returns a signature without the body, and with the result's type. */
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
  const spaced = members.map((text, index) => (index > 0 && text.startsWith("  /**") ? `\n${text}` : text));
  return [withoutExport(node.getText().slice(0, open)), ...spaced, "}"].join("\n");
}

function isPublic(member: ts.ClassElement): boolean {
  const hiddenFlags = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  if (member.name && ts.isPrivateIdentifier(member.name)) return false;
  return (
    (ts.getCombinedModifierFlags(member) & hiddenFlags) === 0 && !ts.isClassStaticBlockDeclaration(member)
  );
}

/** Returns whether a declaration is the implementation of overloads, which callers don't see. */
function implementsOverloads(member: ts.ClassElement, { members }: ts.ClassDeclaration): boolean {
  if (!ts.isMethodDeclaration(member) || member.body === undefined) return false;
  const name = member.name.getText();
  return members.some(
    (other) => ts.isMethodDeclaration(other) && other.body === undefined && other.name.getText() === name,
  );
}

function memberText(member: ts.ClassElement, checker: ts.TypeChecker): string {
  const comments = ts.getJSDocCommentsAndTags(member).map((comment) => comment.getText());
  return [...comments, memberDeclaration(member, checker)].map(unindent).join("\n");
}

function memberDeclaration(member: ts.ClassElement, checker: ts.TypeChecker): string {
  if (ts.isPropertyDeclaration(member)) {
    const end = (member.questionToken ?? member.name).getEnd() - member.getStart();
    return `${member.getText().slice(0, end)}: ${typeText(member, checker)};`;
  }
  if (ts.isFunctionLike(member)) return signatureText(member as ts.FunctionLikeDeclaration, checker);
  return member.getText();
}

/** Removes the two columns by which the members of a class are indented. */
const unindent = (text: string): string => text.replaceAll(/\n {2}/gu, "\n");
const indent = (text: string): string => `  ${text.replaceAll("\n", "\n  ")}`;
