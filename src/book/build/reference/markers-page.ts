import { readFileSync } from "node:fs";
import { join } from "node:path";
import { markerFamilies } from "../../../generators/markers/families/index.ts";
import { type MarkerHelp, markerHelp, usageOf } from "../../../generators/markers/help.ts";
import { anchorOf, code, type Page, prose, table } from "./markdown.ts";

const folder = join(import.meta.dirname, "../../../generators/markers");
const help = new Map(markerHelp().map((marker) => [marker.name, marker]));

/** Every marker, with the examples that are the tests of the generators. */
export function markersPage(): Page {
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

/** A page of the generators' tests as a section: what the generators make of a block, and what they reject. */
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
