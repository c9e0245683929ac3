import { createClient, loadConfig } from "@tsbuilder/runtime";
import { expect, test } from "vitest";
import { referenceOperatorSuite } from "../../support/operators/reference-operators.ts";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";
import { FakeKubelet } from "../../support/cluster/fake-kubelet.ts";

const binaries = findBinaries({ build: false });

if ("missing" in binaries) {
  console.log(`left out: the reference operators on a real control plane: ${binaries.missing}`);
  test.skipIf(true)(`left out: ${binaries.missing}`, () => expect(binaries).not.toHaveProperty("missing"));
} else {
  referenceOperatorSuite("a real control plane", async () => {
    const control = await startControlPlane(binaries.folder, { controllerManager: true });
    const client = createClient(await loadConfig({ kubeconfig: control.kubeconfig, env: {} }));
    const kubelet = new FakeKubelet(client);
    return {
      kubeconfig: control.kubeconfig,
      stop: async () => {
        await kubelet.stop();
        await control.stop();
      },
    };
  });
}
