import { Draft } from "../../scaffold/tree.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand } from "../command.ts";
import { openToChange } from "../open-project.ts";
import { planGenerated, planReference } from "../plan-generated.ts";

const REFERENCE = "docs/api";

export const generate = defineCommand({
  summary: "Write everything that is generated: manifests, and what you have opted in to",
  description: `The API reference is written again where "${REFERENCE}" is there: tsbuilder generate docs starts it.`,
  flags: planFlags,
  examples: ["tsbuilder generate"],
  async run(call) {
    const { flags, ui } = call;
    return openToChange(call, async ({ root, tree }) => {
      const draft = new Draft(tree);
      const notes = await planGenerated(draft);
      if (tree.has(REFERENCE)) notes.push(...(await planReference(draft, REFERENCE)));
      carryOut(root, { changes: draft.changes(), notes: [...new Set(notes)] }, flags, ui);
    });
  },
});
