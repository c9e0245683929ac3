import { SharedMappings, type YamlValue, emitYaml } from "@tsbuilder/apimachinery/yaml";

/** The properties of built-in types, whose YAML is written once: a pod template has ten thousand lines. */
export const sharedMappings = new SharedMappings();

/** Writes objects as one YAML file: the header as comments, with ` YEAR` replaced, then each object after a `---`. */
export function emitFile(
  objects: readonly object[],
  { header, year = "" }: { readonly header?: string; readonly year?: string },
): string {
  const top = header === undefined ? "" : toYamlComment(header.replaceAll(" YEAR", ` ${year}`));
  return top + objects.map((object) => `---\n${emitYaml(object as YamlValue, sharedMappings)}`).join("");
}

/** Converts the boilerplate, which is a comment for source files, to comments of YAML. */
function toYamlComment(header: string): string {
  const text = header.trim();
  if (text === "") return "";
  const lines = text.split("\n").map((line) => line.trimEnd());
  if (lines.every((line) => line === "" || line.startsWith("#"))) return `${lines.join("\n")}\n`;
  const bare = lines.map((line) =>
    line.replace(/^\s*(?:\/\*+|\*\/|\*|\/\/)? ?/u, "").replace(/\s*\*\/$/u, ""),
  );
  while (bare[0] === "") bare.shift();
  while (bare.at(-1) === "") bare.pop();
  return bare.map((line) => `${`# ${line}`.trimEnd()}\n`).join("");
}
