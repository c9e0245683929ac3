import { Draft } from "../../scaffold/tree.ts";
import { applyOrShow, planFlags } from "../apply-or-show.ts";
import { defineCommand } from "../command.ts";
import { openToChange } from "../open-project.ts";
import { planGenerated, planReference } from "../plan-generated.ts";

const reference = "docs/api";

export const generate = defineCommand({
  summary: "Run all generators: manifests, and the API reference if there is one",
  description: `The API reference is regenerated if "${reference}" exists; create it with tsbuilder generate docs.`,
  flags: planFlags,
  examples: ["tsbuilder generate"],
  async run(call) {
    const { flags, ui } = call;
    return openToChange(call, async ({ root, tree }) => {
      const draft = new Draft(tree);
      const notes = await planGenerated(draft, {}, { root });
      if (tree.has(reference)) notes.push(...(await planReference(draft, reference)));
      applyOrShow(root, { changes: draft.changes(), notes: [...new Set(notes)] }, flags, ui);
    });
  },
});
