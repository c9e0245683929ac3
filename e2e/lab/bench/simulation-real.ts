import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { createClient, defineKind, loadConfig } from "@tsbuilder/runtime";
import type { UnstructuredObject } from "@tsbuilder/runtime/advanced";
import { Namespace } from "@tsbuilder/runtime/k8s/core/v1";
import { startTestManager, untilIdle } from "@tsbuilder/runtime/testing";
import type { Scenario } from "@tsbuilder/simulation";
import type { PlannedStep } from "../../../src/simulation/operations/operations-for.ts";
import type { CRD } from "../../../src/simulation/operations/draw-object.ts";
import { startControlPlane } from "../../oracle/real/control-plane.ts";
import { findBinaries } from "../../oracle/real/control-plane-binaries.ts";
import { eventually } from "../../support/eventually.ts";
import { CustomResourceDefinition, surprisesOf } from "../../support/simulation/do-steps.ts";
import { processesIn, processorTime } from "./load/processes.ts";

/** How long nothing may happen on a real control plane until the operator is said to rest: there is no other sign. */
const quiet = 2000;

/**
 * One disturbed run of a scenario on a real control plane: its steps without pauses, the operator's process replaced by
 * another, and the deletion of what is left. Only the run is measured, not the start of the control plane.
 */
export async function runOnReal(
  { operators: [operator] }: Scenario,
  crd: CRD,
  steps: readonly PlannedStep[],
) {
  const binaries = findBinaries({ build: false });
  if ("missing" in binaries) return console.log(`left out: the real control plane: ${binaries.missing}`);
  const control = await startControlPlane(binaries.folder, { controllerManager: true });
  const client = createClient(await loadConfig({ kubeconfig: control.kubeconfig, env: {} }));
  try {
    await client.create(CustomResourceDefinition, crd as never);
    await client.create(Namespace, { metadata: { name: "other" } });
    const { group, names, versions } = crd.spec;
    const kind = defineKind<UnstructuredObject>({ group, version: versions[0]!.name }, names);
    await eventually(() => client.list(kind));
    const pids = processesIn(control.folder);
    const [start, servers, own] = [performance.now(), processorTime(pids), process.cpuUsage()];
    const live = async (work: () => Promise<unknown>): Promise<void> => {
      const { manager, stop } = await startTestManager(
        control.kubeconfig,
        (all) => void operator!.setup(all),
      );
      await work();
      let busy = performance.now();
      while (performance.now() - busy < quiet) {
        if (!manager.isIdle) busy = performance.now();
        await delay(50);
      }
      await untilIdle(manager);
      await stop();
    };
    await live(() => surprisesOf(client, crd, steps));
    await live(async () => {
      for (const { metadata } of await client.list(kind))
        await client.delete(kind, { name: metadata.name, namespace: metadata.namespace });
    });
    const { user, system } = process.cpuUsage(own);
    const processor = processorTime(pids) - servers + (user + system) / 1000;
    console.log(
      `one on kube-apiserver and etcd: ${((performance.now() - start) / 1000).toFixed(1)} s, ` +
        `${(2 * quiet) / 1000} s of them to see that it rests; ${processor.toFixed(0)} ms of processor time; load ${loadavg()[0]!.toFixed(1)}`,
    );
  } finally {
    await client.close();
    await control.stop();
  }
}
