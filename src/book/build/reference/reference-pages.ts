import { readFileSync } from "node:fs";
import { join } from "node:path";
import { alertsPage, metricsPage } from "./metrics-page.ts";
import { apiPages, readExports } from "./api-pages.ts";
import { commandsPage } from "./commands-page.ts";
import { environmentPage, operatorFlagsPage } from "./environment-page.ts";
import { type Page, anchorOf, code, prose, renderPage, table } from "./markdown.ts";
import { bookAddress } from "../../../shared/book-address.ts";
import { advice, docs } from "../../../simulation/explore/advice.ts";
import { sentence } from "../../../shared/text.ts";
import { explainedCodes, explainedSystemCodes } from "../../../cli/commands/explain.ts";
import { features } from "../../../project/project.ts";
import { type ProjectKey, projectKeys } from "../../../project/keys.ts";
import { markerFamilies } from "../../../generators/markers/families/index.ts";
import { type MarkerHelp, markerHelp, usageOf } from "../../../generators/markers/help.ts";

/** Returns the pages that are made from the code: paths below `src/book`, each with its Markdown. */
export async function referencePages(symbols = readExports()): Promise<ReadonlyMap<string, string>> {
  const pages: Readonly<Record<string, Page>> = {
    commands: await commandsPage(),
    markers: markersPage(),
    "project-file": projectFilePage,
    errors: errorsPage,
    "operator-flags": operatorFlagsPage,
    metrics: metricsPage(),
    alerts: alertsPage(),
    environment: environmentPage,
    "simulation-classes": classesPage,
    ...apiPages(symbols),
  };
  return new Map(Object.entries(pages).map(([name, page]) => [`reference/${name}.md`, renderPage(page)]));
}

const folder = join(import.meta.dirname, "../../../generators/markers");

const help = new Map(markerHelp().map((marker) => [marker.name, marker]));

/** Returns the page of all markers, with the examples that are the tests of the generators. */
function markersPage(): Page {
  return {
    title: "Markers",
    order: 2,
    body: [
      `A marker is a comment that begins with ${code("+")}: it says what a TypeScript type can't. ${code("tsbuilder manifests --markers")} lists them, and ${code("tsbuilder manifests")} applies them. Each example below is a test of the generators.`,
      ...markerFamilies.flatMap(({ title }) => [`**[${title}](#${anchorOf(title)})**`, overview(title)]),
      ...markerFamilies.map(({ name }) => readerPage(join(folder, "families", `${name}.md`))),
      readerPage(join(folder, "jsdoc-tags.md")),
    ],
  };
}

function overview(family: string): string {
  return table(
    ["marker", "on", "what it does"],
    [...help.values()]
      .filter((marker) => marker.family === family)
      .map(({ name, targets, summary }) => [
        `[${code(`+${name}`)}](#${anchorOf(name)})`,
        targets,
        prose(summary),
      ]),
  );
}

/** Converts a page of the generators' tests into a section: sources with their results, and rejected sources. */
function readerPage(file: string): string {
  return readFileSync(file, "utf8")
    .replaceAll(/^(#+ )/gmu, "#$1")
    .replaceAll(/^### `\+(.+)`$/gmu, (heading, name: string) => `${heading}\n\n${describe(help.get(name)!)}`)
    .replaceAll(/^```ts refused\n(.*?)^```\n\n```text\n(.*?)^```$/gmsu, rejected)
    .replaceAll(/^(```yaml) \w+$/gmu, "$1")
    .trimEnd();
}

function rejected(_: string, source: string, messages: string): string {
  const lines = messages.trimEnd().split("\n");
  return `Rejected:\n\n\`\`\`ts\n${source}\`\`\`\n\n${lines.map((line) => `- ${code(line)}`).join("\n")}`;
}

function describe(marker: MarkerHelp): string {
  const { targets, forItems, arguments: args } = marker;
  const items = forItems ? `; with ${code("items:")} before its last part, for the elements of a list` : "";
  const named = args.filter(({ name }) => name !== "");
  return [
    `${code(usageOf(marker))} on ${targets}${items}.`,
    ...(named.length === 0 ? [] : [argumentsTable(named)]),
  ].join("\n\n");
}

function argumentsTable(args: MarkerHelp["arguments"]): string {
  return table(
    ["argument", "type", "what it says"],
    args.map(({ name, type, optional, summary }) => [
      code(name),
      `${type}${optional ? "" : ", required"}`,
      prose(summary),
    ]),
  );
}

/** The page of the keys of `PROJECT` and the features of a deployment. */
const projectFilePage: Page = {
  title: "The PROJECT file",
  order: 3,
  body: [
    `${code("PROJECT")} says what the project consists of; all scaffolded files follow from it. The commands change it, and keep your own keys and comments. Keys that kubebuilder's file has, too, mean the same, but for ${code("path")}, which is a Go package there; the others are tsbuilder's own. A key without a value is absent.`,
    ...sections(),
    "## Features",
    `${code("tsbuilder edit --enable")} adds features, ${code("--disable")} removes them. What a feature needs is named together with it: ${code("--enable metrics,prometheus")}.`,
    table(
      ["feature", "what it does", "needs", "excludes"],
      Object.entries(features).map(([name, feature]) => [
        code(name),
        sentence(prose(feature.summary)),
        codes("needs" in feature ? feature.needs : []),
        codes("excludes" in feature ? feature.excludes : []),
      ]),
    ),
  ],
};

function sections(): string[] {
  const all = Object.entries(projectKeys);
  const below = (key: string) => all.filter(([path]) => path.startsWith(key));
  return [
    "## The project",
    keysTable(all.filter(([path]) => !/[.[]/u.test(path))),
    "## Kinds",
    `The keys of an item of ${code("resources")}:`,
    keysTable(below("resources[]."), "resources[]."),
    "## Plugins",
    `The keys below ${code("plugins")}, where ${code("KEY")} is the plugin's key:`,
    keysTable(below("plugins."), "plugins."),
  ];
}

function keysTable(keys: readonly (readonly [string, ProjectKey])[], prefix = ""): string {
  return table(
    ["key", "type", "what it says", "set by"],
    keys.map(([path, { type, summary, setBy }]) => [
      code(path.slice(prefix.length)),
      type,
      prose(summary),
      setBy === undefined ? "" : codes(setBy.split(", ").map((command) => `tsbuilder ${command}`)),
    ]),
  );
}

function codes(words: readonly string[]): string {
  return words.map(code).join(", ");
}

/** The page of all error codes, with meaning and remedy, as `tsbuilder explain` prints them. */
const errorsPage: Page = {
  title: "Error codes",
  order: 4,
  body: [
    `A command that fails says what failed and what to do about it; ${code("--output json")} adds the error's code. ${code("tsbuilder explain CODE")} prints what this page says about one, without a network.`,
    ...Object.entries(explainedCodes)
      .filter(([name]) => !Object.hasOwn(explainedSystemCodes, name))
      .flatMap(([name, { meaning, remedy }]) => [`## ${name}`, prose(meaning), prose(remedy)]),
    "## Errors of the operating system",
    "These codes are the operating system's own. The message names the file, the program or the address.",
    table(
      ["code", "meaning", "what to do"],
      Object.entries(explainedSystemCodes).map(([name, { meaning, remedy }]) => [
        code(name),
        prose(meaning),
        prose(remedy),
      ]),
    ),
  ],
};

/** The page of the classes of mistakes that the simulation finds. */
const classesPage: Page = {
  title: "Classes of simulated failures",
  order: 9,
  body: [
    `The simulation names each failure by its class, after what is left once the story has been made as short as it gets. What a class means stands below, and in ${code("failure.story")}.`,
    ...Object.entries(advice).flatMap(([name, text]) => [
      `## ${name}`,
      sentence(text),
      `[More about it](${pageOf(docs[name as keyof typeof docs])}).`,
    ]),
  ],
};

/** Converts a link to the published book into one from a page of the reference. */
function pageOf(link: string): string {
  return link.replace(bookAddress, "../").replace(/\.html(?=#|$)/u, ".md");
}
