import { pascalCase } from "@tsbuilder/apimachinery/text";
import {
  apiFolder,
  groupFolder,
  importPath,
  isDefaultControllerName,
  kindFile,
} from "../../project/names.ts";
import { type Project, type Resource, isSameKind } from "../../project/project.ts";
import { coreModule } from "../../project/core-groups.ts";
import type { Insert } from "../../scaffold/blueprint.ts";

/** Returns the license header of a source file with an empty line below it; empty without a license. */
export function fileHeader(boilerplate: string): string {
  return boilerplate === "" ? "" : `${boilerplate}\n\n`;
}

/** Returns the import specifier of a kind's types, relative to a file in the project. */
export function typesModule(project: Project, resource: Resource, file: string): string {
  const { origin } = resource;
  switch (origin.type) {
    case "own":
      return importPath(file, `${apiFolder(project, resource)}/${kindFile(resource)}_types.ts`);
    case "core":
      return coreModule(resource);
    case "external":
      return origin.module.startsWith("./") ? importPath(file, origin.module.slice(2)) : origin.module;
  }
}

/** Returns the prefix of a controller's class name: the kind, unless the controller has its own name. */
export function className(resource: Resource, controllerName: string): string {
  if (isDefaultControllerName(resource, controllerName)) return resource.kind;
  return controllerName
    .split("-")
    .map((word) => (word === kindFile(resource) ? resource.kind : capitalize(word)))
    .join("");
}

const capitalize = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

/**
 * Converts a kind to a variable name: `firstMate` for FirstMate, `httpRoute` for HTTPRoute, and `mysql` for MySQL,
 * where consecutive capitals do not start a word. An underscore is appended to reserved words.
 */
export function variableName(kind: string): string {
  const start = /^(?:[A-Z0-9]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z])/u.exec(kind)?.[0] ?? "";
  const camelCase = start.toLowerCase() + kind.slice(start.length);
  const name = /[A-Z]{2}/u.test(camelCase) ? camelCase.toLowerCase() : camelCase;
  return keywords.has(name) ? `${name}_` : name;
}

/** Reserved words, and names that the scaffolded functions already use. */
const keywords = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum export extends false finally for " +
    "function if implements import in instanceof interface let new null package private protected public return static " +
    "super switch this throw true try typeof var void while with yield async of eval arguments undefined " +
    "log request context manager cluster client created object expect test eventually"
  ).split(" "),
);

/**
 * Returns the import and the call that register a controller or webhook in the entry point: `setupMySQLController` and
 * the like. If several groups or versions have the same kind, the import gets a unique name, so that the user's file
 * stays unchanged.
 */
export function wireIn(project: Project, resource: Resource, file: string, name: string): Insert[] {
  const group = project.multigroup ? pascalCase(groupFolder(resource)) : "";
  const version = isFirst(project, resource) ? "" : pascalCase(resource.version);
  const setup = `setup${name}`;
  const local = `setup${group}${version}${name}`;
  const names = local === setup ? setup : `${setup} as ${local}`;
  return [
    { file: main, marker: "imports", text: `import { ${names} } from "${importPath(main, file)}";` },
    { file: main, marker: "setup", text: `${local}(manager);` },
  ];
}

const main = "src/main.ts";

function isFirst({ resources }: Project, resource: Resource): boolean {
  return resources.find((other) => isSameKind(other, resource))?.version === resource.version;
}
