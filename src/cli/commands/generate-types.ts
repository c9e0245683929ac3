import { Draft } from "../../scaffold/tree.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand } from "../command.ts";
import { planCrdTypes } from "../crd-types.ts";
import { openProject } from "../open-project.ts";

export const generateTypes = defineCommand({
  summary: "Write TypeScript types for the definitions of others",
  flags: {
    output: { type: "string", summary: "folder to write to", placeholder: "DIR", default: "src/types" },
    ...planFlags,
  },
  positionals: ["<crd.yaml...>"],
  examples: ["tsbuilder generate types certificates.yaml"],
  async run({ flags, positionals, cwd, ui }) {
    const { root, tree } = openProject(cwd, ui);
    const draft = new Draft(tree);
    const { files, notes } = await planCrdTypes(cwd, positionals, flags.output);
    for (const [path, content] of files) draft.write(path, content, "generated");
    carryOut(root, { changes: draft.changes(), notes }, flags, ui);
  },
});
