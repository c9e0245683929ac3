import { findProjectRoot } from "../../../project/store.ts";
import {
  namesCluster,
  operatorFlag,
  otherClusterFlags,
  readDeployment,
} from "../../arguments/cluster-flags.ts";
import { defineCommand, flag } from "../../arguments/command.ts";

export const why = defineCommand({
  description:
    "Explains why an object stands as it does, the most probable cause first: what the operator decided last and because of which event, what it waits for, which condition is false since when, who writes its fields, what the Events say, which children aren't ready, which finalizers hold it. Asks the cluster of the dev session that runs in this project, which also knows the operator's reconciles; with --context or --kubeconfig that cluster, where it reads how the operator runs and what it logs. Only reads.",
  flags: {
    ...otherClusterFlags,
    namespace: flag.string(
      "namespace of the object, if its name has none (default: that of the context)",
      "NAME",
    ),
    operator: operatorFlag,
  },
  positionals: ["<object>"],
  examples: [
    "tsbuilder why mysql/db",
    "tsbuilder why mysql/shop/db --context prod",
    "tsbuilder why deployment/shop/db --context prod --operator shop-system/shop-controller-manager",
    "tsbuilder why mysql/db --output json",
  ],
  async run({ flags, positionals, cwd, ui }) {
    const root = findProjectRoot(cwd) ?? cwd;
    const { readProjectName } = await import("../../../dev/foreign/find-operator.ts");
    const { explainWhy } = await import("../../../dev/why/why.ts");
    const { explanation, lines } = await explainWhy({
      object: positionals[0]!,
      namespace: flags.namespace,
      cluster: namesCluster(flags) ? flags : undefined,
      root,
      operatorNames: [readProjectName(root) ?? []].flat(),
      deployment: readDeployment(flags.operator),
    });
    ui.add?.({ explanation });
    ui.print(lines.join("\n"));
  },
});
