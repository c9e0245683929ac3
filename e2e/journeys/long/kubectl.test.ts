import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { findPrograms, kubectlReleases } from "../../support/kubectl-binaries.ts";
import { type CommandResult, run, tryRun } from "../../support/shell.ts";

// Real kubectl against the embedded cluster with all its controllers.

describe.each(kubectlReleases)("kubectl 1.%s", (release) => {
  const programs = findPrograms(release);
  if ("missing" in programs) console.log(`left out: kubectl 1.${release}: ${programs.missing}`);
  let cluster: TestCluster;
  let folder: string;
  let kubectl: (...args: string[]) => Promise<CommandResult>;
  let failing: (...args: string[]) => Promise<CommandResult>;

  beforeAll(async () => {
    if ("missing" in programs) return;
    folder = mkdtempSync(join(tmpdir(), "kubectl-"));
    cluster = await startTestCluster({ controllers: controllerNames, crds: [widgets] });
    const env = {
      KUBECONFIG: await cluster.kubeconfigFile(),
      HOME: folder,
      KUBE_EDITOR: "sed -i s/blue/green/",
    };
    kubectl = (...args) => run({ folder, env }, programs.kubectl, ...args);
    failing = (...args) => tryRun({ folder, env }, programs.kubectl, ...args);
    writeFileSync(join(folder, "web.yaml"), web);
    writeFileSync(join(folder, "widget.yaml"), widget);
  });

  afterAll(async () => {
    await cluster?.stop();
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  test.skipIf("missing" in programs)(
    "applies a Deployment, rolls it out, scales it and deletes it",
    async () => {
      expect((await kubectl("apply", "-f", "web.yaml")).stdout).toContain("deployment.apps/web created");
      expect((await kubectl("apply", "-f", "web.yaml")).stdout).toContain("deployment.apps/web unchanged");
      await kubectl("rollout", "status", "deployment/web", `--timeout=${timeoutIn.journey}`);
      await kubectl("scale", "deployment/web", "--replicas=3");
      await kubectl(
        "wait",
        "--for=jsonpath={.status.readyReplicas}=3",
        "deployment/web",
        `--timeout=${timeoutIn.journey}`,
      );
      expect((await kubectl("get", "deployment", "web")).stdout).toMatch(/web +3\/3 +3 +3/);
      expect(
        (await kubectl("get", "pods", "-l", "app=web", "-o", "wide")).stdout.match(/Running/g),
      ).toHaveLength(3);
      await kubectl("set", "image", "deployment/web", "web=nginx:2");
      await kubectl("rollout", "status", "deployment/web", `--timeout=${timeoutIn.journey}`);
      expect((await kubectl("rollout", "history", "deployment/web")).stdout).toMatch(/^2 /m);
      await kubectl("rollout", "undo", "deployment/web");
      expect((await kubectl("describe", "deployment", "web")).stdout).toContain("Replicas:");
      await kubectl("delete", "deployment", "web", `--timeout=${timeoutIn.journey}`);
      expect((await failing("get", "deployment", "web")).stderr).toContain(
        'deployments.apps "web" not found',
      );
    },
  );

  test.skipIf("missing" in programs)(
    "creates, labels, patches, edits and diffs custom resources",
    async () => {
      expect((await kubectl("apply", "-f", "widget.yaml")).stdout).toContain("widget.example.com/w created");
      expect((await kubectl("get", "widgets")).stdout).toMatch(/NAME +COLOR +AGE\nw +blue/);
      await kubectl("patch", "widget", "w", "--type=merge", "-p", '{"spec":{"size":2}}');
      await kubectl("label", "widget", "w", "a=b");
      expect((await kubectl("get", "widget", "-l", "a=b", "-o", "name")).stdout).toBe(
        "widget.example.com/w\n",
      );
      await kubectl("edit", "widget", "w");
      const changed = await failing("diff", "-f", "widget.yaml");
      expect(changed.exitCode).toBe(1);
      expect(changed.stdout).toMatch(/-\s+color: green[\s\S]*\+\s+color: blue/);
      expect(
        (await kubectl("apply", "--server-side", "--force-conflicts", "-f", "widget.yaml")).stdout,
      ).toContain("serverside-applied");
      expect(
        (await failing("patch", "widget", "w", "--type=merge", "-p", '{"spec":{"color":7}}')).stderr,
      ).toContain("spec.color");
      await kubectl("delete", "-f", "widget.yaml", "--wait", `--timeout=${timeoutIn.journey}`);
    },
  );

  test.skipIf("missing" in programs)(
    "explains, lists what there is, and answers who may do what",
    async () => {
      expect((await kubectl("explain", "widget.spec.color")).stdout).toContain("What it looks like");
      expect((await kubectl("explain", "deployment.spec.replicas")).stdout).toContain("integer");
      expect((await kubectl("api-resources")).stdout).toMatch(/widgets +example\.com\/v1 +true +Widget/);
      expect((await kubectl("api-versions")).stdout).toContain("apps/v1");
      expect((await kubectl("version", "-o", "json")).stdout).toContain("serverVersion");
      expect((await kubectl("auth", "can-i", "create", "pods")).stdout).toBe("yes\n");
      expect((await failing("auth", "can-i", "create", "pods", "--as", "nobody")).stdout).toBe("no\n");
      expect((await failing("get", "pods", "--as", "nobody")).stderr).toContain(
        'User "nobody" cannot list resource "pods" in API group "" in the namespace "default"',
      );
    },
  );

  test.skipIf("missing" in programs)(
    "creates built-in kinds by their own commands, which newer releases send as protobuf",
    async () => {
      await kubectl("create", "namespace", "team");
      await kubectl("create", "configmap", "settings", "--from-literal=a=b", "-n", "team");
      await kubectl("create", "deployment", "app", "--image=nginx", "-n", "team");
      await kubectl("rollout", "status", "deployment/app", "-n", "team", `--timeout=${timeoutIn.journey}`);
      await kubectl("create", "serviceaccount", "robot", "-n", "team");
      await kubectl("create", "role", "reader", "--verb=get", "--resource=pods", "-n", "team");
      expect((await kubectl("create", "token", "robot", "-n", "team")).stdout.split(".")).toHaveLength(3);
      expect(
        (await kubectl("get", "configmap", "settings", "-n", "team", "-o", "jsonpath={.data.a}")).stdout,
      ).toBe("b");
      await kubectl("expose", "deployment", "app", "--port=80", "-n", "team");
      expect((await kubectl("get", "endpointslices", "-n", "team")).stdout).toContain("app-");
      expect((await kubectl("events", "-n", "team")).stdout).toContain("ScalingReplicaSet");
      await kubectl("delete", "namespace", "team", `--timeout=${timeoutIn.journey}`);
      expect((await failing("get", "namespace", "team")).exitCode).toBe(1);
    },
  );
});

const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "nginx:1"}]
`;

const widget = `apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
spec: {color: blue}
`;

const widgets = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", listKind: "WidgetList", plural: "widgets", singular: "widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: "Color", type: "string", jsonPath: ".spec.color" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  color: { type: "string", description: "What it looks like." },
                  size: { type: "integer" },
                },
              },
            },
          },
        },
      },
    ],
  },
};
