import { quoteWord } from "../../../shared/text.ts";
import { defineCommand } from "../../arguments/command.ts";
import { checkPort } from "../../../project/validate.ts";
import { stopSignal } from "../../reporting/stop-signal.ts";

export const clusterStart = defineCommand({
  summary: "Start an embedded cluster and run it until interrupted",
  streams: true,
  flags: {
    kubeconfig: {
      type: "string",
      summary: "file to write the admin kubeconfig to",
      placeholder: "FILE",
      required: true,
    },
    port: {
      type: "number",
      summary: "port to listen on (default: a free port)",
      placeholder: "PORT",
      check: checkPort,
    },
    data: {
      type: "string",
      summary: "folder to persist objects in; if omitted, they are kept in memory only",
      placeholder: "DIR",
    },
    controllers: {
      type: "string",
      summary: "controllers to run: all, none, or a comma-separated list of names",
      placeholder: "NAMES",
      default: "all",
    },
    stages: {
      type: "string",
      summary: "KWOK Stage file that simulates the lifecycle of pods and other objects",
      placeholder: "FILE",
    },
    "service-ports": {
      type: "list",
      summary: "local ports behind the Services that webhooks name",
      placeholder: "NAMESPACE/NAME[:PORT]=LOCAL-PORT",
    },
  },
  examples: [
    "tsbuilder cluster start --kubeconfig /tmp/kubeconfig --data ./cluster-data",
    "tsbuilder cluster start --kubeconfig /tmp/kubeconfig --service-ports shop-system/shop-webhook-service=9443",
  ],
  async run({ flags, cwd, ui }) {
    const { startForeground } = await import("../../../dev/cluster/foreground-cluster.ts");
    const ended = stopSignal();
    const cluster = await startForeground({ ...flags, folder: cwd, servicePorts: flags["service-ports"] });
    ui.print(
      `cluster ready at ${cluster.url}: KUBECONFIG=${quoteWord(flags.kubeconfig)} kubectl get namespaces`,
    );
    await ended;
    await cluster.stop();
  },
});
