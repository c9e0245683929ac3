import { removeController, removeResource, removeWebhooks } from "../../../project/change-project.ts";
import { applyOrShow, openToChange, planFlags } from "../../project/open-project.ts";
import type { FlagDefinition, FlagValues, Invocation } from "../../arguments/command.ts";
import { defineCommand, flag, invalidArgument } from "../../arguments/command.ts";
import { findOwnResource, kindFlags, makeFlag } from "../../project/find-resource.ts";
import { withPackages } from "../../packages/change-packages.ts";
import { generatorsIf } from "../../project/plan-generated.ts";
import { planProjectChange } from "../../../plugins/plan-project.ts";
import { isSameKind, type Project, qualifiedGroup, type Resource } from "../../../project/project.ts";
import type { ClusterChoice } from "../../../ship/cluster/kubectl.ts";
import { namesCluster } from "../../arguments/cluster-flags.ts";
import type { Ui } from "../../reporting/report.ts";

/** The flags of a command that deletes what another one scaffolded. */
const deletionFlags = {
  force: flag.switch("also delete files that you have edited"),
  keep: flag.switch("keep files that you have edited, and what they import"),
  make: makeFlag,
  ...planFlags,
} as const satisfies Record<string, FlagDefinition>;

export const deleteApi = defineCommand({
  description:
    "Fails and lists the files if you have edited any of them. With --context or --kubeconfig, it also fails if that cluster may store objects in the version, while the kind has another one.",
  flags: {
    ...kindFlags,
    context: flag.string(
      "kubeconfig context of a cluster that must not store objects in the version",
      "NAME",
    ),
    kubeconfig: flag.string("path to the kubeconfig file of such a cluster", "FILE"),
    "controller-name": flag.string("delete only the controller with this name", "NAME"),
    ...deletionFlags,
  },
  examples: [
    "tsbuilder delete api --group apps --version v1 --kind MySQL --dry-run",
    "tsbuilder delete api --group apps --version v1alpha1 --kind MySQL --context prod",
  ],
  async run(call) {
    const name = call.flags["controller-name"];
    return deleteFrom(call, async (project, resource) => {
      if (name !== undefined) return removeController(project, resource, name);
      if (project.resources.some((other) => other !== resource && isSameKind(other, resource)))
        await checkStored(call, resource);
      return removeResource(project, resource);
    });
  },
});

/** Refuses to delete a version in which the given cluster may store objects; warns if no cluster is given. */
async function checkStored(
  { flags, ui }: { readonly flags: ClusterChoice; readonly ui: Ui },
  resource: Resource,
): Promise<void> {
  const { version, plural } = resource;
  if (namesCluster(flags)) {
    const { refuseStoredVersion } = await import("../../../ship/cluster/stored-versions.ts");
    ui.note(await refuseStoredVersion(flags, `${plural}.${qualifiedGroup(resource)}`, version));
    return;
  }
  ui.note(
    `warning: objects may be stored in ${version}: a cluster whose CRD lists it in status.storedVersions rejects a CRD without it\nhint: check each cluster with --context NAME; to store the objects again: tsbuilder migrate storage`,
  );
}

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
  remove: (project: Project, resource: Resource) => Project | Promise<Project>,
): Promise<void> {
  const { flags, ui, host } = call;
  return openToChange(call, async (opened) => {
    const { root, tree, project, text } = opened;
    const after = await remove(project, findOwnResource(project, flags));
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
