import { Draft } from "../../../scaffold/tree.ts";
import { applyOrShow, planFlags } from "../../project/apply-or-show.ts";
import { defineCommand } from "../../arguments/command.ts";
import { openToChange } from "../../project/open-project.ts";
import { mergeChanges, planGenerated, planReference } from "../../project/plan-generated.ts";

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

export const generateTypes = defineCommand({
  summary: "Generate TypeScript types from third-party CRDs",
  flags: {
    output: { type: "string", summary: "folder to write to", placeholder: "DIR", default: "src/types" },
    ...planFlags,
  },
  positionals: ["<crd.yaml...>"],
  examples: ["tsbuilder generate types certificates.yaml"],
  async run(call) {
    const { flags, positionals, cwd, ui } = call;
    return openToChange(call, async ({ root, tree }) => {
      const draft = new Draft(tree);
      const { planCrdTypes } = await import("../../project/crd-types.ts");
      const { files, notes } = await planCrdTypes(cwd, positionals, flags.output);
      for (const [path, content] of files) draft.write(path, content, "generated");
      applyOrShow(root, { changes: draft.changes(), notes }, flags, ui);
    });
  },
});

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
      const { planSchemaPatch } = await import("../../../generators/schemapatch/plan-schema-patch.ts");
      const notes = mergeChanges(draft, await planSchemaPatch(draft, flags.manifests, options));
      applyOrShow(root, { changes: draft.changes(), notes }, flags, ui);
    });
  },
});
