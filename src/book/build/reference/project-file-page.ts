import { features } from "../../../project/features.ts";
import { type ProjectKey, projectKeys } from "../../../project/keys.ts";
import { sentence } from "../../../shared/text.ts";
import { code, type Page, prose, table } from "./markdown.ts";

/** The keys of `PROJECT` and the features of a deployment. */
export const projectFilePage: Page = {
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
