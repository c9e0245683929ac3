import { hasWebhooks, type Project } from "../project/project.ts";
import { type Blueprint, joinBlueprints } from "../scaffold/blueprint.ts";
import { kustomize } from "./kustomize/index.ts";
import type { Plugin, Surroundings } from "./plugin.ts";
import { typescript } from "./typescript/index.ts";

/** In the order in which their files are reported. */
const plugins: readonly Plugin[] = [typescript, kustomize];

/** Everything that a project consists of. The same description gives the same blueprint, whichever commands led to it. */
export function describeProject(project: Project, surroundings: Surroundings): Blueprint {
  return joinBlueprints(
    ...plugins.map((plugin) => plugin.init(project, surroundings)),
    ...project.resources.flatMap((resource) => [
      ...plugins.map((plugin) => plugin.createApi(project, resource, surroundings)),
      ...(hasWebhooks(resource)
        ? plugins.map((plugin) => plugin.createWebhook(project, resource, surroundings))
        : []),
    ]),
  );
}

/** A project that has nothing yet. */
export const emptyBlueprint: Blueprint = { parts: [], inserts: [], generated: [] };
