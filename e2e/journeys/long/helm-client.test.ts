import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { type CommandResult, run, tryRun } from "../../support/shell.ts";

// Real helm against the embedded cluster with all its controllers: helm 3 sends protobuf and patches, helm 4 uses
// server-side apply.

describe.each([
  ["3", "30"],
  ["4", "36"],
])("helm %s", (major, release) => {
  const programs = findPrograms(release);
  if ("missing" in programs) console.log(`left out: helm ${major}: ${programs.missing}`);
  let cluster: TestCluster;
  let folder: string;
  let helm: (...args: string[]) => Promise<CommandResult>;
  let failing: (...args: string[]) => Promise<CommandResult>;
  let read: (...args: string[]) => Promise<string>;

  beforeAll(async () => {
    if ("missing" in programs) return;
    folder = mkdtempSync(join(tmpdir(), "helm-"));
    cluster = await startTestCluster({ controllers: controllerNames });
    const shell = { folder, env: { KUBECONFIG: await cluster.kubeconfigFile(), HOME: folder } };
    helm = (...args) => run(shell, programs.helm, ...args);
    failing = (...args) => tryRun(shell, programs.helm, ...args);
    read = async (...args) => (await run(shell, programs.kubectl, "get", ...args)).stdout;
    for (const [file, content] of Object.entries(chart)) {
      mkdirSync(dirname(join(folder, "shop", file)), { recursive: true });
      writeFileSync(join(folder, "shop", file), content);
    }
  });

  afterAll(async () => {
    await cluster?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  test.skipIf("missing" in programs)(
    "installs a chart with definitions and hooks, and waits until it is ready",
    async () => {
      expect((await helm("version", "--short")).stdout).toMatch(new RegExp(`^v${major}\\.`));
      const args = ["--namespace", "team", "--create-namespace", "--wait", "--timeout", timeoutIn.journey];
      const { stdout } = await helm("install", "shop", "./shop", ...args);
      expect(stdout).toContain("STATUS: deployed");
      expect(await read("deployment", "shop", "-n", "team", "-o", "jsonpath={.status.readyReplicas}")).toBe(
        "2",
      );
      expect(await read("baskets", "-n", "team", "-o", "name")).toBe("basket.example.com/first\n");
      // The hook ran before the rest, and was deleted after it had succeeded.
      expect(await read("configmap", "prepared", "-n", "team", "-o", "jsonpath={.data.by}")).toBe("hook");
      expect(await read("jobs", "-n", "team", "-o", "name")).toBe("");
      expect((await helm("status", "shop", "-n", "team")).stdout).toContain("STATUS: deployed");
      expect((await helm("list", "-A", "-q")).stdout).toBe("shop\n");
    },
  );

  test.skipIf("missing" in programs)(
    "upgrades, deletes what the chart no longer has, and rolls back",
    async () => {
      const set = ["--set", "replicas=3,color=green,extra=false", "--wait", "--timeout", timeoutIn.journey];
      await helm("upgrade", "shop", "./shop", "-n", "team", ...set);
      expect(await read("deployment", "shop", "-n", "team", "-o", "jsonpath={.status.readyReplicas}")).toBe(
        "3",
      );
      expect(await read("configmap", "shop", "-n", "team", "-o", "jsonpath={.data.color}")).toBe("green");
      expect(await read("secret", "extra", "-n", "team", "--ignore-not-found")).toBe("");
      const { stdout } = await helm("history", "shop", "-n", "team", "-o", "json");
      expect((JSON.parse(stdout) as { status: string }[]).map(({ status }) => status)).toEqual([
        "superseded",
        "deployed",
      ]);

      await helm("rollback", "shop", "1", "-n", "team", "--wait", "--timeout", timeoutIn.journey);
      expect(await read("deployment", "shop", "-n", "team", "-o", "jsonpath={.spec.replicas}")).toBe("2");
      expect(await read("configmap", "shop", "-n", "team", "-o", "jsonpath={.data.color}")).toBe("blue");
      expect(await read("secret", "extra", "-n", "team", "-o", "jsonpath={.data.key}")).toBe("dmFsdWU=");
    },
  );

  test.skipIf("missing" in programs)("reports why an upgrade is rejected, and rolls back", async () => {
    const back = Number(major) === 3 ? "--atomic" : "--rollback-on-failure";
    const set = ["--set", "size=0", back, "--timeout", timeoutIn.journey];
    const refused = await failing("upgrade", "shop", "./shop", "-n", "team", ...set);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain("spec.size: Invalid value: 0");
    expect(await read("basket", "first", "-n", "team", "-o", "jsonpath={.spec.size}")).toBe("1");
    expect((await helm("status", "shop", "-n", "team")).stdout).toContain("STATUS: deployed");
  });

  test.skipIf("missing" in programs)("uninstalls everything but the CRDs", async () => {
    await helm("uninstall", "shop", "-n", "team", "--wait", "--timeout", timeoutIn.journey);
    expect(
      await read("deployment,configmap,secret,basket", "-n", "team", "-l", "app=shop", "-o", "name"),
    ).toBe("");
    expect(await read("crd", "baskets.example.com", "-o", "name")).toContain("baskets.example.com");
    expect((await failing("status", "shop", "-n", "team")).stderr).toContain("not found");
  });
});

const chart = {
  "Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n",
  "values.yaml": "replicas: 2\ncolor: blue\nextra: true\nsize: 1\n",
  "crds/baskets.yaml": `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: baskets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Basket, plural: baskets }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec: { type: object, properties: { size: { type: integer, minimum: 1 } } }
`,
  "templates/basket.yaml": `
apiVersion: example.com/v1
kind: Basket
metadata: { name: first, labels: { app: shop } }
spec: { size: {{ .Values.size }} }
`,
  "templates/config.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: { name: shop, labels: { app: shop } }
data: { color: {{ .Values.color }} }
---
{{- if .Values.extra }}
apiVersion: v1
kind: Secret
metadata: { name: extra, labels: { app: shop } }
stringData: { key: value }
{{- end }}
`,
  "templates/deployment.yaml": `
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop, labels: { app: shop } }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec: { containers: [{ name: main, image: "nginx:1.29" }] }
`,
  "templates/hooks.yaml": `
apiVersion: v1
kind: ConfigMap
metadata:
  name: prepared
  annotations: { helm.sh/hook: pre-install, helm.sh/hook-weight: "-5" }
data: { by: hook }
---
apiVersion: batch/v1
kind: Job
metadata:
  name: prepare
  annotations: { helm.sh/hook: pre-install, helm.sh/hook-delete-policy: hook-succeeded }
spec:
  template:
    spec: { restartPolicy: Never, containers: [{ name: main, image: "busybox:1" }] }
`,
};
