import { describe, expect, test } from "vitest";
import { findProgram } from "../../oracle/kubernetes-suite/find-program.ts";
import { runOnNodes, startNodesCluster } from "../../oracle/kubernetes-suite/run-on-nodes.ts";
import { listSpecs } from "../../oracle/kubernetes-suite/run-specs.ts";
import { titleOf } from "../../oracle/kubernetes-suite/table.ts";
import type { Verdict } from "../../oracle/kubernetes-suite/verdicts.ts";

// A part of Kubernetes' conformance suite on two nodes of the embedded cluster, for each thing that containers bring one spec or two;
// `npm run lab -- conformance --nodes 2` runs all.

const chosen = [
  /Aggregator/,
  /AdmissionWebhook should be able to deny attaching pod/,
  /Kubectl logs logs should be able to retrieve and filter logs/,
  /Proxy version v1 should proxy through a service and a pod/,
  /Services should serve a basic endpoint from pods/,
  /DNS should provide DNS for pods for Hostname/,
  /ConfigMap should be consumable via the environment/,
  /Probing container should be restarted with a exec "cat \/tmp\/health"/,
  /Pods should support remote command execution over websockets/,
  /ServiceAccounts should mount an API token/,
  /Projected secret should be consumable from pods in volume \[/,
  /StatefulSet .*halt if any stateful pod is unhealthy/,
];
const program = findProgram({ build: false });
const cluster = "missing" in program ? program : await startNodesCluster(2, { build: false });

if ("missing" in program || "missing" in cluster) {
  const { missing } = cluster as { readonly missing: string };
  console.log(`left out: Kubernetes' conformance suite on nodes: ${missing}`);
  test("Kubernetes' conformance suite is left out on machines without nodes", () => {
    expect(missing).not.toBe("");
  });
} else {
  const all = await listSpecs(program);
  const specs = all.filter((spec) => chosen.some((names) => names.test(spec)));
  describe("specs of Kubernetes' conformance suite on nodes", () => {
    let verdicts: Promise<Verdict[]> | undefined;
    const named = specs.map((spec): [string, string] => [titleOf(spec), spec]);
    test.each(named)("%s", async (_, spec) => {
      verdicts ??= runAll();
      const found = (await verdicts).find((verdict) => verdict.spec === spec);
      expect(found).toEqual({ spec, passed: true, message: "" });
    });
  });

  async function runAll(): Promise<Verdict[]> {
    if ("missing" in program || "missing" in cluster) return [];
    const verdicts: Verdict[] = [];
    try {
      const tell = (more: readonly Verdict[]): void => void verdicts.push(...more);
      await runOnNodes(program, cluster, specs, { shares: 4, output: "ignore", tell });
    } finally {
      await cluster.stop();
    }
    return verdicts;
  }
}
