import { hasWebhooks, type Project } from "../project/project.ts";
import { type Blueprint, joinBlueprints } from "../scaffold/blueprint.ts";
import { createApi as createManifests } from "./kustomize/create-api.ts";
import { createWebhook as createWebhookManifests } from "./kustomize/create-webhook.ts";
import { init as initManifests } from "./kustomize/init.ts";
import type { Plugin, ScaffoldInputs } from "./contract/plugin.ts";
import { createApi } from "./typescript/create-api.ts";
import { createWebhook } from "./typescript/create-webhook.ts";
import { init } from "./typescript/init.ts";

/** The operator's program: package, sources, tests and tooling. */
const typescript: Plugin = { init, createApi, createWebhook };

/** The manifests in `config/`, in two layers of kustomize. */
const kustomize: Plugin = {
  init: initManifests,
  createApi: createManifests,
  createWebhook: createWebhookManifests,
};

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
