import {
  announceTarget,
  applyFlags,
  clusterFlags,
  deletionTimeout,
  overrideFlags,
} from "../../arguments/cluster-flags.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { openOrView } from "../../project/open-project.ts";
import type { ClusterChoice } from "../../../ship/cluster/kubectl.ts";
import { type ManifestObject, describeObject } from "../../../ship/manifest.ts";
import type { Ui } from "../../reporting/report.ts";

export const install = defineCommand({
  flags: applyFlags,
  examples: ["tsbuilder install", "tsbuilder install --context kind-dev --diff"],
  async run({ flags, cwd, ui }) {
    const { root } = openOrView(cwd, ui, flags);
    const { applyOrDiff, renderCrds } = await import("../../../ship/cluster/deploy.ts");
    const crds = await renderCrds(root);
    await announceTarget(flags, ui, { action: "Installing CRDs" });
    const lines = await applyOrDiff(crds, { ...flags, dryRun: flags["dry-run"] });
    ui.print(lines.join("\n"));
  },
});

export const uninstall = defineCommand({
  description:
    "CRDs that still have objects are kept unless --force is given: deleting a CRD deletes all its objects.",
  flags: {
    ...clusterFlags,
    force: flag.switch("also delete CRDs that still have objects"),
    "dry-run": flag.switch("print what would be deleted"),
    timeout: deletionTimeout,
  },
  async run({ flags, cwd, ui }) {
    const { root } = openOrView(cwd, ui, flags);
    const { renderCrds } = await import("../../../ship/cluster/deploy.ts");
    const crds = await renderCrds(root);
    await announceTarget(flags, ui, { action: "Deleting CRDs" });
    await deleteFromCluster(crds, flags, ui);
  },
});

export const deploy = defineCommand({
  description:
    "Renders config/default with the image and the namespace, and applies it with server-side apply. The files in the project are not changed.",
  flags: {
    ...applyFlags,
    ...overrideFlags,
    wait: flag.switch("wait until the operator is available and its webhooks respond"),
    timeout: flag.number("seconds to wait", "SECONDS", { default: 180 }),
    prune: flag.switch("delete objects of earlier deploys that are no longer rendered"),
  },
  examples: ["tsbuilder deploy --image registry.example.com/mysql-operator:v1.0.0 --wait"],
  async run({ flags, cwd, ui }) {
    const { root, project } = openOrView(cwd, ui, flags);
    const { applyOrDiff, pruneDeployment, renderDeployment, renderSamples } =
      await import("../../../ship/cluster/deploy.ts");
    const objects = await renderDeployment(root, { image: flags.image, namespace: flags.namespace });
    const namespace = flags.namespace ?? `${project.projectName}-system`;
    const { isEmbedded } = await announceTarget(flags, ui, { action: "Deploying", namespace });
    const options = { ...flags, dryRun: flags["dry-run"] };
    ui.print((await applyOrDiff(objects, options)).join("\n"));
    if (flags["dry-run"] || flags.diff) return;
    if (flags.prune) {
      const pruned = await pruneDeployment(objects, project.projectName, flags);
      if (pruned.length > 0) ui.print(pruned.join("\n"));
    }
    // Before the wait: it fails if there are webhooks, unless they are served on this machine.
    if (isEmbedded) ui.note(noContainers);
    if (flags.wait) {
      const { waitForOperator } = await import("../../../ship/cluster/wait.ts");
      await waitForOperator(objects, () => renderSamples(root), flags, flags.timeout);
      ui.note(`The ${isEmbedded ? "Deployment" : "operator"} is available.`);
    }
  },
});

/** The embedded cluster reports pods as ready, as a node would. */
const noContainers =
  "The operator does not run, and serves no webhooks: this is tsbuilder's embedded cluster, which shows pods as running without their containers. To see it reconcile, run it on this machine with tsbuilder run, or with tsbuilder dev; to see its container run, start the cluster with --nodes 1, or deploy to another one, such as kind.";

export const undeploy = defineCommand({
  description:
    "CRDs that still have objects, and a namespace that contains objects of others, are kept unless --force is given: deleting them deletes everything in them.",
  flags: {
    ...clusterFlags,
    namespace: overrideFlags.namespace,
    force: flag.switch("also delete CRDs and the namespace that still contain objects"),
    "dry-run": flag.switch("print what would be deleted"),
    timeout: deletionTimeout,
  },
  async run({ flags, cwd, ui }) {
    const { root, project } = openOrView(cwd, ui, flags);
    const { renderDeployment } = await import("../../../ship/cluster/deploy.ts");
    const objects = await renderDeployment(root, { namespace: flags.namespace });
    const namespace = flags.namespace ?? `${project.projectName}-system`;
    await announceTarget(flags, ui, { action: "Deleting the operator", namespace });
    await deleteFromCluster(objects, flags, ui);
  },
});

interface DeletionFlags extends ClusterChoice {
  readonly force: boolean;
  readonly "dry-run": boolean;
  readonly timeout: number;
}

/** Deletes objects from a cluster. Lists them first, and the objects that are kept because other data depends on them. */
async function deleteFromCluster(
  objects: readonly ManifestObject[],
  flags: DeletionFlags,
  ui: Ui,
): Promise<void> {
  const { deleteObjects, planUndeploy } = await import("../../../ship/cluster/undeploy.ts");
  const plan = await planUndeploy(objects, flags, { force: flags.force });
  for (const { object, reason } of plan.keep) {
    ui.note(`keep ${describeObject(object)}: ${reason}; use --force to delete it, too`);
  }
  for (const object of plan.remove) ui.note(`delete ${describeObject(object)}`);
  if (flags["dry-run"]) {
    ui.note("Nothing was deleted (--dry-run).");
    return;
  }
  ui.print((await deleteObjects(plan.remove, { ...flags, seconds: flags.timeout })).join("\n"));
}
