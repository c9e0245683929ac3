import { quoteWord } from "../../shared/text.ts";
import { defineCommand } from "../command.ts";
import { endAsked } from "../wait-for-end.ts";

export const clusterStart = defineCommand({
  summary: "Start an embedded cluster, and keep it until it is asked to end",
  flags: {
    kubeconfig: {
      type: "string",
      summary: "file to write the administrator's kubeconfig to",
      placeholder: "FILE",
      required: true,
    },
    port: { type: "number", summary: "port to listen at (default: a free one)", placeholder: "PORT" },
    data: {
      type: "string",
      summary: "folder to keep the objects in; without it they are gone at the end",
      placeholder: "DIR",
    },
    controllers: {
      type: "string",
      summary: "controllers to run: all, none, or names with commas",
      placeholder: "NAMES",
      default: "all",
    },
    stages: {
      type: "string",
      summary: "KWOK Stage file that says what becomes of pods and other objects, and when",
      placeholder: "FILE",
    },
  },
  examples: ["tsbuilder cluster start --kubeconfig /tmp/kubeconfig --data ./cluster-data"],
  async run({ flags, cwd, ui }) {
    const { startForeground } = await import("../../dev/foreground-cluster.ts");
    const ended = endAsked();
    const cluster = await startForeground({ ...flags, folder: cwd });
    ui.print(
      `cluster ready at ${cluster.url}: KUBECONFIG=${quoteWord(flags.kubeconfig)} kubectl get namespaces`,
    );
    await ended;
    await cluster.stop();
  },
});
