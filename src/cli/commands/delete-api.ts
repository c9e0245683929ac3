import { removeController, removeResource } from "../../project/remove-resource.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand } from "../command.ts";
import { findOwnResource } from "../find-resource.ts";
import { openToChange } from "../open-project.ts";
import { planProjectChange } from "../plan-project.ts";
import { kindFlags, makeFlag, takeBackFlags } from "../resource-flags.ts";

export const deleteApi = defineCommand({
  summary: "Take back what create api made",
  description: "Refuses where you changed files, and lists them.",
  flags: {
    ...kindFlags,
    "controller-name": {
      type: "string",
      summary: "take back only the controller of this name",
      placeholder: "NAME",
    },
    ...takeBackFlags,
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
        tree,
        before: { project, text },
        after:
          name === undefined ? removeResource(project, resource) : removeController(project, resource, name),
        force: flags.force,
        keep: flags.keep,
        make: flags.make,
      });
      carryOut(root, plan, flags, ui);
    });
  },
});
