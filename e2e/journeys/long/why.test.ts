import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig, ownerReferenceTo } from "@tsbuilder/runtime";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { onTestFinished, expect, test } from "vitest";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { Widget, widgetDefinition } from "../../support/runtime/widget-kinds.ts";
import { tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

const cli = join(repository, "bin/tsbuilder.js");
const programs = findPrograms("33");
if ("missing" in programs) console.log(`left out: why on a cluster of a kubeconfig: ${programs.missing}`);

test.skipIf("missing" in programs)(
  "why explains an object of the cluster that --context names, in the namespace of the context",
  async () => {
    if ("missing" in programs) return;
    const work = mkdtempSync(join(tmpdir(), "tsbuilder-why-"));
    onTestFinished(() => rmSync(work, { recursive: true, force: true }));
    const cluster = await startTestCluster({ crds: [widgetDefinition] });
    onTestFinished(() => cluster.stop());
    const client = createClient(() => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
    onTestFinished(() => client.close());
    const metadata = { namespace: "default", name: "a", finalizers: ["example.com/kept"] };
    const widget = await client.create(Widget, { metadata, spec: { size: 1 } });
    const pod = await client.create(Pod, {
      metadata: { namespace: "default", name: "a-0", ownerReferences: [ownerReferenceTo(widget)] },
      spec: { containers: [{ name: "main", image: "none" }] },
    });
    const waiting = { reason: "ImagePullBackOff", message: 'Back-off pulling image "none"' };
    await client.patchStatus(Pod, pod, {
      phase: "Pending",
      containerStatuses: [
        { name: "main", image: "none", imageID: "", ready: false, restartCount: 0, state: { waiting } },
      ],
    });
    writeFileSync(join(work, "kubeconfig"), JSON.stringify(cluster.kubeconfig));
    const env = {
      PATH: `${dirname(programs.kubectl)}:${process.env["PATH"]}`,
      KUBECONFIG: join(work, "kubeconfig"),
      HOME: work,
    };
    const why = (...args: string[]) => tryRun({ folder: work, env }, process.execPath, cli, "why", ...args);

    const told = await why("widget/a", "--context", "tsbuilder");
    expect(told.exitCode).toBe(0);
    expect(told.stdout).toMatch(/^Widget default\/a is /u);
    expect(told.stdout).toContain(
      `  1. Pod default/a-0: container main: ImagePullBackOff (Back-off pulling image "none")\n`,
    );

    await client.delete(Widget, { namespace: "default", name: "a" });
    const { stdout } = await why(
      "widgets.example.com/default/a",
      "--context",
      "tsbuilder",
      "--output",
      "json",
    );
    expect(JSON.parse(stdout)).toMatchObject({
      explanation: { deletion: { finalizers: ["example.com/kept"] }, causes: [{ kind: "deletion" }, {}] },
    });

    const none = await why("widget/none", "--context", "tsbuilder");
    expect(none).toMatchObject({ exitCode: 1 });
    expect(none.stderr).toContain('namespace "default" has no Widget "none"');
    // Without a session, and without being told to, it asks no cluster.
    expect((await why("widget/a")).stderr).toContain("tsbuilder dev is not running");
  },
);
