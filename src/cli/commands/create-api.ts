import { pluralize } from "@tsbuilder/apimachinery/naming";
import { referenceTemplates } from "../../plugins/typescript/reference-templates.ts";
import { addResource } from "../../project/add-resource.ts";
import { newResource, type Project, qualifiedGroup, type Resource } from "../../project/project.ts";
import {
  checkControllerName,
  checkPlural,
  checkPort,
  checkResource,
  checkShortName,
  checkUser,
} from "../../project/validate.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { parseImageReference } from "../../ship/image-reference.ts";
import { chooseTemplate } from "../choose-template.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand, type FlagValues } from "../command.ts";
import { findResource, readTypes } from "../find-resource.ts";
import { openToChange } from "../open-project.ts";
import { planProjectChange } from "../plan-project.ts";
import { externalKindFlags, kindFlags, makeFlag, refusedGoFlags } from "../resource-flags.ts";

const flags = {
  ...kindFlags,
  group: { ...kindFlags.group, prompt: "Group:" },
  version: { ...kindFlags.version, promptDefault: "v1" },
  plural: {
    type: "string",
    summary: "plural in URLs, when it is an irregular one",
    placeholder: "NAME",
    check: checkPlural,
  },
  singular: {
    type: "string",
    summary: "singular for kubectl (default: the kind in lower case)",
    placeholder: "NAME",
    check: (value: string) => checkPlural(value, "singular"),
  },
  "short-name": {
    type: "list",
    summary: "short name for kubectl; may be given more than once",
    placeholder: "NAME",
    check: (value: string) => checkShortName(value, "short-name"),
  },
  category: {
    type: "list",
    summary: "group of kinds that kubectl get shows together; may be given more than once",
    placeholder: "NAME",
    check: (value: string) => checkShortName(value, "category"),
  },
  namespaced: { type: "boolean", summary: "objects live in a namespace", default: true },
  "cluster-scoped": { type: "boolean", summary: "objects belong to the whole cluster", default: false },
  resource: {
    type: "boolean",
    summary: "write the kind's types and objects",
    default: true,
    prompt: "Create Resource?",
  },
  controller: { type: "boolean", summary: "write a controller", default: true, prompt: "Create Controller?" },
  "controller-name": {
    type: "string",
    summary: "name of the controller (default: the kind in lower case)",
    placeholder: "NAME",
    check: checkControllerName,
  },
  ...externalKindFlags,
  template: {
    type: "string",
    summary: "write a whole operator instead of a skeleton",
    placeholder: "NAME",
    ...(referenceTemplates.length > 0 ? { choices: referenceTemplates.map(({ name }) => name) } : {}),
  },
  image: {
    type: "string",
    summary: "image that the operator deploys (deploy-image)",
    placeholder: "IMAGE",
    check: parseImageReference,
  },
  "image-container-command": {
    type: "string",
    summary: "command that the image runs, its words joined by commas (deploy-image)",
    placeholder: "WORDS",
  },
  "image-container-port": {
    type: "string",
    summary: "port that the image listens on (deploy-image)",
    placeholder: "PORT",
    check: checkPort,
  },
  "run-as-user": {
    type: "string",
    summary: "user that the image runs as, by its number (deploy-image)",
    placeholder: "UID",
    check: checkUser,
  },
  force: { type: "boolean", summary: "write files again that are there", default: false },
  make: makeFlag,
  ...planFlags,
} as const;

type Values = FlagValues<typeof flags>;

export const createApi = defineCommand({
  summary: "Add a kind: its types, its controller, its objects in config/",
  flags,
  refused: {
    ssa: "leave it out: client.apply() is server-side apply, for every kind",
    ...refusedGoFlags,
  },
  examples: [
    "tsbuilder create api --group apps --version v1 --kind MySQL",
    "tsbuilder create api --group apps --version v1 --kind Cluster --cluster-scoped --short-name cl",
    "tsbuilder create api --group apps --version v1 --kind MySQL --resource=false --controller-name mysql-backup",
    "tsbuilder create api --group core --version v1 --kind Pod --resource=false",
  ],
  async run(call) {
    const { flags: values, cwd, ui } = call;
    return openToChange(call, async ({ root, tree, project, text }) => {
      checkCombination(values);
      const resource = values.resource
        ? ownResource(project, values)
        : await findResource(project, values, cwd);
      const after = addResource(project, {
        resource,
        withResource: values.resource,
        withController: values.controller,
        controllerName: values["controller-name"],
        force: values.force,
      });
      const types = await readTypes(cwd, values.crd);
      const plan = await planProjectChange({
        root,
        tree,
        before: { project, text },
        after,
        force: values.force,
        rewrite: (key) => values.force && isPartOf(key, resource, values),
        make: values.make,
        extraFiles: types.files,
      });
      if (!carryOut(root, { ...plan, notes: [...plan.notes, ...types.notes] }, values, ui)) return;
      if (values.resource)
        ui.print(`\nNext: say in its types what ${resource.kind} is made of, and run\n  npm run manifests`);
    });
  },
});

function checkCombination(values: Values): void {
  if (!values.resource && !values.controller) {
    throw invalid(
      "neither a resource nor a controller is asked for",
      "leave out --resource=false or --controller=false",
    );
  }
  if (values["controller-name"] !== undefined && !values.controller) {
    throw invalid("--controller-name is for controllers", "leave out --controller=false");
  }
  if ((values.template ?? values.image) !== undefined && !(values.resource && values.controller)) {
    throw invalid(
      "--template writes types and a controller",
      "leave out --resource=false and --controller=false",
    );
  }
  if ((values["external-module"] ?? values.crd) !== undefined && values.resource) {
    throw invalid("a kind of somebody else's has its definition already", "add --resource=false");
  }
}

/** What `--force` writes again: the kind's types, objects and controllers. */
function isPartOf(key: string, resource: Resource, values: Values): boolean {
  const identity = `${qualifiedGroup(resource)}/${resource.version}/${resource.kind}`;
  return (
    (values.resource &&
      [
        `typescript/types/${identity}`,
        `typescript/template/${identity}`,
        `kustomize/sample/${identity}`,
      ].includes(key)) ||
    (values.controller && key.startsWith(`typescript/controller/${identity}/`))
  );
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
