import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { goldenProjects } from "../../golden/golden-projects.ts";
import { startClusterUnderTest, type ClusterUnderTest } from "../../support/runtime/cluster-under-test.ts";
import { findPrograms, kubectlReleases } from "../../support/kubectl-binaries.ts";
import { run } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

// An API server accepts what a golden project deploys: the embedded one here, the real one in e2e/oracle/real.
const programs = findPrograms(kubectlReleases.at(-1)!);
const isLeftOut = "missing" in programs;
if (isLeftOut) console.log(`left out: deployments of the goldens: ${programs.missing}`);

describe.skipIf(isLeftOut)("the deployment of a golden project", () => {
  let folder: string;
  let cluster: ClusterUnderTest;
  let kubeconfig: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tsbuilder-deploy-"));
    cluster = await startClusterUnderTest(
      definition("cert-manager.io", "Certificate"),
      definition("cert-manager.io", "Issuer"),
      definition("monitoring.coreos.com", "PrometheusRule"),
      definition("monitoring.coreos.com", "ServiceMonitor"),
    );
    kubeconfig = join(folder, "kubeconfig");
    const config = cluster.kubeconfig;
    if (typeof config === "string") kubeconfig = config;
    else writeFileSync(kubeconfig, JSON.stringify(config), { mode: 0o600 });
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(goldenProjects)("%s is accepted completely, and its samples are valid", async (name) => {
    const config = join(repository, "e2e/golden", name, "config");
    const deployment = await kubectl("kustomize", join(config, "default"));
    const manifest = join(folder, `${name}.yaml`);
    writeFileSync(manifest, deployment);
    try {
      const applied = await kubectl("apply", "--server-side", "--filename", manifest);
      expect(applied.match(/serverside-applied/g)).toHaveLength(deployment.match(/^kind: /gm)!.length);
      await kubectl("wait", "--for=condition=Established", "crd", "--all", `--timeout=${timeoutIn.unit}`);
      await kubectl("create", "--dry-run=client", "--kustomize", join(config, "samples"));
    } finally {
      // Nothing serves its webhooks, which would reject the objects of the next project.
      await kubectl("delete", "--filename", manifest, "--wait=false", "--ignore-not-found");
    }
  });

  /** A child process, because this process serves the embedded cluster. */
  async function kubectl(...args: string[]): Promise<string> {
    if ("missing" in programs) throw new Error(programs.missing);
    const shell = { folder, env: { HOME: folder, KUBECONFIG: kubeconfig } };
    const { stdout } = await run(shell, programs.kubectl, ...args);
    return stdout;
  }
});

/** A CRD that accepts any object, for kinds that these tests don't check. */
function definition(group: string, kind: string) {
  const plural = `${kind.toLowerCase()}s`;
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
