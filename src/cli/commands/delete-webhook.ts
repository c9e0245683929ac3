import { removeWebhooks } from "../../project/remove-resource.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { applyOrShow, planFlags } from "../apply-or-show.ts";
import { defineCommand } from "../command.ts";
import { findOwnResource } from "../find-resource.ts";
import { openToChange } from "../open-project.ts";
import { planProjectChange } from "../plan-project.ts";
import { kindFlags, makeFlag, deletionFlags } from "../resource-flags.ts";

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
        make: flags.make,
      });
      applyOrShow(root, plan, flags, ui);
    });
  },
});
