import { pascalCase } from "@tsbuilder/apimachinery/text";
import { groupFolder, importPath } from "../../project/paths.ts";
import { isSameKind, type Project, type Resource } from "../../project/project.ts";
import type { Insert } from "../../scaffold/blueprint.ts";

const main = "src/main.ts";

/**
 * The import and the call that register something in the entry point: `setupMySQLController` and the like. If several
 * groups or versions have the same kind, it is imported under a unique name, so that the user's file stays unchanged.
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

function isFirst({ resources }: Project, resource: Resource): boolean {
  return resources.find((other) => isSameKind(other, resource))?.version === resource.version;
}
