import { defineCommand } from "../command.ts";

/** The Kubernetes release that the built-in kinds come from. */
const kubernetes = "1.36";

export const version = defineCommand({
  summary: "Print the version of tsbuilder and its environment",
  flags: {
    output: {
      type: "string",
      summary: "output format",
      choices: ["text", "json"],
      default: "text",
      short: "o",
    },
  },
  examples: ["tsbuilder version", "tsbuilder version -o json"],
  async run({ flags, ui, host }) {
    const facts = {
      tsbuilder: host.version(),
      kubernetes: kubernetes,
      node: process.versions.node,
      v8: process.versions.v8,
      platform: `${process.platform}/${process.arch}`,
    };
    if (flags.output === "json") ui.print(JSON.stringify(facts, undefined, 2));
    else for (const [name, value] of Object.entries(facts)) ui.print(`${name}: ${value}`);
  },
});
