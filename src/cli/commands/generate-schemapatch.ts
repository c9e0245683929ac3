import { planSchemaPatch } from "../../generators/schemapatch/plan-schema-patch.ts";
import { Draft } from "../../scaffold/tree.ts";
import { applyOrShow, planFlags } from "../apply-or-show.ts";
import { defineCommand } from "../command.ts";
import { openToChange } from "../open-project.ts";
import { mergeChanges } from "../plan-generated.ts";

export const generateSchemapatch = defineCommand({
  summary: "Patch the schemas of CRD manifests that are maintained by hand",
  description:
    "Replaces spec.versions[].schema.openAPIV3Schema of each kind that the project defines; everything else in the files is kept, including comments.",
  flags: {
    manifests: {
      type: "string",
      summary: "folder with the CRD manifests",
      placeholder: "DIR",
      required: true,
    },
    "max-desc-len": {
      type: "number",
      summary: "maximum length of descriptions in bytes; 0 omits them",
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
      const notes = mergeChanges(draft, await planSchemaPatch(draft, flags.manifests, options));
      applyOrShow(root, { changes: draft.changes(), notes }, flags, ui);
    });
  },
});
