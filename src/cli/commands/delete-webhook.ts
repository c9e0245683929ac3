import { removeWebhooks } from "../../project/remove-resource.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand } from "../command.ts";
import { findOwnResource } from "../find-resource.ts";
import { openToChange } from "../open-project.ts";
import { planProjectChange } from "../plan-project.ts";
import { kindFlags, makeFlag, takeBackFlags } from "../resource-flags.ts";

export const deleteWebhook = defineCommand({
  summary: "Take back what create webhook made",
  description:
    "Refuses where you changed files, and lists them. The last webhook takes the features along that serve it.",
  flags: {
    ...kindFlags,
    defaulting: { type: "boolean", summary: "the defaulting webhook", default: false },
    "programmatic-validation": { type: "boolean", summary: "the validating webhook", default: false },
    conversion: { type: "boolean", summary: "the conversions of this hub", default: false },
    ...takeBackFlags,
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
        throw new TsbuilderError("no kind of webhook is named", {
          code: "INVALID_ARGUMENT",
          hint: "add --defaulting, --programmatic-validation or --conversion",
        });
      }
      const plan = await planProjectChange({
        tree,
        before: { project, text },
        after: removeWebhooks(project, resource, removal),
        force: flags.force,
        keep: flags.keep,
        make: flags.make,
      });
      carryOut(root, plan, flags, ui);
    });
  },
});
