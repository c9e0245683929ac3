import { coreModule } from "../../project/core-groups.ts";
import { apiFolder, importPath, kindFile } from "../../project/paths.ts";
import type { Project, Resource } from "../../project/project.ts";

/** The import specifier of a kind's types, relative to a file in the project. */
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
