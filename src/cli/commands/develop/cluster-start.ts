import { quoteWord } from "../../../shared/text.ts";
import { defineCommand, flag } from "../../arguments/command.ts";
import { chosenNodes, nodeFlags, releaseFlag } from "../../arguments/cluster-flags.ts";
import { checkPort } from "../../../project/validate.ts";
import { stopSignal } from "../../reporting/report.ts";

export const clusterStart = defineCommand({
  streams: true,
  flags: {
    kubeconfig: flag.string("file to write the admin kubeconfig to", "FILE", { required: true }),
    port: flag.number("port to listen on (default: a free port)", "PORT", { check: checkPort }),
    data: flag.string("folder to persist objects in; if omitted, they are kept in memory only", "DIR"),
    controllers: flag.string("controllers to run: all, none, or a comma-separated list of names", "NAMES", {
      default: "all",
    }),
    "kubernetes-version": releaseFlag,
    ...nodeFlags,
    stages: flag.string("KWOK Stage file that simulates the lifecycle of pods and other objects", "FILE"),
    "service-ports": flag.list(
      "local ports behind the Services that webhooks name",
      "NAMESPACE/NAME[:PORT]=LOCAL-PORT",
    ),
  },
  examples: [
    "tsbuilder cluster start --kubeconfig /tmp/kubeconfig --data ./cluster-data",
    "tsbuilder cluster start --kubeconfig /tmp/kubeconfig --nodes 1",
    "tsbuilder cluster start --kubeconfig /tmp/kubeconfig --kubernetes-version 1.37",
    "tsbuilder cluster start --kubeconfig /tmp/kubeconfig --service-ports shop-system/shop-webhook-service=9443",
  ],
  async run({ flags, cwd, ui }) {
    const { startForeground } = await import("../../../dev/cluster/foreground-cluster.ts");
    const ended = stopSignal();
    const nodes = chosenNodes(flags);
    const servicePorts = flags["service-ports"];
    const kubernetesVersion = flags["kubernetes-version"];
    const cluster = await startForeground({ ...flags, nodes, folder: cwd, servicePorts, kubernetesVersion });
    ui.print(
      `cluster ready at ${cluster.url}: KUBECONFIG=${quoteWord(flags.kubeconfig)} kubectl get namespaces`,
    );
    await ended;
    await cluster.stop();
  },
});
