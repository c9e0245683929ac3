// Commands that create and change a project. Each opens the project, changes its description (`src/project`), has
// `planProjectChange` plan the files, and applies or shows the plan.

import { pluralize } from "@tsbuilder/apimachinery/naming";
import { partKeys } from "../../../plugins/contract/plugin.ts";
import { referenceTemplates } from "../../../plugins/typescript/reference-templates.ts";
import { addResource } from "../../../project/add-resource.ts";
import { defaultControllerName } from "../../../project/names.ts";
import { isSameResource, newResource, type Project, type Resource } from "../../../project/project.ts";
import {
  checkControllerName,
  checkPlural,
  checkPort,
  checkResource,
  checkShortName,
  checkUser,
} from "../../../project/validate.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { parseImageReference } from "../../../ship/images/image-reference.ts";
import { cautionOf, chooseTemplate } from "./choose-template.ts";
import { applyOrShow, planFlags } from "../../project/apply-or-show.ts";
import { defineCommand, type FlagValues } from "../../arguments/command.ts";
import { findResource, readTypes } from "../../project/find-resource.ts";
import { isShown, openToChange } from "../../project/open-project.ts";
import { generatorsIf } from "../../project/plan-generated.ts";
import { planProjectChange } from "../../../plugins/plan-project.ts";
import {
  externalKindFlags,
  kindFlags,
  makeFlag,
  pluginsFlag,
  refusedGoFlags,
} from "../../arguments/project-flags.ts";

const flags = {
  ...kindFlags,
  group: { ...kindFlags.group, prompt: "Group:" },
  version: { ...kindFlags.version, promptDefault: "v1" },
  plural: {
    type: "string",
    summary: "plural resource name, if it is irregular",
    placeholder: "NAME",
    check: checkPlural,
  },
  singular: {
    type: "string",
    summary: "singular resource name for kubectl (default: the kind in lower case)",
    placeholder: "NAME",
    check: (value: string) => checkPlural(value, "singular"),
  },
  "short-name": {
    type: "list",
    summary: "short name for kubectl; may be repeated",
    placeholder: "NAME",
    check: (value: string) => checkShortName(value, "short-name"),
  },
  category: {
    type: "list",
    summary: "category for kubectl get, for example all; may be repeated",
    placeholder: "NAME",
    check: (value: string) => checkShortName(value, "category"),
  },
  namespaced: { type: "boolean", summary: "the resource is namespaced", default: true },
  "cluster-scoped": { type: "boolean", summary: "the resource is cluster-scoped", default: false },
  resource: {
    type: "boolean",
    summary: "scaffold the API types and manifests",
    default: true,
    prompt: "Create Resource?",
  },
  controller: {
    type: "boolean",
    summary: "scaffold a controller",
    default: true,
    prompt: "Create Controller?",
  },
  "controller-name": {
    type: "string",
    summary: "name of the controller (default: the kind in lower case)",
    placeholder: "NAME",
    check: checkControllerName,
  },
  ...externalKindFlags,
  template: {
    type: "string",
    summary: "scaffold a complete operator instead of a skeleton",
    placeholder: "NAME",
    ...(referenceTemplates.length > 0 ? { choices: referenceTemplates.map(({ name }) => name) } : {}),
  },
  image: {
    type: "string",
    summary: "image for the operator to deploy (deploy-image)",
    placeholder: "IMAGE",
    check: parseImageReference,
  },
  "image-container-command": {
    type: "string",
    summary: "command to run in the container, its words separated by commas (deploy-image)",
    placeholder: "WORDS",
  },
  "image-container-port": {
    type: "string",
    summary: "port that the container listens on (deploy-image)",
    placeholder: "PORT",
    check: checkPort,
  },
  "run-as-user": {
    type: "string",
    summary: "numeric user ID that the container runs as (deploy-image)",
    placeholder: "UID",
    check: checkUser,
  },
  plugins: pluginsFlag,
  force: { type: "boolean", summary: "overwrite existing files", default: false },
  make: makeFlag,
  ...planFlags,
} as const;

type Values = FlagValues<typeof flags>;

export const createApi = defineCommand({
  summary: "Scaffold a Kubernetes API: types, CRD manifests and a controller",
  flags,
  refused: {
    ssa: "omit it: client.apply() is server-side apply for every kind",
    ...refusedGoFlags,
  },
  examples: [
    "tsbuilder create api --group apps --version v1 --kind MySQL",
    "tsbuilder create api --group apps --version v1 --kind Cluster --cluster-scoped --short-name cl",
    "tsbuilder create api --group apps --version v1 --kind MySQL --resource=false --controller-name mysql-backup",
    "tsbuilder create api --group core --version v1 --kind Pod --resource=false",
  ],
  async run(call) {
    const { flags: values, cwd, ui, plugins } = call;
    return openToChange(call, async ({ root, tree, project, text }) => {
      checkCombination(values);
      const resource = values.resource
        ? ownResource(project, values)
        : await findResource(project, values, cwd);
      const added = addResource(project, {
        resource,
        withResource: values.resource,
        withController: values.controller,
        controllerName: values["controller-name"],
        force: values.force,
      });
      const chosen = await plugins?.choose(added, resource);
      const types = await readTypes(cwd, values.crd);
      const plan = await planProjectChange({
        folder: root,
        formatsNewFiles: true,
        isShown: isShown(values),
        tree,
        before: { project, text },
        after: chosen?.project ?? added,
        pluginCall: chosen?.call,
        force: values.force,
        rewrite: values.force ? namedParts(project, resource, values) : [],
        generate: generatorsIf(values.make, { root }),
        extraFiles: types.files,
      });
      const isWritten = applyOrShow(root, { ...plan, notes: [...plan.notes, ...types.notes] }, values, ui);
      if (!values.diff) for (const caution of cautionOf(resource)) ui.note(caution);
      if (!isWritten) return;
      if (values.resource) ui.print(`\nNext: ${nextStep(resource.kind, values)}`);
    });
  },
});

/** Returns the next step; a template's types have fields already. */
function nextStep(kind: string, { template, image }: Values): string {
  return (template ?? image) === undefined
    ? `define the fields of ${kind} in its types file, then run\n  npm run manifests`
    : "run the operator with its sample\n  npm run dev -- --samples";
}

function checkCombination(values: Values): void {
  if (!values.resource && !values.controller) {
    throw invalid(
      "nothing to scaffold: both the resource and the controller are disabled",
      "omit --resource=false or --controller=false",
    );
  }
  if (values["controller-name"] !== undefined && !values.controller) {
    throw invalid("--controller-name needs a controller", "omit --controller=false");
  }
  if ((values.template ?? values.image) !== undefined && !(values.resource && values.controller)) {
    throw invalid(
      "--template scaffolds types and a controller",
      "omit --resource=false and --controller=false",
    );
  }
  if ((values.template ?? values.image) !== undefined && (values["cluster-scoped"] || !values.namespaced)) {
    throw invalid(
      "the children of a template's kind stand in its namespace, and a cluster-scoped kind has none",
      "omit --cluster-scoped",
    );
  }
  if ((values["external-module"] ?? values.crd) !== undefined && values.resource) {
    throw invalid("an external kind already has its CRD", "add --resource=false");
  }
}

/** Returns the keys of the parts that the command names, which `--force` overwrites. */
function namedParts(project: Project, resource: Resource, values: Values): string[] {
  const name = values["controller-name"] ?? defaultControllerName(project, resource);
  const present = project.resources.find((other) => isSameResource(other, resource));
  const isFirst = present?.controllers[0]?.name === name;
  return [
    ...(values.resource
      ? [partKeys.types(resource), partKeys.template(resource), partKeys.sample(resource)]
      : []),
    ...(values.controller
      ? [partKeys.controller(resource, name), partKeys.controllerTest(resource, name)]
      : []),
    ...(values.controller && isFirst ? [partKeys.explore(resource)] : []),
  ];
}

function ownResource(project: Project, values: Values): Resource {
  const { group, version, kind } = values;
  return checkResource(
    newResource({
      group,
      domain: project.domain,
      version,
      kind,
      plural: values.plural ?? pluralize(kind.toLowerCase()),
      singular: values.singular,
      shortNames: values["short-name"],
      categories: values.category,
      namespaced: values.namespaced && !values["cluster-scoped"],
      template: chooseTemplate(values),
    }),
  );
}

function invalid(message: string, hint: string): TsbuilderError {
  return new TsbuilderError(message, { code: "INVALID_ARGUMENT", hint });
}
