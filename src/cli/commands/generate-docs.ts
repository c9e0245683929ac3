import { Draft } from "../../scaffold/tree.ts";
import { applyOrShow, planFlags } from "../apply-or-show.ts";
import { defineCommand } from "../command.ts";
import { openToChange } from "../open-project.ts";
import { planReference } from "../plan-generated.ts";

export const generateDocs = defineCommand({
  summary: "Generate an API reference in Markdown from types and markers",
  flags: {
    output: { type: "string", summary: "folder to write to", placeholder: "DIR", default: "docs/api" },
    ...planFlags,
  },
  examples: ["tsbuilder generate docs"],
  async run(call) {
    const { flags, ui } = call;
    return openToChange(call, async ({ root, tree }) => {
      const draft = new Draft(tree);
      const notes = await planReference(draft, flags.output);
      applyOrShow(root, { changes: draft.changes(), notes }, flags, ui);
    });
  },
});
