// `create api`. Like all commands that change a project, it opens the project, changes its description (`src/project`), has
// `planProjectChange` plan the files, and applies or shows the plan.
import { apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { pluralize } from "@tsbuilder/apimachinery/naming";
import { partKeys } from "../../../plugins/contract/plugin.ts";
import type { ReferenceTemplate } from "../../../plugins/typescript/reference-templates.ts";
import { referenceTemplates } from "../../../plugins/typescript/reference-templates.ts";
import { refuseTakenName } from "../../../plugins/typescript/taken-names.ts";
import { addResource } from "../../../project/change-project.ts";
import type { Project, Resource, TemplateRecord } from "../../../project/project.ts";
import {
  defaultControllerName,
  findCoreGroup,
  isSameResource,
  newResource,
  qualifiedGroup,
} from "../../../project/project.ts";
import {
  checkControllerName,
  checkOwnedKind,
  checkPlural,
  checkPort,
  checkResource,
  checkShortName,
  checkUser,
} from "../../../project/validate.ts";
import type { Plan } from "../../../scaffold/tree.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { parseImageReference } from "../../../ship/images/image-reference.ts";
import type { OpenProject } from "../../project/open-project.ts";
import { applyOrShow, openToChange, planFlags } from "../../project/open-project.ts";
import type { FlagValues, Invocation } from "../../arguments/command.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import {
  externalKindFlags,
  findResource,
  kindFlags,
  makeFlag,
  pluginsFlag,
  refusedGoFlags,
} from "../../project/find-resource.ts";
import { installPackages, withPackages } from "../../packages/change-packages.ts";
import { generatorsIf } from "../../project/plan-generated.ts";
import { planProjectChange } from "../../../plugins/plan-project.ts";

const flags = {
  ...kindFlags,
  group: { ...kindFlags.group, prompt: "Group:" },
  version: { ...kindFlags.version, promptDefault: "v1" },
  plural: flag.string("plural resource name, if it is irregular", "NAME", { check: checkPlural }),
  singular: flag.string("singular resource name for kubectl (default: the kind in lower case)", "NAME", {
    check: (value: string) => checkPlural(value, "singular"),
  }),
  "short-name": flag.list("short name for kubectl; may be repeated", "NAME", {
    check: (value: string) => checkShortName(value, "short-name"),
  }),
  category: flag.list("category for kubectl get, for example all; may be repeated", "NAME", {
    check: (value: string) => checkShortName(value, "category"),
  }),
  namespaced: flag.switch("the resource is namespaced", { default: true }),
  "cluster-scoped": flag.switch("the resource is cluster-scoped"),
  resource: flag.switch("scaffold the API types and manifests", {
    default: true,
    prompt: "Create Resource?",
  }),
  controller: flag.switch("scaffold a controller", { default: true, prompt: "Create Controller?" }),
  "controller-name": flag.string("name of the controller (default: the kind in lower case)", "NAME", {
    check: checkControllerName,
  }),
  owns: flag.list("built-in kind that the controller creates and watches; may be repeated", "VERSION/KIND", {
    check: checkOwnedKind,
  }),
  ...externalKindFlags,
  template: flag.string("scaffold a complete operator instead of a skeleton", "NAME", {
    choices: referenceTemplates.map(({ name }) => name),
  }),
  image: flag.string("image for the operator to deploy (deploy-image)", "IMAGE", {
    check: parseImageReference,
  }),
  "image-container-command": flag.string(
    "command to run in the container, its words separated by commas (deploy-image)",
    "WORDS",
  ),
  "image-container-port": flag.string("port that the container listens on (deploy-image)", "PORT", {
    check: checkPort,
  }),
  "run-as-user": flag.string("numeric user ID that the container runs as (deploy-image)", "UID", {
    check: checkUser,
  }),
  plugins: pluginsFlag,
  force: flag.switch("overwrite existing files"),
  make: makeFlag,
  ...planFlags,
} as const;

export const createApi = defineCommand({
  description:
    "A template that needs packages adds them to package.json and the lock file, and installs them if the project's packages are installed.",
  flags,
  refused: { ssa: "omit it: client.apply() is server-side apply for every kind", ...refusedGoFlags },
  examples: [
    "tsbuilder create api --group apps --version v1 --kind MySQL",
    "tsbuilder create api --group apps --version v1 --kind Shop --owns apps/v1/Deployment --owns v1/Service",
    "tsbuilder create api --group apps --version v1 --kind Cluster --cluster-scoped --short-name cl",
    "tsbuilder create api --group apps --version v1 --kind MySQL --resource=false --controller-name mysql-backup",
    "tsbuilder create api --group core --version v1 --kind Pod --resource=false",
  ],
  async run(call) {
    const { flags: values, cwd, ui } = call;
    const written = await openToChange(call, async (opened) => {
      const { project } = opened;
      checkCombination(values);
      const resource = values.resource
        ? newOwnResource(project, values)
        : await findResource(project, values, cwd);
      if (values.owns.length > 0 && resource.origin.type !== "own")
        throw invalidArgument("--owns needs a kind of this project", "omit --owns");
      const after = addResource(project, {
        resource,
        withResource: values.resource,
        withController: values.controller,
        controllerName: values["controller-name"],
        owns: await findOwnedKinds(values.owns),
        force: values.force,
      });
      // A kind of somebody else can't have another name.
      if (resource.origin.type === "own") refuseTakenName(after, resource, { isNew: values.resource });
      const forcedParts = listForcedParts(project, resource, values);
      const plan = await planAddition(opened, { after, resource, forcedParts }, call);
      const isWritten = applyOrShow(opened.root, plan, values, ui);
      return isWritten ? { root: opened.root, before: project, after } : undefined;
    });
    if (!written) return;
    installPackages(written.root, written, ui);
    if (values.resource) ui.print(`\nNext: ${nextStep(values.kind, values)}`);
  },
});

type Values = FlagValues<typeof flags>;

function checkCombination(values: Values): void {
  if (!values.resource && !values.controller) {
    throw invalidArgument(
      "nothing to scaffold: both the resource and the controller are disabled",
      "omit --resource=false or --controller=false",
    );
  }
  if (values["controller-name"] !== undefined && !values.controller) {
    throw invalidArgument("--controller-name needs a controller", "omit --controller=false");
  }
  if (values.owns.length > 0 && (!values.controller || (values.template ?? values.image) !== undefined)) {
    throw invalidArgument(
      "--owns scaffolds a controller with children",
      "omit --controller=false and --template",
    );
  }
  if ((values.template ?? values.image) !== undefined && !(values.resource && values.controller)) {
    throw invalidArgument(
      "--template scaffolds types and a controller",
      "omit --resource=false and --controller=false",
    );
  }
  if ((values.template ?? values.image) !== undefined && (values["cluster-scoped"] || !values.namespaced)) {
    throw invalidArgument(
      "the children of a template's kind stand in its namespace, and a cluster-scoped kind has none",
      "omit --cluster-scoped",
    );
  }
  if ((values["external-module"] ?? values.crd) !== undefined && values.resource) {
    throw invalidArgument("an external kind already has its CRD", "add --resource=false");
  }
}

/** Finds the kinds, and returns them with their full groups. Throws if Kubernetes has no such kind, or it has no namespace. */
async function findOwnedKinds(owns: readonly string[]): Promise<string[]> {
  if (owns.length === 0) return [];
  // The tables of built-in kinds are large, and most commands are about the project's kinds.
  const { findCoreKind } = await import("../../project/find-core-kind.ts");
  const found = owns.map((text) => {
    const [kind = "", version = "", group = "core"] = text.split("/").toReversed();
    if (!findCoreGroup(group))
      throw invalidArgument(
        `Kubernetes has no group "${group}"`,
        "--owns takes built-in kinds; watch others with .owns(Kind) in the controller",
      );
    const resource = findCoreKind({ group, version, kind });
    if (!resource.namespaced)
      throw invalidArgument(
        `${kind} is cluster-scoped`,
        "--owns takes kinds with a namespace; watch it with .owns(Kind, { byLabel: true }) in the controller",
      );
    return `${apiVersionOf({ group: qualifiedGroup(resource), version })}/${kind}`;
  });
  const kinds = found.map((text) => text.slice(text.lastIndexOf("/") + 1));
  const repeated = kinds.find((kind, at) => kinds.indexOf(kind) !== at);
  if (repeated === undefined) return found;
  throw invalidArgument(`--owns has ${repeated} twice`, "give each kind once, in one version");
}

function newOwnResource(project: Project, values: Values): Resource {
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

/** The flag that sets each option of a template, by the option's name in the template's files. */
const optionFlags = {
  image: "image",
  containerCommand: "image-container-command",
  containerPort: "image-container-port",
  runAsUser: "run-as-user",
} as const;

type TemplateFlags = {
  readonly [Flag in "template" | (typeof optionFlags)[keyof typeof optionFlags]]?: string | undefined;
};

/** Returns the selected template with its options, and throws if these don't fit it. `--image` alone selects `deploy-image`. */
export function chooseTemplate(flags: TemplateFlags): TemplateRecord | undefined {
  const name = flags.template ?? (flags.image === undefined ? undefined : "deploy-image");
  const reference = referenceTemplates.find((known) => known.name === name);
  const stray = Object.entries(optionFlags).find(
    ([option, flag]) => flags[flag] !== undefined && !(reference && option in reference.options),
  );
  if (stray) {
    const target = name === undefined ? "a skeleton" : `the template "${name}"`;
    const hint = "omit it, or use the template that takes it: --template deploy-image";
    throw invalidArgument(`--${stray[1]} is not valid for ${target}`, hint);
  }
  return reference && { name: reference.name, options: readOptions(reference, flags) };
}

function readOptions({ name, options }: ReferenceTemplate, flags: TemplateFlags): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).map(([option, fallback]) => {
      const flag = optionFlags[option as keyof typeof optionFlags];
      const value = flags[flag] ?? fallback;
      if (value !== undefined) return [option, value];
      throw new TsbuilderError(`the template "${name}" needs --${flag}`, {
        code: "MISSING_ANSWER",
        hint: `add --${flag}; for example: --image nginx:1.29`,
      });
    }),
  );
}

/** Returns `Addition.forcedParts`. The first controller of a kind also has the test that explores it. */
function listForcedParts(project: Project, resource: Resource, values: Values): string[] {
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

/** A kind or webhooks that a command adds to a project. */
interface Addition {
  /** The project's description with the addition. */
  readonly after: Project;
  readonly resource: Resource;
  /** The keys of the parts that `--force` overwrites: those that the command scaffolds. */
  readonly forcedParts: readonly string[];
}

/** The call of a command that adds to a project. */
type AddingCall = Pick<Invocation, "cwd" | "plugins" | "host"> & {
  readonly flags: Pick<Values, "crd" | "dry-run" | "diff" | "force" | "make">;
};

/** Plans the files of an addition, with the types of a third-party kind and what plugins contribute. */
export async function planAddition(
  opened: OpenProject,
  { after, resource, forcedParts }: Addition,
  { flags, cwd, plugins, host }: AddingCall,
): Promise<Plan> {
  const { root, tree, project, text } = opened;
  const recorded = await plugins?.record(after, resource);
  const types = await readTypes(cwd, flags.crd);
  const plan = await planProjectChange({
    folder: root,
    tree,
    before: { project, text },
    after: recorded?.project ?? after,
    pluginCall: recorded?.call,
    force: flags.force,
    rewrite: flags.force ? forcedParts : [],
    generate: withPackages(opened, after, host, generatorsIf(flags.make, { root })),
    extraFiles: types.files,
  });
  return { ...plan, notes: [...plan.notes, ...types.notes] };
}

/** Generates the types from the CRD file, if one is given. */
async function readTypes(cwd: string, crd: string | undefined) {
  if (crd === undefined) return { files: new Map(), notes: [] };
  const { planCrdTypes } = await import("../../project/crd-types.ts");
  return planCrdTypes(cwd, [crd]);
}

/** Returns the next step; a template's types have fields already. */
function nextStep(kind: string, { template, image }: Values): string {
  return (template ?? image) === undefined
    ? `define the fields of ${kind} in its types file, then run\n  npm run manifests`
    : "run the operator with its sample\n  npm run dev -- --samples";
}
