import { removeController, removeResource } from "../../project/remove-resource.ts";
import { checkGroup, checkVersion } from "../../project/validate.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand } from "../command.ts";
import { findTracked, unknownResource } from "../find-resource.ts";
import { openProject } from "../open-project.ts";
import { planProjectChange } from "../plan-project.ts";

export const deleteApi = defineCommand({
  summary: "Take back what create api made",
  description: "Refuses where you changed files, and lists them.",
  flags: {
    group: { type: "string", summary: "API group", placeholder: "GROUP", default: "", check: checkGroup },
    version: {
      type: "string",
      summary: "API version",
      placeholder: "VERSION",
      required: true,
      prompt: "Version:",
      check: checkVersion,
    },
    kind: { type: "string", summary: "kind", placeholder: "KIND", required: true, prompt: "Kind:" },
    "controller-name": {
      type: "string",
      summary: "take back only the controller of this name",
      placeholder: "NAME",
    },
    force: { type: "boolean", summary: "delete files that you changed", default: false },
    keep: { type: "boolean", summary: "leave files behind that you changed", default: false },
    make: { type: "boolean", summary: "run the generators (--make=false leaves them out)", default: true },
    ...planFlags,
  },
  examples: ["tsbuilder delete api --group apps --version v1 --kind MySQL --dry-run"],
  async run({ flags, cwd, ui }) {
    const { root, tree, project, text } = openProject(cwd, ui);
    const resource = findTracked(project, flags);
    if (!resource) throw unknownResource(project, flags);
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
  },
});
