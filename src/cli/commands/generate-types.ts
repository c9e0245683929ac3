import { Draft } from "../../scaffold/tree.ts";
import { applyOrShow, planFlags } from "../apply-or-show.ts";
import { defineCommand } from "../command.ts";
import { planCrdTypes } from "../crd-types.ts";
import { openToChange } from "../open-project.ts";

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
      const { files, notes } = await planCrdTypes(cwd, positionals, flags.output);
      for (const [path, content] of files) draft.write(path, content, "generated");
      applyOrShow(root, { changes: draft.changes(), notes }, flags, ui);
    });
  },
});
