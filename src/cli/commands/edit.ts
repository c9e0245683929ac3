import { resolve } from "node:path";
import { formatBoilerplate } from "../../project/boilerplate.ts";
import { changeProject } from "../../project/change-project.ts";
import { featureNames, type FeatureName } from "../../project/features.ts";
import type { LicenseName, Project } from "../../project/project.ts";
import { checkNamespace } from "../../project/validate.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { carryOut, planFlags } from "../carry-out.ts";
import { defineCommand } from "../command.ts";
import { openToChange } from "../open-project.ts";
import { planProjectChange } from "../plan-project.ts";
import { makeFlag } from "../resource-flags.ts";
import { readLicenseFile } from "../read-license-file.ts";

export const edit = defineCommand({
  summary: "Change the project: layout, scope, licence, features of the deployment",
  description: `Features: ${featureNames.join(", ")}.`,
  flags: {
    multigroup: {
      type: "boolean",
      summary: "give each API group folders of its own; =false goes back. Files move, imports follow",
    },
    namespaced: { type: "boolean", summary: "watch one namespace, with a Role; =false watches all" },
    namespaces: {
      type: "list",
      summary: "namespaces that a namespaced operator watches instead of its own",
      placeholder: "NAME",
      check: checkNamespace,
    },
    enable: {
      type: "list",
      summary: "switch features of the deployment on",
      placeholder: "FEATURE",
      choices: featureNames,
    },
    disable: { type: "list", summary: "switch features off", placeholder: "FEATURE", choices: featureNames },
    license: {
      type: "string",
      summary: "licence in the header of source files",
      choices: ["apache2", "copyright", "none"],
    },
    "license-file": {
      type: "string",
      summary: "file with the header of source files, a block comment",
      placeholder: "FILE",
    },
    owner: { type: "string", summary: "who holds the copyright", placeholder: "NAME" },
    force: { type: "boolean", summary: "replace files where your changes are in the way", default: false },
    make: makeFlag,
    ...planFlags,
  },
  refused: { plugins: "for a Helm chart: tsbuilder chart; --enable switches features on" },
  examples: [
    "tsbuilder edit --enable prometheus,network-policy",
    "tsbuilder edit --disable cert-manager --enable self-signed",
    "tsbuilder edit --multigroup --dry-run",
  ],
  async run(call) {
    const { flags, given, cwd, ui } = call;
    return openToChange(call, async ({ root, tree, project, text }) => {
      if (![...given].some((flag) => !["dry-run", "diff", "force", "make"].includes(flag))) {
        throw new TsbuilderError("nothing is asked for", {
          code: "INVALID_ARGUMENT",
          hint: "name what to change, like --enable prometheus; tsbuilder edit --help tells what there is",
        });
      }
      const licenseFile = flags["license-file"];
      const after = changeProject(project, {
        multigroup: flags.multigroup,
        namespaced: flags.namespaced,
        namespaces: given.has("namespaces") ? flags.namespaces : undefined,
        enable: flags.enable as FeatureName[],
        disable: flags.disable as FeatureName[],
        license: licenseFile === undefined ? (flags.license as LicenseName | undefined) : "file",
        owner: flags.owner,
      });
      const boilerplate = changedBoilerplate(flags, after, cwd);
      const plan = await planProjectChange({
        tree,
        before: { project, text },
        after,
        force: flags.force,
        make: flags.make,
        ...(boilerplate === undefined ? {} : { boilerplate }),
      });
      if (plan.changes.length === 0) ui.print("The project is like that already.");
      carryOut(root, plan, flags, ui);
    });
  },
});

/** The header that files get; undefined leaves it as it is. */
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
