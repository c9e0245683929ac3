import { Draft } from "../../scaffold/tree.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand } from "../command.ts";
import { openToChange } from "../open-project.ts";
import { planReference } from "../plan-generated.ts";

export const generateDocs = defineCommand({
  summary: "Write an API reference in Markdown from types and markers",
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
      carryOut(root, { changes: draft.changes(), notes }, flags, ui);
    });
  },
});
