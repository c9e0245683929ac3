import { basename, dirname, resolve } from "node:path";
import { everythingBelow } from "../../../scaffold/tree.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { changeFiles, planFlags } from "../../project/open-project.ts";
import { checkFolder } from "../../arguments/flag-values.ts";
import { defineCommand, flag } from "../../arguments/command.ts";

export const migratePackagemanifests = defineCommand({
  description:
    "Reads a folder in OLM's old format, with PACKAGE.package.yaml and a folder for each version, and writes a bundle for each version: bundles/VERSION/bundle, and bundle.Dockerfile beside it. Manifests are copied as they are; tsbuilder bundle validate says what OLM no longer accepts in them.",
  flags: {
    "output-dir": flag.string("folder in the project to write the bundles to", "DIR", {
      default: "bundles",
      check: checkFolder,
    }),
    ...planFlags,
  },
  positionals: ["<folder>"],
  examples: ["tsbuilder migrate packagemanifests packagemanifests"],
  async run(call) {
    const { flags, positionals, cwd } = call;
    const folder = resolve(cwd, positionals[0]!);
    return changeFiles(call, async (draft, { tree }) => {
      const { planMigration } = await import("../../../olm/plan-migration.ts");
      const out = flags["output-dir"].replace(/\/+$/u, "");
      for (const [path, text] of planMigration(everythingBelow(dirname(folder)), basename(folder), out)) {
        if (tree.has(path) && tree.read(path) !== text) {
          throw new TsbuilderError(`"${path}" exists and is different`, {
            code: "ALREADY_EXISTS",
            hint: "delete it, or write to another folder with --output-dir",
          });
        }
        draft.write(path, text);
      }
      return [];
    });
  },
});
