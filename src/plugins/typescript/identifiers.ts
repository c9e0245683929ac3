import { isDefaultControllerName } from "../../project/controller-name.ts";
import type { Resource } from "../../project/project.ts";
import { kindFile } from "../../project/paths.ts";

/** The prefix of a controller's class name: the kind, unless the controller has its own name. */
export function className(resource: Resource, controllerName: string): string {
  if (isDefaultControllerName(resource, controllerName)) return resource.kind;
  return controllerName
    .split("-")
    .map((word) => (word === kindFile(resource) ? resource.kind : capitalize(word)))
    .join("");
}

/**
 * The kind as a variable name: `firstMate` for FirstMate, `httpRoute` for HTTPRoute, and `mysql` for MySQL, where
 * consecutive capitals do not start a word. An underscore is appended to reserved words.
 */
export function variableName(kind: string): string {
  const start = /^(?:[A-Z0-9]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z])/u.exec(kind)?.[0] ?? "";
  const camelCase = start.toLowerCase() + kind.slice(start.length);
  const name = /[A-Z]{2}/u.test(camelCase) ? camelCase.toLowerCase() : camelCase;
  return keywords.has(name) ? `${name}_` : name;
}

const capitalize = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/** Reserved words, and names that the scaffolded functions already use. */
const keywords = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if implements import in instanceof interface let new null package private protected public return static " +
    "super switch this throw true try typeof var void while with yield async of eval arguments undefined " +
    "log request context manager cluster client created object expect test eventually"
  ).split(" "),
);
