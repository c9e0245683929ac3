import { join } from "node:path";
import { execa } from "execa";
import { announceTarget, clusterFlags } from "../../arguments/cluster-flags.ts";
import { defineCommand } from "../../arguments/command.ts";
import { trace } from "../../../shared/trace.ts";
import { openProject } from "../../project/open-project.ts";

export const run = defineCommand({
  description:
    "Bundles the operator and runs it with the permissions of your kubeconfig. Install the CRDs first with tsbuilder install. Webhooks are disabled, since a cluster cannot reach them on this machine. Arguments after -- are passed to the operator.",
  streams: true,
  flags: clusterFlags,
  takesRest: true,
  examples: ["tsbuilder run --context kind-dev", "tsbuilder run -- --log-level debug"],
  async run({ flags, rest, cwd, ui }) {
    const { root } = openProject(cwd, ui);
    const { bundleOperator } = await import("../../../ship/bundle.ts");
    const file = join(root, "dist/main.js");
    await bundleOperator(root, file);
    await announceTarget(flags, ui, { action: "Running the operator" });
    const args = [
      ...(flags.kubeconfig ? ["--kubeconfig", flags.kubeconfig] : []),
      ...(flags.context ? ["--kube-context", flags.context] : []),
      "--enable-webhooks=false",
      "--metrics-bind-address=0",
      "--health-probe-bind-address=0",
      ...rest,
    ];
    trace(`runs ${file} ${args.join(" ")}`);
    const { exitCode } = await execa(process.execPath, ["--enable-source-maps", file, ...args], {
      cwd: root,
      stdio: "inherit",
      reject: false,
    });
    return exitCode ?? 1;
  },
});
