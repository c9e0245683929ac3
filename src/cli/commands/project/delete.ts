import { removeController, removeResource, removeWebhooks } from "../../../project/remove-resource.ts";
import { applyOrShow, planFlags } from "../../project/apply-or-show.ts";
import { type FlagDefinition, defineCommand } from "../../arguments/command.ts";
import { findOwnResource } from "../../project/find-resource.ts";
import { openToChange } from "../../project/open-project.ts";
import { generatorsIf } from "../../project/plan-generated.ts";
import { planProjectChange } from "../../../plugins/plan-project.ts";
import { kindFlags, makeFlag } from "../../arguments/project-flags.ts";
import { TsbuilderError } from "../../../shared/errors.ts";

/** The flags of a command that deletes what another one scaffolded. */
const deletionFlags = {
  force: { type: "boolean", summary: "also delete files that you have edited", default: false },
  keep: { type: "boolean", summary: "keep files that you have edited, and what they import", default: false },
} as const satisfies Record<string, FlagDefinition>;

export const deleteApi = defineCommand({
  summary: "Delete what create api scaffolded",
  description: "Fails and lists the files if you have edited any of them.",
  flags: {
    ...kindFlags,
    "controller-name": {
      type: "string",
      summary: "delete only the controller with this name",
      placeholder: "NAME",
    },
    ...deletionFlags,
    make: makeFlag,
    ...planFlags,
  },
  examples: ["tsbuilder delete api --group apps --version v1 --kind MySQL --dry-run"],
  async run(call) {
    const { flags, ui } = call;
    return openToChange(call, async ({ root, tree, project, text }) => {
      const resource = findOwnResource(project, flags);
      const name = flags["controller-name"];
      const plan = await planProjectChange({
        folder: root,
        tree,
        before: { project, text },
        after:
          name === undefined ? removeResource(project, resource) : removeController(project, resource, name),
        force: flags.force,
        keep: flags.keep,
        generate: generatorsIf(flags.make),
      });
      applyOrShow(root, plan, flags, ui);
    });
  },
});

export const deleteWebhook = defineCommand({
  summary: "Delete what create webhook scaffolded",
  description:
    "Fails and lists the files if you have edited any of them. Deleting the last webhook also disables the features that serve webhooks.",
  flags: {
    ...kindFlags,
    defaulting: { type: "boolean", summary: "delete the defaulting webhook", default: false },
    "programmatic-validation": { type: "boolean", summary: "delete the validating webhook", default: false },
    conversion: {
      type: "boolean",
      summary: "delete the conversion webhook of this hub version",
      default: false,
    },
    ...deletionFlags,
    make: makeFlag,
    ...planFlags,
  },
  examples: ["tsbuilder delete webhook --group apps --version v1 --kind MySQL --defaulting"],
  async run(call) {
    const { flags, ui } = call;
    return openToChange(call, async ({ root, tree, project, text }) => {
      const resource = findOwnResource(project, flags);
      const removal = {
        defaulting: flags.defaulting,
        validation: flags["programmatic-validation"],
        conversion: flags.conversion,
      };
      if (!Object.values(removal).includes(true)) {
        throw new TsbuilderError("no webhook type is given", {
          code: "INVALID_ARGUMENT",
          hint: "add --defaulting, --programmatic-validation or --conversion",
        });
      }
      const plan = await planProjectChange({
        folder: root,
        tree,
        before: { project, text },
        after: removeWebhooks(project, resource, removal),
        force: flags.force,
        keep: flags.keep,
        generate: generatorsIf(flags.make),
      });
      applyOrShow(root, plan, flags, ui);
    });
  },
});
