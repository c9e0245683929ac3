import { announceTarget, applyFlags, overrideFlags } from "../../arguments/cluster-flags.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { openOrView } from "../../project/open-project.ts";

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
