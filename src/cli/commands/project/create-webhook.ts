import { type WebhookRole, partKeys } from "../../../plugins/contract/plugin.ts";
import { addWebhooks } from "../../../project/change-project.ts";
import { type Project, type Resource, apiFolder, isSameKind, kindFile } from "../../../project/project.ts";
import { checkPlural, checkVersion, checkWebhookPath } from "../../../project/validate.ts";
import { applyOrShow, openToChange, planFlags } from "../../project/open-project.ts";
import { type FlagValues, defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import {
  externalKindFlags,
  findResource,
  kindFlags,
  makeFlag,
  pluginsFlag,
  refusedGoFlags,
} from "../../project/find-resource.ts";
import { planAddition } from "./create-api.ts";
import type { SourceTree } from "../../../generators/model/files.ts";

const flags = {
  ...kindFlags,
  plural: flag.string("plural resource name of an external kind", "NAME", { check: checkPlural }),
  defaulting: flag.switch("scaffold a defaulting (mutating) webhook", {
    prompt: "Create Defaulting Webhook?",
  }),
  "programmatic-validation": flag.switch("scaffold a validating webhook", {
    prompt: "Create Validating Webhook?",
  }),
  conversion: flag.switch("scaffold a conversion webhook, with --version as the hub"),
  spoke: flag.list("spoke version to convert to and from the hub; may be repeated", "VERSION", {
    check: checkVersion,
  }),
  "defaulting-path": flag.string("URL path of the defaulting webhook", "PATH", {
    check: (value: string) => checkWebhookPath(value, "defaulting-path"),
  }),
  "validation-path": flag.string("URL path of the validating webhook", "PATH", {
    check: (value: string) => checkWebhookPath(value, "validation-path"),
  }),
  ...externalKindFlags,
  plugins: pluginsFlag,
  force: flag.switch("overwrite existing files"),
  make: makeFlag,
  ...planFlags,
} as const;

export const createWebhook = defineCommand({
  description: "The first webhook also enables the features webhook and cert-manager (see tsbuilder edit).",
  flags,
  refused: refusedGoFlags,
  examples: [
    "tsbuilder create webhook --group apps --version v1 --kind MySQL --defaulting --programmatic-validation",
    "tsbuilder create webhook --group apps --version v1 --kind MySQL --conversion --spoke v1beta1",
    "tsbuilder create webhook --group core --version v1 --kind Pod --defaulting",
  ],
  async run(call) {
    const { flags: values, cwd, ui } = call;
    checkCombination(values);
    return openToChange(call, async (opened) => {
      const { root, tree, project } = opened;
      const resource = await findResource(project, values, cwd);
      const after = addWebhooks(project, {
        resource,
        defaulting: values.defaulting,
        validation: values["programmatic-validation"],
        conversion: values.conversion,
        spokes: values.spoke,
        defaultingPath: values["defaulting-path"],
        validationPath: values["validation-path"],
        force: values.force,
      });
      const forcedParts = listForcedParts(resource, values);
      const plan = await planAddition(opened, { after, resource, forcedParts }, call);
      if (resource.origin.type === "core" && !values["dry-run"] && !values.diff) {
        ui.note(
          `warning: webhooks for ${resource.kind} also intercept this operator's own objects: while the operator is down, they may keep it from starting. Narrow them with a namespaceSelector, or set failurePolicy to ignore.`,
        );
      }
      const storageNotes = values.conversion ? noteOtherStorage(project, resource, tree) : [];
      applyOrShow(root, { ...plan, notes: [...plan.notes, ...storageNotes] }, values, ui);
    });
  },
});

const storageVersionMarker = /^\s*(?:\/\/|\*)\s*\+kubebuilder:storageversion\s*$/mu;

/** Returns a note if objects are stored in another version than the conversion's hub, which is unusual. */
function noteOtherStorage(project: Project, hub: Resource, tree: SourceTree): string[] {
  const typesFile = (version: Resource): string =>
    `${apiFolder(project, version)}/${kindFile(version)}_types.ts`;
  const stored = project.resources.find(
    (version) => isSameKind(version, hub) && storageVersionMarker.test(tree.read(typesFile(version)) ?? ""),
  );
  if (!stored || stored.version === hub.version) return [];
  return [
    `${hub.kind} is stored as ${stored.version}. To store the hub, move +kubebuilder:storageversion from ${typesFile(stored)} to ${typesFile(hub)}`,
  ];
}

/** Returns the keys of the webhooks that the command scaffolds, which `--force` overwrites. */
function listForcedParts(resource: Resource, values: FlagValues<typeof flags>): string[] {
  const parts = (role: WebhookRole, version = resource.version): string[] => [
    partKeys.webhook({ ...resource, version }, role),
    partKeys.webhookTest({ ...resource, version }, role),
  ];
  return [
    ...(values.defaulting ? parts("defaulter") : []),
    ...(values["programmatic-validation"] ? parts("validator") : []),
    ...values.spoke.flatMap((version) => parts("conversion", version)),
  ];
}

function checkCombination(values: FlagValues<typeof flags>): void {
  if (!values.defaulting && !values["programmatic-validation"] && !values.conversion) {
    throw invalidArgument(
      "no webhook type is given",
      "add --defaulting, --programmatic-validation or --conversion",
    );
  }
  if (values.spoke.length > 0 && !values.conversion)
    throw invalidArgument("--spoke needs a conversion webhook", "add --conversion");
  if (values["defaulting-path"] !== undefined && !values.defaulting) {
    throw invalidArgument("--defaulting-path needs a defaulting webhook", "add --defaulting");
  }
  if (values["validation-path"] !== undefined && !values["programmatic-validation"]) {
    throw invalidArgument("--validation-path needs a validating webhook", "add --programmatic-validation");
  }
}
