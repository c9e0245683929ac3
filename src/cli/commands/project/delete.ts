import { removeController, removeResource, removeWebhooks } from "../../../project/change-project.ts";
import { applyOrShow, openToChange, planFlags } from "../../project/open-project.ts";
import type { FlagDefinition, FlagValues, Invocation } from "../../arguments/command.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { findOwnResource, kindFlags, makeFlag } from "../../project/find-resource.ts";
import { withPackages } from "../../packages/change-packages.ts";
import { generatorsIf } from "../../project/plan-generated.ts";
import { planProjectChange } from "../../../plugins/plan-project.ts";
import { isSameKind, type Project, type Resource } from "../../../project/project.ts";

/** The flags of a command that deletes what another one scaffolded. */
const deletionFlags = {
  force: flag.switch("also delete files that you have edited"),
  keep: flag.switch("keep files that you have edited, and what they import"),
  make: makeFlag,
  ...planFlags,
} as const satisfies Record<string, FlagDefinition>;

export const deleteApi = defineCommand({
  description: "Fails and lists the files if you have edited any of them.",
  flags: {
    ...kindFlags,
    "controller-name": flag.string("delete only the controller with this name", "NAME"),
    ...deletionFlags,
  },
  examples: ["tsbuilder delete api --group apps --version v1 --kind MySQL --dry-run"],
  async run(call) {
    const name = call.flags["controller-name"];
    return deleteFrom(call, (project, resource) => {
      if (name !== undefined) return removeController(project, resource, name);
      const { version } = resource;
      if (project.resources.some((other) => other !== resource && isSameKind(other, resource)))
        call.ui.note(
          `warning: a cluster whose CRD lists ${version} in status.storedVersions rejects a CRD without it\nhint: store its objects again before you deploy: tsbuilder migrate storage`,
        );
      return removeResource(project, resource);
    });
  },
});

export const deleteWebhook = defineCommand({
  description:
    "Fails and lists the files if you have edited any of them. Deleting the last webhook also disables the features that serve webhooks.",
  flags: {
    ...kindFlags,
    defaulting: flag.switch("delete the defaulting webhook"),
    "programmatic-validation": flag.switch("delete the validating webhook"),
    conversion: flag.switch("delete the conversion webhook of this hub version"),
    ...deletionFlags,
  },
  examples: ["tsbuilder delete webhook --group apps --version v1 --kind MySQL --defaulting"],
  async run(call) {
    const { flags } = call;
    return deleteFrom(call, (project, resource) => {
      const removal = {
        defaulting: flags.defaulting,
        validation: flags["programmatic-validation"],
        conversion: flags.conversion,
      };
      if (!Object.values(removal).includes(true)) {
        throw invalidArgument(
          "no webhook type is given",
          "add --defaulting, --programmatic-validation or --conversion",
        );
      }
      return removeWebhooks(project, resource, removal);
    });
  },
});

/** Deletes the files that belong to what `remove` takes out of the project's description. */
function deleteFrom(
  call: Pick<Invocation, "name" | "cwd" | "ui" | "host"> & {
    readonly flags: FlagValues<typeof kindFlags & typeof deletionFlags>;
  },
  remove: (project: Project, resource: Resource) => Project,
): Promise<void> {
  const { flags, ui, host } = call;
  return openToChange(call, async (opened) => {
    const { root, tree, project, text } = opened;
    const after = remove(project, findOwnResource(project, flags));
    const plan = await planProjectChange({
      folder: root,
      tree,
      before: { project, text },
      after,
      force: flags.force,
      keep: flags.keep,
      generate: withPackages(opened, after, host, generatorsIf(flags.make)),
    });
    applyOrShow(root, plan, flags, ui);
  });
}
