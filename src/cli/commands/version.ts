import { builtFrom } from "../../packaging/commit.ts";
import { defineCommand } from "../arguments/command.ts";

/** The Kubernetes release that the built-in kinds come from. */
const kubernetes = "1.36";

export const version = defineCommand({
  flags: {},
  examples: ["tsbuilder version", "tsbuilder version -o json"],
  async run({ ui, host }) {
    const versions = {
      tsbuilder: host.version(),
      ...(builtFrom && { commit: builtFrom.id, date: builtFrom.date }),
      kubernetes,
      node: process.versions.node,
      v8: process.versions.v8,
      platform: `${process.platform}/${process.arch}`,
    };
    ui.add?.({ versions });
    for (const [name, value] of Object.entries(versions)) ui.print(`${name}: ${value}`);
  },
});
