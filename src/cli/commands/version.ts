import { defaultRelease } from "@tsbuilder/apimachinery/kinds";
import { builtFrom } from "../../packaging/commit.ts";
import { defineCommand } from "../arguments/command.ts";

export const version = defineCommand({
  flags: {},
  examples: ["tsbuilder version", "tsbuilder version -o json"],
  async run({ ui, host }) {
    const versions = {
      tsbuilder: host.version(),
      ...(builtFrom && { commit: builtFrom.id, date: builtFrom.date }),
      kubernetes: defaultRelease,
      node: process.versions.node,
      v8: process.versions.v8,
      platform: `${process.platform}/${process.arch}`,
    };
    ui.add?.({ versions });
    for (const [name, value] of Object.entries(versions)) ui.print(`${name}: ${value}`);
  },
});
