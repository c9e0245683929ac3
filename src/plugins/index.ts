import { hasWebhooks, type Project } from "../project/project.ts";
import { type Blueprint, joinBlueprints } from "../scaffold/blueprint.ts";
import { kustomize } from "./kustomize/index.ts";
import type { Plugin, ScaffoldInputs } from "./plugin.ts";
import { typescript } from "./typescript/index.ts";

/** In the order in which their files are reported. */
const plugins: readonly Plugin[] = [typescript, kustomize];

/** The blueprint of a project; it depends only on the description, not on the commands that led to it. */
export function describeProject(project: Project, inputs: ScaffoldInputs): Blueprint {
  return joinBlueprints(
    ...plugins.map((plugin) => plugin.init(project, inputs)),
    ...project.resources.flatMap((resource) => [
      ...plugins.map((plugin) => plugin.createApi(project, resource, inputs)),
      ...(hasWebhooks(resource)
        ? plugins.map((plugin) => plugin.createWebhook(project, resource, inputs))
        : []),
    ]),
  );
}

/** The blueprint of a project without any files. */
export const emptyBlueprint: Blueprint = { parts: [], inserts: [], generated: [] };
