import { removeController, removeResource } from "../../project/remove-resource.ts";
import { applyOrShow, planFlags } from "../apply-or-show.ts";
import { defineCommand } from "../command.ts";
import { findOwnResource } from "../find-resource.ts";
import { openToChange } from "../open-project.ts";
import { planProjectChange } from "../plan-project.ts";
import { kindFlags, makeFlag, deletionFlags } from "../resource-flags.ts";

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
        make: flags.make,
      });
      applyOrShow(root, plan, flags, ui);
    });
  },
});
