import { planSchemaPatch } from "../../generators/schemapatch/plan-schema-patch.ts";
import { Draft } from "../../scaffold/tree.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand } from "../command.ts";
import { openToChange } from "../open-project.ts";
import { layOver } from "../plan-generated.ts";

export const generateSchemapatch = defineCommand({
  summary: "Put fresh schemas into definitions that are kept by hand",
  description:
    "Replaces spec.versions[].schema.openAPIV3Schema of each kind that the project defines; everything else in the files stays as it is, comments included.",
  flags: {
    manifests: {
      type: "string",
      summary: "folder of the definitions",
      placeholder: "DIR",
      required: true,
    },
    "max-desc-len": {
      type: "number",
      summary: "longest description in bytes; 0 leaves all of them out",
      placeholder: "BYTES",
    },
    ...planFlags,
  },
  examples: ["tsbuilder generate schemapatch --manifests deploy/crds"],
  async run(call) {
    const { flags, ui } = call;
    return openToChange(call, async ({ root, tree }) => {
      const draft = new Draft(tree);
      const length = flags["max-desc-len"];
      const options = length === undefined ? {} : { maxDescLen: length };
      const notes = layOver(draft, await planSchemaPatch(draft, flags.manifests, options));
      carryOut(root, { changes: draft.changes(), notes }, flags, ui);
    });
  },
});
