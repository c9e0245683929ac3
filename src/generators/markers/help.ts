import type { ArgumentType } from "./definition.ts";
import { markerFamilies } from "./families/index.ts";
import { describeTargets } from "./registry.ts";

interface MarkerArgumentHelp {
  /** Empty for a marker with a single value. */
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  readonly summary: string;
}

/** The help for a marker, as `tsbuilder manifests --markers` prints it. */
export interface MarkerHelp {
  readonly family: string;
  readonly name: string;
  readonly targets: string;
  readonly summary: string;
  /** With `items:` before its last part, it applies to the elements of a list. */
  readonly forItems: boolean;
  readonly arguments: readonly MarkerArgumentHelp[];
}

/** Lists all markers, or those whose name contains a text, as plain data that can be printed as JSON. */
export function markerHelp(part = ""): MarkerHelp[] {
  return markerFamilies.flatMap(({ title, markers }) =>
    markers
      .filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()))
      .map(({ name, targets, summary, forItems = false, arguments: args }) => ({
        family: title,
        name,
        targets: describeTargets(targets),
        summary,
        forItems,
        arguments: Object.entries(args).map(([argument, definition]) => ({
          name: argument,
          type: describeType(definition as ArgumentType),
          optional: definition.optional === true,
          summary: definition.summary ?? "",
        })),
      })),
  );
}

/** The name of a type in help texts and errors. */
function describeType(type: ArgumentType): string {
  if (type.type === "list") return `list of ${describeType(type.item)}`;
  if (type.type === "map") return `map of ${describeType(type.item)}`;
  return type.type;
}

/** Longer lists would not fit a screen with details. */
const maxDetailed = 12;

/** Formats markers for a terminal: by family, each on one line; a short list has their places and arguments, too. */
export function formatMarkerHelp(markers: readonly MarkerHelp[]): string {
  const families = [...new Set(markers.map(({ family }) => family))];
  const isDetailed = markers.length <= maxDetailed;
  return families
    .map((family) => {
      const lines = markers
        .filter((marker) => marker.family === family)
        .flatMap((marker) => [
          `${usageOf(marker)}  ${marker.summary}`,
          ...(isDetailed ? formatDetails(marker) : []),
        ]);
      return `${family}\n${lines.map((line) => `  ${line}\n`).join("")}`;
    })
    .join("\n");
}

/** Returns the form of a marker in a source: `+name=<int>`. */
export function usageOf({ name, arguments: args }: MarkerHelp): string {
  const [first] = args;
  const value =
    first === undefined
      ? ""
      : first.name === ""
        ? `=<${first.type}>`
        : `:${args.map((arg) => `${arg.name}=<${arg.type}>`).join(",")}`;
  return `+${name}${value}`;
}

function formatDetails({ targets, forItems, arguments: args }: MarkerHelp): string[] {
  const where = `  on ${targets}${forItems ? "; with items: for the elements of a list" : ""}`;
  const named = args.filter(({ name }) => name !== "");
  return [
    where,
    ...named.map(({ name, optional, summary }) => `  ${name}${optional ? "?" : ""}  ${summary}`.trimEnd()),
  ];
}
