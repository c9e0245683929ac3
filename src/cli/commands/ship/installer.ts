import { resolve } from "node:path";
import { refuseLinkedFile } from "../../../scaffold/apply.ts";
import { writeOutput } from "../../../shared/files.ts";
import { overrideFlags } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { openProject } from "../../project/open-project.ts";

export const installer = defineCommand({
  flags: {
    ...overrideFlags,
    output: flag.string("file to write to (default: standard output)", "FILE"),
  },
  examples: [
    "tsbuilder installer --image registry.example.com/mysql-operator:v1.0.0 --output dist/install.yaml",
  ],
  async run({ flags, cwd, ui }) {
    const { root } = openProject(cwd, ui);
    const { renderConfig } = await import("../../../ship/render.ts");
    const manifest = await renderConfig(root, "default", {
      image: flags.image,
      namespace: flags.namespace,
    });
    if (!flags.output) {
      ui.print(manifest.trimEnd());
      return;
    }
    refuseLinkedFile(root, resolve(cwd, flags.output));
    writeOutput(resolve(cwd, flags.output), manifest, { what: "the manifest", flag: "--output" });
    ui.print(`wrote ${flags.output}`);
  },
});
