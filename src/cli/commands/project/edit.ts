import { resolve } from "node:path";
import {
  type LicenseName,
  type Project,
  formatBoilerplate,
  removePlugins,
} from "../../../project/project.ts";
import { changeProject } from "../../../project/change-project.ts";
import { featureNames, type FeatureName } from "../../../project/features.ts";
import { checkNamespace } from "../../../project/validate.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { applyOrShow, planFlags } from "../../project/apply-or-show.ts";
import { defineCommand } from "../../arguments/command.ts";
import { openToChange } from "../../project/open-project.ts";
import { generatorsIf } from "../../project/plan-generated.ts";
import { planProjectChange } from "../../../plugins/plan-project.ts";
import { makeFlag, pluginsFlag } from "../../arguments/project-flags.ts";
import { readLicenseFile } from "../../arguments/flag-values.ts";

export const edit = defineCommand({
  summary: "Edit the project: layout, scope, license, deployment features",
  description: `Features: ${featureNames.join(", ")}.`,
  flags: {
    multigroup: {
      type: "boolean",
      summary: "use a folder for each API group; =false reverts. Files are moved and imports are rewritten",
    },
    namespaced: {
      type: "boolean",
      summary: "watch one namespace, with a Role; =false watches all namespaces",
    },
    namespaces: {
      type: "list",
      summary: "namespaces that a namespaced operator watches instead of its own",
      placeholder: "NAME",
      check: checkNamespace,
    },
    enable: {
      type: "list",
      summary: "deployment features to enable",
      placeholder: "FEATURE",
      choices: featureNames,
    },
    disable: {
      type: "list",
      summary: "deployment features to disable",
      placeholder: "FEATURE",
      choices: featureNames,
    },
    license: {
      type: "string",
      summary: "license for the header of source files",
      choices: ["apache2", "copyright", "none"],
    },
    "license-file": {
      type: "string",
      summary: "file with the header for source files, as a block comment",
      placeholder: "FILE",
    },
    owner: { type: "string", summary: "copyright owner", placeholder: "NAME" },
    plugins: pluginsFlag,
    "remove-plugins": {
      type: "list",
      summary: "third-party plugins to remove, with the files that they contributed",
      placeholder: "KEY",
    },
    force: { type: "boolean", summary: "overwrite files that you have edited", default: false },
    make: makeFlag,
    ...planFlags,
  },
  examples: [
    "tsbuilder edit --enable prometheus,network-policy",
    "tsbuilder edit --disable cert-manager --enable self-signed",
    "tsbuilder edit --multigroup --dry-run",
  ],
  async run(call) {
    const { flags, given, cwd, ui, plugins } = call;
    return openToChange(call, async ({ root, tree, project, text }) => {
      if (![...given].some((flag) => !["dry-run", "diff", "force", "make"].includes(flag))) {
        throw new TsbuilderError("nothing to edit", {
          code: "INVALID_ARGUMENT",
          hint: "set what to change, for example --enable prometheus; see tsbuilder edit --help",
        });
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
      const chosen = await plugins?.choose(settings);
      const after = chosen?.project ?? settings;
      const boilerplate = changedBoilerplate(flags, after, cwd);
      const plan = await planProjectChange({
        folder: root,
        tree,
        before: { project, text },
        after,
        pluginCall: chosen?.call,
        force: flags.force,
        generate: generatorsIf(flags.make),
        ...(boilerplate === undefined ? {} : { boilerplate }),
      });
      if (plan.changes.length === 0) ui.print("The project already has these settings.");
      applyOrShow(root, plan, flags, ui);
    });
  },
});

/** Returns the new license header; undefined keeps the present one. */
function changedBoilerplate(
  flags: {
    readonly "license-file"?: string | undefined;
    readonly license?: string | undefined;
    readonly owner?: string | undefined;
  },
  after: Project,
  cwd: string,
): string | undefined {
  if (flags["license-file"] !== undefined) return readLicenseFile(resolve(cwd, flags["license-file"]));
  if (flags.license !== undefined || flags.owner !== undefined) return formatBoilerplate(after);
  return undefined;
}
