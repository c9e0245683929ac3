import { changeFiles, planFlags } from "../../project/open-project.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { mergeChanges, planGenerated, planReference, referenceFolder } from "../../project/plan-generated.ts";

export const generate = defineCommand({
  description: `The API reference is regenerated if "${referenceFolder}" exists; create it with tsbuilder generate docs.`,
  flags: planFlags,
  examples: ["tsbuilder generate"],
  async run(call) {
    return changeFiles(call, async (draft, { root, tree }) => {
      const notes = await planGenerated(draft, {}, { root });
      if (tree.has(referenceFolder)) notes.push(...(await planReference(draft, referenceFolder)));
      return [...new Set(notes)];
    });
  },
});

export const generateDocs = defineCommand({
  flags: {
    output: flag.string("folder to write to", "DIR", { default: referenceFolder }),
    ...planFlags,
  },
  examples: ["tsbuilder generate docs"],
  async run(call) {
    return changeFiles(call, (draft) => planReference(draft, call.flags.output));
  },
});

export const generateTypes = defineCommand({
  flags: { output: flag.string("folder to write to", "DIR", { default: "src/types" }), ...planFlags },
  positionals: ["<crd.yaml...>"],
  examples: ["tsbuilder generate types certificates.yaml"],
  async run(call) {
    const { flags, positionals, cwd } = call;
    return changeFiles(call, async (draft) => {
      const { planCrdTypes } = await import("../../project/crd-types.ts");
      const { files, notes } = await planCrdTypes(cwd, positionals, flags.output);
      for (const [path, content] of files) draft.write(path, content, "generated");
      return notes;
    });
  },
});

export const generateSchemapatch = defineCommand({
  description:
    "Replaces spec.versions[].schema.openAPIV3Schema of each kind that the project defines; everything else in the files is kept, including comments.",
  flags: {
    manifests: flag.string("folder with the CRD manifests", "DIR", { required: true }),
    "max-desc-len": flag.number("maximum length of descriptions in bytes; 0 omits them", "BYTES"),
    ...planFlags,
  },
  examples: ["tsbuilder generate schemapatch --manifests deploy/crds"],
  async run(call) {
    const { manifests, "max-desc-len": length } = call.flags;
    return changeFiles(call, async (draft) => {
      const options = length === undefined ? {} : { maxDescLen: length };
      const { planSchemaPatch } = await import("../../../generators/schemapatch/plan-schema-patch.ts");
      return mergeChanges(draft, await planSchemaPatch(draft, manifests, options));
    });
  },
});
