import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { CustomResourceDefinition } from "@tsbuilder/runtime/k8s/apiextensions/v1";
import { expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { useProjectFolder } from "../../support/projects/project-folder.ts";

const programs = findPrograms("33");
if ("missing" in programs) console.log(`left out: a version that a cluster stores: ${programs.missing}`);

const folder = useProjectFolder();
const name = "orders.apps.example.com";

test.skipIf("missing" in programs)(
  "delete api refuses a version that a cluster stores, until its objects are stored in another one",
  async () => {
    if ("missing" in programs) return;
    await folder.initialize();
    await folder.call("create api --group apps --version v1 --kind Order");
    await folder.call("create api --group apps --version v2 --kind Order --controller=false");
    const crd = parse(folder.read("config/crd/bases/apps.example.com_orders.yaml")) as object;
    const cluster = await startTestCluster({ crds: [crd] });
    onTestFinished(() => cluster.stop());
    const client = createClient(() => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
    onTestFinished(() => client.close());
    vi.stubEnv("PATH", `${dirname(programs.kubectl)}:${process.env["PATH"]}`);
    vi.stubEnv("KUBECONFIG", join(folder.root, "kubeconfig"));
    onTestFinished(() => void vi.unstubAllEnvs());
    writeFileSync(join(folder.root, "kubeconfig"), JSON.stringify(cluster.kubeconfig));
    const remove = () =>
      folder.call("delete api --group apps --version v1 --kind Order --keep --context tsbuilder");

    const before = folder.snapshot();
    await expect(remove()).rejects.toMatchObject({
      code: "REFUSED",
      message: `v1 is the storage version of ${name} in the cluster of context "tsbuilder"`,
    });
    const { spec } = await client.get(CustomResourceDefinition, { name });
    const swapped = spec.versions.map((version) => ({ ...version, storage: version.name === "v2" }));
    await client.patch(CustomResourceDefinition, { name }, { merge: { spec: { versions: swapped } } });
    await expect(remove()).rejects.toMatchObject({
      code: "REFUSED",
      message: expect.stringMatching(
        /^objects may be stored in v1: .* lists it in status\.storedVersions/u,
      ) as string,
      hint: `store the objects again, then delete the version: tsbuilder migrate storage --context tsbuilder --crd ${name}`,
    });
    expect(folder.snapshot()).toEqual(before);

    const status = { status: { storedVersions: ["v2"] } };
    await client.subresource(CustomResourceDefinition, { name }, "status").patch({ merge: status });
    expect(await remove()).toContain(`the cluster of context "tsbuilder" stores no objects of ${name} in v1`);
    expect(folder.snapshot()).not.toHaveProperty("api/v1/order_types.ts");
  },
);
