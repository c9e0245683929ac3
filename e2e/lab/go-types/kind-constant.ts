import { pluralize } from "../../../src/apimachinery/naming/index.ts";
import { stringLiteral } from "../../../src/shared/source-text.ts";
import { markerArguments } from "./enum-values.ts";
import { type GoPackage, type GoTypeDeclaration, linesOf, markerValueOf } from "./go-package.ts";
import type { ModuleNames } from "./module-names.ts";

/** The call of `defineKind`, which says what Go says in markers. */
export function kindConstant(
  { name, comments }: GoTypeDeclaration,
  written: GoPackage,
  names: ModuleNames,
): string {
  const group = markerValueOf(written.markers, "groupName") ?? "";
  const version = markerValueOf(written.markers, "versionName") ?? written.name;
  const resources = linesOf(comments).filter((line) => /^\s*\+kubebuilder:resource:/u.test(line));
  const resource = Object.assign({}, ...resources.map(markerArguments)) as Readonly<Record<string, unknown>>;
  const plural = typeof resource["path"] === "string" ? resource["path"] : pluralize(name.toLowerCase());
  const scope = resource["scope"] === "Cluster" ? ', scope: "Cluster"' : "";
  const groupVersion = `{ group: ${stringLiteral(unquote(group))}, version: ${stringLiteral(version)} }`;
  return `export const ${name} = ${names.runtime("defineKind")}<${name}>(${groupVersion}, { kind: "${name}", plural: "${plural}"${scope} });\n`;
}

function unquote(text: string): string {
  return text.replace(/^"(.*)"$/u, "$1");
}
