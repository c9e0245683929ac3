import { fileHeader } from "../plugins/typescript/file-header.ts";
import { typesModule } from "../plugins/typescript/types-module.ts";
import type { ProjectFacts, SetupFacts } from "../dev/written-test/project-facts.ts";
import { importPath } from "../project/paths.ts";
import { hasWebhooks, type Project, qualifiedGroup } from "../project/project.ts";
import type { Tree } from "../scaffold/tree.ts";
import { TsbuilderError } from "../shared/errors.ts";
import { readHeader } from "./plan-project.ts";

const entryPoint = "src/main.ts";

/** What a test has to know of a project to be written to a file of it. */
export function writtenTestFacts(project: Project, tree: Tree, file: string): ProjectFacts {
  const setups = setupsOf(tree.read(entryPoint) ?? "", file);
  if (setups.length === 0) {
    throw new TsbuilderError(`"${entryPoint}" calls no setup function of a controller`, {
      code: "INVALID_PROJECT",
      hint: "a test is written for what it registers: create a controller with tsbuilder create api",
    });
  }
  return {
    header: fileHeader(readHeader(tree) ?? ""),
    kinds: project.resources
      .filter(({ origin }) => origin.type !== "core")
      .map((resource) => ({
        apiVersion: `${qualifiedGroup(resource)}/${resource.version}`,
        kind: resource.kind,
        module: typesModule(project, resource, file),
        isOwn: resource.origin.type === "own",
      })),
    setups,
    hasWebhooks: project.resources.some(hasWebhooks),
  };
}

/** The setup functions of controllers that the entry point imports and calls. */
function setupsOf(text: string, file: string): SetupFacts[] {
  return [...text.matchAll(/^import \{ (setup\w+Controller)(?: as (\w+))? \} from "\.\/([^"]+)";$/gmu)]
    .map(([, name = "", local = name, path = ""]) => ({
      name,
      local,
      module: importPath(file, `src/${path}`),
    }))
    .filter(({ local }) => text.includes(`\n${local}(manager);`));
}
