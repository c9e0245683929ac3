import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { controllerNames, startCluster } from "@tsbuilder/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { timeoutIn } from "../../../.config/limits.ts";
import { parseManifest } from "../../../src/ship/manifest.ts";
import { renderConfig } from "../../../src/ship/render.ts";
import { goldenProjects, run as call } from "../../golden/golden-projects.ts";
import { byName, essence, helmTemplate } from "../../support/projects/chart.ts";
import { useGoldenCopies } from "../../support/projects/golden-copies.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { run, type Shell } from "../../support/shell.ts";

// The charts of the golden projects, which together have every feature, rendered by real Helm: Helm 3 and 4.

const releases = ["30", "36"] as const;
const { work, missing, helm } = useGoldenCopies("charts in Helm", async (root) => {
  // The goldens' CRDs are written without Kubernetes' own descriptions.
  await call(["manifests"], root);
  await call(["chart"], root);
});

const shell = (name: string): Shell => ({
  folder: join(work, name),
  env: { PATH: process.env["PATH"]!, HOME: work },
});

describe.skipIf(missing !== undefined).each(releases)("with helm of kubectl 1.%s", (release) => {
  const found = findPrograms(release);
  const helm = "missing" in found ? "" : found.helm;

  test.each(goldenProjects)("the chart of %s gives what deploy applies", async (name) => {
    const deployed = parseManifest(await renderConfig(join(work, name), "default"));
    const expected = byName(deployed.filter(({ kind }) => kind !== "Namespace"));
    const charted = byName(await helmTemplate(shell(name), helm, name));
    expect([...charted.keys()].sort()).toEqual([...expected.keys()].sort());
    for (const [object, manifest] of expected) {
      expect({ [object]: essence(charted.get(object)) }).toEqual({ [object]: essence(manifest) });
    }
  });

  test.each(goldenProjects)("helm lint reports nothing for the chart of %s", async (name) => {
    const { stdout } = await run(shell(name), helm, "lint", "--strict", "dist/chart");
    expect(stdout).toContain("1 chart(s) linted, 0 chart(s) failed");
  });
});

describe.skipIf(missing !== undefined)("a value", () => {
  const template = async (...values: string[]): Promise<string[]> =>
    [...byName(await helmTemplate(shell("team-operator"), helm, "team-operator", ...values)).keys()].sort();
  const gone = async (...values: string[]): Promise<string[]> => {
    const now = await template(...values);
    return (await template())
      .filter((object) => !now.includes(object))
      .map((object) => object.split(" ")[0]!);
  };

  test.each([
    ["crd.enabled", ["CustomResourceDefinition", "CustomResourceDefinition"]],
    ["prometheus.enabled", ["PrometheusRule", "PrometheusRule", "ServiceMonitor"]],
    ["alerts.enabled", ["PrometheusRule", "PrometheusRule"]],
    ["networkPolicy.enabled", ["NetworkPolicy", "NetworkPolicy"]],
    ["certManager.enabled", ["Certificate", "Certificate", "Certificate", "Issuer", "Issuer"]],
    ["metrics.secure", ["ClusterRole", "ClusterRole", "ClusterRoleBinding"]],
    ["rbac.helpers.enabled", ["ClusterRole", "ClusterRole", "ClusterRole", "Role", "Role", "Role"]],
    [
      "webhook.enabled",
      [
        "Certificate",
        "MutatingWebhookConfiguration",
        "NetworkPolicy",
        "PrometheusRule",
        "Service",
        "ValidatingWebhookConfiguration",
      ],
    ],
    [
      "metrics.enabled",
      [
        "Certificate",
        "ClusterRole",
        "ClusterRole",
        "ClusterRoleBinding",
        "NetworkPolicy",
        "PrometheusRule",
        "PrometheusRule",
        "Service",
        "ServiceMonitor",
      ],
    ],
  ])("%s=false takes its objects out, and no others", async (name, kinds) => {
    expect(await gone(`${name}=false`)).toEqual(kinds);
  });

  test("enables what the project disables", async () => {
    const name = "mysql-operator";
    const off = byName(await helmTemplate(shell(name), helm, name));
    const on = byName(
      await helmTemplate(
        shell(name),
        helm,
        name,
        ...["prometheus", "alerts", "networkPolicy"].map((part) => `${part}.enabled=true`),
      ),
    );
    const added = [...on.keys()].filter((object) => !off.has(object)).map((object) => object.split(" ")[0]);
    expect(new Set(added)).toEqual(new Set(["NetworkPolicy", "PrometheusRule", "ServiceMonitor"]));
  });

  test("reaches the operator's container", async () => {
    const objects = await helmTemplate(
      shell("team-operator"),
      helm,
      "team-operator",
      "manager.replicas=3",
      "manager.image.repository=r.io/team",
      "manager.image.tag=v2",
      "manager.env[0].name=A",
      "manager.env[0].value=one",
      "manager.env[1].name=B",
      "manager.env[1].value=two",
      "manager.envOverrides.B=three",
      "manager.nodeSelector.disk=fast",
      "metrics.port=9090",
      "webhook.enabled=false",
    );
    const { spec } = objects.find(({ kind }) => kind === "Deployment") as unknown as {
      spec: { replicas: number; template: { spec: Record<string, unknown> & { containers: object[] } } };
    };
    expect(spec.replicas).toBe(3);
    expect(spec.template.spec).toMatchObject({ nodeSelector: { disk: "fast" } });
    expect(spec.template.spec.containers[0]).toMatchObject({
      image: "r.io/team:v2",
      args: expect.arrayContaining(["--metrics-bind-address=:9090", "--enable-webhooks=false"]),
      env: expect.arrayContaining([
        { name: "A", value: "one" },
        { name: "B", value: "three" },
      ]),
    });
    expect(JSON.stringify(objects)).not.toContain('"two"');
    expect(JSON.stringify(objects)).not.toContain("8443");
  });

  test("the release's name and namespace are used everywhere", async () => {
    const { stdout } = await run(
      shell("team-operator"),
      helm,
      "template",
      "blue",
      "dist/chart",
      "--namespace",
      "elsewhere",
    );
    const text = JSON.stringify(parseManifest(stdout));
    expect(text).toContain("elsewhere/blue-team-operator-serving-cert");
    expect(text).toContain("blue-team-operator-webhook-service.elsewhere.svc");
    expect(text).not.toContain("team-operator-system");
    expect(text.replaceAll("blue-team-operator", "")).not.toMatch(/team-operator-(?!0)/u);
  });
});

test.skipIf(missing !== undefined).each(goldenProjects)(
  "names that YAML takes for numbers and booleans stay text in the chart of %s",
  async (name) => {
    const flags = ["--namespace", "123", "--set-string", "nameOverride=1e3"];
    const { stdout } = await run(shell(name), helm, "template", "on", "dist/chart", ...flags);
    // As Helm reads it.
    const objects = parseAllDocuments(stdout, { version: "1.1" }).map((document) => document.toJS() as Named);
    const subjects = objects.flatMap((object) => object.subjects ?? []);
    for (const { metadata } of [...objects, ...subjects.map((subject) => ({ metadata: subject }))]) {
      const texts = [metadata.name, ...Object.values(metadata.labels ?? {})];
      expect(texts.filter((text) => typeof text !== "string")).toEqual([]);
      expect([undefined, "123"]).toContain(metadata.namespace);
    }
    expect(subjects.map(({ namespace }) => namespace)).toContain("123");
  },
);

interface Named {
  readonly metadata: Subject;
  readonly subjects?: readonly Subject[];
}

interface Subject {
  readonly name: unknown;
  readonly namespace?: unknown;
  readonly labels?: Record<string, unknown>;
}

test.skipIf(missing !== undefined)(
  "the user's changes of the values stay, and --force reverts them",
  async () => {
    const folder = join(work, "app-operator");
    const values = join(folder, "dist/chart/values.yaml");
    const fresh = readFileSync(values, "utf8");
    const edited = fresh
      .replace("replicas: 1", "replicas: 2 # mine")
      .replace(/\n# A ServiceMonitor[^]*?\n\n/u, "\n");
    expect(edited).not.toContain("prometheus:");
    writeFileSync(values, edited);
    const said = await call(["chart", "--image", "r.io/app:v2"], folder);
    expect(said).toContain("with its image: to use r.io/app:v2, edit the file");
    expect(said).toContain('added prometheus to "dist/chart/values.yaml"');
    const kept = readFileSync(values, "utf8");
    expect(kept).toContain("replicas: 2 # mine");
    expect(kept).toContain("prometheus:\n  enabled: false");
    await call(["chart", "--force"], folder);
    expect(readFileSync(values, "utf8")).toBe(fresh);
  },
);

test.skipIf(missing !== undefined)("the release's name replaces a prefix that the user set", async () => {
  const folder = join(work, "maria-operator");
  const base = join(folder, "config/base/kustomization.yaml");
  writeFileSync(base, readFileSync(base, "utf8").replace("namePrefix: maria-operator-", "namePrefix: prod-"));
  await call(["chart"], folder);
  const text = JSON.stringify(await helmTemplate(shell("maria-operator"), helm, "maria-operator"));
  expect(text).toContain('"maria-operator-controller-manager"');
  expect(text).not.toContain("prod-");
});

test.skipIf(missing !== undefined)(
  "a template is deleted with its object, and a template of the user stays",
  async () => {
    const folder = join(work, "app-operator");
    const own = join(folder, "dist/chart/templates/rbac/own.yaml");
    writeFileSync(own, "# mine\n");
    const rbac = join(folder, "config/rbac/kustomization.yaml");
    const lines = readFileSync(rbac, "utf8").split("\n");
    writeFileSync(rbac, lines.filter((line) => !line.includes("viewer_role")).join("\n"));
    const said = await call(["chart"], folder);
    expect(said).toMatch(/^delete dist\/chart\/templates\/rbac\/.*viewer-role\.yaml$/mu);
    expect(readFileSync(own, "utf8")).toBe("# mine\n");
  },
);

describe.skipIf(missing !== undefined).each(releases)(
  "helm of kubectl 1.%s, on the embedded cluster",
  (release) => {
    const found = findPrograms(release);
    const helm = "missing" in found ? "" : found.helm;
    const name = "mysql-operator";
    const installation = [name, "dist/chart", "--namespace", "somewhere"];
    let cluster: Awaited<ReturnType<typeof startCluster>>;
    let at: Shell;

    beforeAll(async () => {
      cluster = await startCluster({ controllers: controllerNames });
      const kubeconfig = join(work, `kubeconfig-${release}`);
      writeFileSync(kubeconfig, JSON.stringify(cluster.kubeconfig));
      at = { ...shell(name), env: { ...shell(name).env, KUBECONFIG: kubeconfig } };
    });

    afterAll(() => cluster?.stop());

    test("installs, upgrades and uninstalls the operator, and keeps the CRDs", async () => {
      await run(
        at,
        helm,
        "install",
        ...installation,
        "--create-namespace",
        "--wait",
        "--timeout",
        timeoutIn.journey,
      );
      const ready = ["get", "deployment", "mysql-operator-controller-manager", "-n", "somewhere", "-o"];
      const replicas = async (): Promise<string> =>
        (await run(at, "kubectl", ...ready, "jsonpath={.status.readyReplicas}")).stdout;
      expect(await replicas()).toBe("1");
      const sample = join(at.folder, "config/samples/apps_v1_mysql.yaml");
      await run(at, "kubectl", "apply", "-f", sample);

      await run(
        at,
        helm,
        "upgrade",
        ...installation,
        "--set",
        "manager.replicas=2",
        "--wait",
        "--timeout",
        timeoutIn.journey,
      );
      expect(await replicas()).toBe("2");

      await run(at, helm, "uninstall", name, "--namespace", "somewhere", "--wait");
      expect((await run(at, "kubectl", "get", "mysqls", "-o", "name")).stdout).toContain("mysql-sample");
      expect(
        (await run(at, "kubectl", "get", "deployments,roles,clusterroles", "-A", "-o", "name")).stdout,
      ).not.toContain("mysql-operator-");
    });
  },
);
