import { readdirSync } from "node:fs";
import { join } from "node:path";
import { declarationText } from "./declaration-text.ts";
import { type ExportedSymbol, ExportedSymbols } from "./exported-symbols.ts";
import { Anchors, code, codeBlock, type Page, table } from "./markdown.ts";

/** An entry point: what a program imports, and the source that it names. */
interface Entry {
  readonly name: string;
  readonly module: string;
}

interface ApiPage {
  readonly title: string;
  readonly intro: string;
  readonly entries: readonly Entry[];
}

const apimachinery = join(import.meta.dirname, "../../../apimachinery");
const subpaths = readdirSync(apimachinery, { withFileTypes: true })
  .filter(
    (folder) => folder.isDirectory() && readdirSync(join(apimachinery, folder.name)).includes("index.ts"),
  )
  .map(({ name }) => name);

const pages: Readonly<Record<string, ApiPage>> = {
  runtime: {
    title: "@tsbuilder/runtime",
    intro: `What operators are made of: client, cache, controllers, manager, webhooks. The types of the built-in kinds are in ${code("@tsbuilder/runtime/k8s/GROUP/VERSION")}, such as ${code("k8s/apps/v1")}.`,
    entries: [{ name: "@tsbuilder/runtime", module: "src/runtime/index.ts" }],
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

/** Every entry point that has a page. */
export const entries = Object.values(pages).flatMap((page) => page.entries);

/** Reads what our packages export; takes seconds. */
export function readExports(): ExportedSymbols {
  return new ExportedSymbols(entries.map(({ module }) => module));
}

/** Everything that our packages export, with its package. */
export function allExports(symbols: ExportedSymbols): (ExportedSymbol & { readonly from: string })[] {
  return entries.flatMap(({ name, module }) =>
    symbols.of(module).map((symbol) => ({ ...symbol, from: name })),
  );
}

/** A page for each package, by its name: signatures and doc comments. */
export function apiPages(symbols: ExportedSymbols): Record<string, Page> {
  return Object.fromEntries(
    Object.entries(pages).map(([name, page], i) => [
      `api/${name}`,
      { title: page.title, order: 20 + i, body: [page.intro, ...describeEntries(page, symbols)] },
    ]),
  );
}

function describeEntries({ title, entries: own }: ApiPage, symbols: ExportedSymbols): string[] {
  const anchors = new Anchors();
  anchors.add(title);
  if (own.length === 1) return describeModule(symbols, own[0]!.module, "##", anchors);
  return own.flatMap(({ name, module }) => {
    anchors.add(name);
    return [`## ${name}`, ...describeModule(symbols, module, "###", anchors)];
  });
}

function describeModule(
  symbols: ExportedSymbols,
  module: string,
  heading: string,
  anchors: Anchors,
): string[] {
  const exported = symbols.of(module);
  return [
    table(
      ["name", "what it is"],
      exported.map(({ name, doc }) => [`[${code(name)}](#${anchors.add(name)})`, firstSentence(doc)]),
    ),
    ...exported.flatMap((symbol) => [
      `${heading} ${symbol.name}`,
      escapeTypes(symbol.doc),
      codeBlock("ts", textOf(symbol, symbols)),
      `Source: ${code(symbol.file)}`,
    ]),
  ];
}

/** A function's implementation is not among its overloads. */
function textOf({ declarations }: ExportedSymbol, { checker }: ExportedSymbols): string {
  const bare = declarations.filter((one) => !("body" in one) || one.body === undefined);
  const shown = bare.length > 0 && declarations.length > 1 ? bare : declarations;
  return [...new Set(shown.map((one) => declarationText(one, checker)))].join("\n");
}

const firstSentence = (doc: string): string => escapeTypes(/^.*?(?:\.(?=\s|$)|$)/su.exec(doc)![0]);

/** Doc comments are Markdown, but not HTML: types such as `Map<string, T>` stand in some outside of code. */
const escapeTypes = (doc: string): string =>
  doc
    .split(/(`[^`]*`)/u)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll("<", "\\<")))
    .join("");
