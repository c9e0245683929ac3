import { Draft } from "../../scaffold/tree.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand } from "../command.ts";
import { openProject } from "../open-project.ts";
import { planGenerated } from "../plan-generated.ts";

export const manifests = defineCommand({
  summary: "Write definitions, roles and webhook configurations from types and markers",
  description:
    "Reads the kinds below api/ and the markers below api/ and src/, and writes config/crd/bases, config/rbac/role.yaml and config/webhook/manifests.yaml.",
  flags: planFlags,
  examples: ["tsbuilder manifests", "tsbuilder manifests --diff"],
  async run({ flags, cwd, ui }) {
    const { root, tree } = openProject(cwd, ui);
    const draft = new Draft(tree);
    const notes = await planGenerated(draft);
    carryOut(root, { changes: draft.changes(), notes }, flags, ui);
  },
});
