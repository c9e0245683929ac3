import { resolve } from "node:path";
import type { FeatureName, LicenseName, Project } from "../../../project/project.ts";
import { featureNames, formatBoilerplate, removePlugins } from "../../../project/project.ts";
import { changeProject } from "../../../project/change-project.ts";
import { checkNamespace } from "../../../project/validate.ts";
import { applyOrShow, openToChange, planFlags } from "../../project/open-project.ts";
import { type FlagValues, defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { installPackages, withPackages } from "../../packages/change-packages.ts";
import { generatorsIf } from "../../project/plan-generated.ts";
import { planProjectChange } from "../../../plugins/plan-project.ts";
import { makeFlag, pluginsFlag } from "../../project/find-resource.ts";
import { readLicenseFile } from "../../arguments/flag-values.ts";

const flags = {
  multigroup: {
    type: "boolean",
    summary: "use a folder for each API group; =false reverts. Files are moved and imports are rewritten",
  },
  namespaced: { type: "boolean", summary: "watch one namespace, with a Role; =false watches all namespaces" },
  namespaces: flag.list("namespaces that a namespaced operator watches instead of its own", "NAME", {
    check: checkNamespace,
  }),
  enable: flag.list("deployment features to enable", "FEATURE", { choices: featureNames }),
  disable: flag.list("deployment features to disable", "FEATURE", { choices: featureNames }),
  license: {
    type: "string",
    summary: "license for the header of source files",
    choices: ["apache2", "copyright", "none"],
  },
  "license-file": flag.string("file with the header for source files, as a block comment", "FILE"),
  owner: flag.string("copyright owner", "NAME"),
  plugins: pluginsFlag,
  "remove-plugins": flag.list("third-party plugins to remove, with the files that they contributed", "KEY"),
  force: flag.switch("overwrite files that you have edited"),
  make: makeFlag,
  ...planFlags,
} as const;

export const edit = defineCommand({
  description: `Features: ${featureNames.join(", ")}.`,
  flags,
  examples: [
    "tsbuilder edit --enable prometheus,network-policy",
    "tsbuilder edit --disable cert-manager --enable self-signed",
    "tsbuilder edit --multigroup --dry-run",
  ],
  async run(call) {
    const { flags, given, cwd, ui, plugins, host } = call;
    const written = await openToChange(call, async (opened) => {
      const { root, tree, project, text } = opened;
      if (![...given].some((flag) => !["dry-run", "diff", "force", "make"].includes(flag))) {
        throw invalidArgument(
          "nothing to edit",
          "set what to change, for example --enable prometheus; see tsbuilder edit --help",
        );
      }
      const licenseFile = flags["license-file"];
      const settings = changeProject(removePlugins(project, flags["remove-plugins"]), {
        multigroup: flags.multigroup,
        namespaced: flags.namespaced,
        namespaces: given.has("namespaces") ? flags.namespaces : undefined,
        enable: flags.enable as FeatureName[],
        disable: flags.disable as FeatureName[],
        license: licenseFile === undefined ? (flags.license as LicenseName | undefined) : "file",
        owner: flags.owner,
      });
      const recorded = await plugins?.record(settings);
      const after = recorded?.project ?? settings;
      const boilerplate = changedBoilerplate(flags, after, cwd);
      const plan = await planProjectChange({
        folder: root,
        tree,
        before: { project, text },
        after,
        pluginCall: recorded?.call,
        force: flags.force,
        generate: withPackages(opened, after, host, generatorsIf(flags.make)),
        ...(boilerplate === undefined ? {} : { boilerplate }),
      });
      if (plan.changes.length === 0) ui.print("The project already has these settings.");
      const isWritten = applyOrShow(root, plan, flags, ui);
      return isWritten ? { root, before: project, after } : undefined;
    });
    if (written) installPackages(written.root, written, ui);
  },
});

/** Returns the new license header; undefined keeps the present one. */
function changedBoilerplate(values: FlagValues<typeof flags>, after: Project, cwd: string) {
  const { "license-file": file, license, owner } = values;
  if (file !== undefined) return readLicenseFile(resolve(cwd, file));
  return license === undefined && owner === undefined ? undefined : formatBoilerplate(after);
}
