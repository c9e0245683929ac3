import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { renderConfig } from "../../../src/ship/render.ts";
import { run } from "../../golden/golden-projects.ts";

/** The fields of `kubectl kustomize`'s output that these tests check. */
interface Rendered {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly [field: string]: any;
}

const kubectl = findKubectl();
if (kubectl === undefined)
  process.stderr.write("skipped: rendering config/, because kubectl is not installed\n");

let root: string;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-config-"));
  const calls = [
    "init --domain example.com --project-name shop",
    "create api --group apps --version v1 --kind Order --make=false",
    "create api --group apps --version v2 --kind Order --controller=false --make=false",
    "create api --group apps --version v1 --kind Bill --make=false",
    "create api --group apps --version v2 --kind Bill --controller=false --make=false",
    "create webhook --group apps --version v1 --kind Order --defaulting --programmatic-validation --make=false",
    "create webhook --group apps --version v1 --kind Order --conversion --spoke v2 --make=false",
    "create webhook --group apps --version v1 --kind Bill --conversion --spoke v2",
  ];
  for (const call of calls) await run(call.split(" "), root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const edit = (...flags: string[]): Promise<string> => {
  rendered = undefined;
  return run(["edit", "--make=false", ...flags], root);
};

describe.skipIf(kubectl === undefined)("config/default", () => {
  test("gives every object the project's prefix and namespace", async () => {
    const names = render().map(
      ({ kind, metadata }) => `${kind} ${metadata.namespace ?? ""}/${metadata.name}`,
    );
    expect(names).toContain("Namespace /shop-system");
    expect(names).toContain("Deployment shop-system/shop-controller-manager");
    expect(names).toContain("Service shop-system/shop-webhook-service");
    expect(names).toContain("Certificate shop-system/shop-serving-cert");
    expect(names).toContain("CustomResourceDefinition /orders.apps.example.com");
    const unprefixed = render().filter(
      ({ kind, metadata }) => kind !== "CustomResourceDefinition" && !metadata.name.startsWith("shop-"),
    );
    expect(unprefixed).toEqual([]);
  });

  test("selects the operator's pods everywhere, and gives every Service one of their ports", () => {
    const { labels } = find("Deployment").spec.template.metadata;
    const ports = container().ports.map((port: { containerPort: number }) => port.containerPort);
    for (const service of all("Service")) {
      expect(labels).toMatchObject(service.spec.selector);
      for (const port of service.spec.ports) expect(ports).toContain(port.targetPort);
    }
  });

  test("sets the webhook service and its CA in both configurations and both CRDs", () => {
    const configurations = [find("MutatingWebhookConfiguration"), find("ValidatingWebhookConfiguration")];
    for (const { metadata, webhooks } of configurations) {
      expect(metadata.annotations?.["cert-manager.io/inject-ca-from"]).toBe("shop-system/shop-serving-cert");
      for (const { clientConfig } of webhooks) {
        expect(clientConfig.service).toMatchObject({
          name: "shop-webhook-service",
          namespace: "shop-system",
        });
      }
    }
    const definitions = all("CustomResourceDefinition");
    expect(definitions).toHaveLength(2);
    for (const { metadata, spec } of definitions) {
      expect(metadata.annotations?.["cert-manager.io/inject-ca-from"]).toBe("shop-system/shop-serving-cert");
      expect(spec.conversion.webhook.clientConfig.service).toMatchObject({
        name: "shop-webhook-service",
        namespace: "shop-system",
        path: "/convert",
      });
    }
  });

  test("issues the webhooks' certificate for the DNS names they are called by", () => {
    const { dnsNames, issuerRef, secretName } = named("Certificate", "shop-serving-cert").spec;
    expect(dnsNames).toEqual([
      "shop-webhook-service.shop-system.svc",
      "shop-webhook-service.shop-system.svc.cluster.local",
    ]);
    const authority = named("Issuer", issuerRef.name).spec.ca.secretName;
    const { spec } = all("Certificate").find((each) => each.spec.secretName === authority)!;
    expect(spec.isCA).toBe(true);
    expect(named("Issuer", spec.issuerRef.name).spec).toEqual({ selfSigned: {} });
    expect(container().args).toContain("--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs");
    expect(find("Deployment").spec.template.spec.volumes).toContainEqual({
      name: "webhook-certs",
      secret: { secretName },
    });
  });

  test("keeps the operator within the restricted Pod Security Standard", () => {
    const { securityContext } = find("Deployment").spec.template.spec;
    expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(container().securityContext).toEqual({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
    });
  });

  test("deploys the image that is asked for, also after an edit by hand", async () => {
    const imageIn = async (file: string, edit: (text: string) => string) => {
      const path = join(root, "config", file);
      const before = readFileSync(path, "utf8");
      writeFileSync(path, edit(before));
      try {
        const rendered = await renderConfig(root, "default", { image: "r.io/other:v2" });
        return /^ *image: (.*)$/mu.exec(rendered)?.[1];
      } finally {
        writeFileSync(path, before);
      }
    };
    const images = (name: string) => `\nimages:\n- name: ${name}\n  newName: r.io/mine\n  newTag: v1\n`;
    const byHand = (text: string) => text.replace("image: controller:latest", "image: r.io/mine:v1");
    expect(await imageIn("manager/manager.yaml", (text) => text)).toBe("r.io/other:v2");
    expect(await imageIn("manager/manager.yaml", byHand)).toBe("r.io/other:v2");
    for (const folder of ["manager", "base", "default"])
      expect(await imageIn(`${folder}/kustomization.yaml`, (text) => text + images("controller"))).toBe(
        "r.io/other:v2",
      );
    await expect(
      imageIn("default/kustomization.yaml", (text) => text + images("r.io/other")),
    ).rejects.toMatchObject({
      message: 'config/default deploys the image "r.io/mine:v1", and not "r.io/other:v2"',
    });
  });

  test("enforces the restricted Pod Security Standard in the operator's namespace with restricted", async () => {
    const enforced = () => find("Namespace").metadata.labels?.["pod-security.kubernetes.io/enforce"];
    expect(enforced()).toBeUndefined();
    await edit("--enable", "restricted");
    expect(enforced()).toBe("restricted");
    await edit("--disable", "restricted");
    expect(enforced()).toBeUndefined();
  });

  test("allows traffic to the ports of the pod with network-policy", async () => {
    await edit("--enable", "network-policy");
    const ports = all("NetworkPolicy").map(({ spec }) => spec.ingress[0].ports[0].port);
    expect(new Set(ports)).toEqual(new Set([8443, 9443]));
    await edit("--disable", "network-policy");
    expect(all("NetworkPolicy")).toEqual([]);
  });

  test("runs three replicas that share the objects with sharding", async () => {
    await edit("--enable", "sharding");
    expect(find("Deployment").spec.replicas).toBe(3);
    expect(container().args).toContain("--shards");
    const rules = all("Role").flatMap(({ rules }) => rules);
    const leases = rules.find(({ resources }: { resources: string[] }) => resources.includes("leases"));
    expect(leases.verbs).toEqual(expect.arrayContaining(["list", "create", "update", "delete"]));
    await edit("--disable", "sharding");
    expect(find("Deployment").spec.replicas).toBe(1);
    expect(container().args).not.toContain("--shards");
  });

  test("lets Prometheus verify the metrics' certificate with metrics-tls", async () => {
    await edit("--enable", "prometheus");
    expect(find("ServiceMonitor").spec.endpoints[0].tlsConfig).toEqual({ insecureSkipVerify: true });
    await edit("--enable", "metrics-tls");
    const { serverName, insecureSkipVerify } = find("ServiceMonitor").spec.endpoints[0].tlsConfig;
    expect({ serverName, insecureSkipVerify }).toEqual({
      serverName: "shop-controller-manager-metrics-service.shop-system.svc",
      insecureSkipVerify: false,
    });
    const metrics = named("Certificate", "shop-metrics-certs");
    expect(metrics.spec.dnsNames[0]).toBe(serverName);
    expect(container().args).toContain("--metrics-cert-path=/tmp/k8s-metrics-server/metrics-certs");
    await edit("--disable", "prometheus,metrics-tls");
    expect(all("ServiceMonitor")).toEqual([]);
    const certificates = all("Certificate").map(({ metadata }) => metadata.name);
    expect(certificates.sort()).toEqual(["shop-certificate-authority", "shop-serving-cert"]);
  });

  test("has the alerts of what the project has", async () => {
    const rules = () => all("PrometheusRule").map(({ metadata }) => metadata.name);
    await edit("--enable", "prometheus,alerts");
    expect(rules().sort()).toEqual(["shop-controller-manager-alerts", "shop-webhook-alerts"]);
    expect(find("ServiceMonitor").spec.endpoints[0].relabelings).toEqual([
      { targetLabel: "job", replacement: "shop" },
    ]);
    await edit("--enable", "sharding");
    expect(rules()).toContain("shop-shard-alerts");
    await edit("--disable", "prometheus,alerts,sharding");
    expect(rules()).toEqual([]);
  });

  test("serves no metrics without the feature metrics", async () => {
    await edit("--disable", "metrics");
    expect(container().args.join(" ")).not.toContain("metrics");
    expect(all("Service").map(({ metadata }) => metadata.name)).toEqual(["shop-webhook-service"]);
    await edit("--enable", "metrics");
  });

  test("uses nothing of cert-manager with self-signed", async () => {
    await edit("--disable", "cert-manager", "--enable", "self-signed");
    expect(render().filter(({ apiVersion }) => apiVersion.startsWith("cert-manager.io"))).toEqual([]);
    expect(container().args).toContain("--self-signed-webhook-certs");
    expect(container().args.join(" ")).not.toContain("--webhook-cert-path");
    expect(container().env).toContainEqual({ name: "WEBHOOK_SERVICE", value: "shop-webhook-service" });
    expect(find("MutatingWebhookConfiguration").metadata.annotations).toBeUndefined();
    await edit("--enable", "cert-manager", "--disable", "self-signed");
  });

  test("binds only the ClusterRole for metrics' token reviews to a namespaced operator", async () => {
    await edit("--namespaced");
    expect(all("ClusterRoleBinding").map(({ metadata }) => metadata.name)).toEqual([
      "shop-metrics-auth-rolebinding",
    ]);
    const role = named("Role", "shop-manager-role");
    expect(role.metadata.namespace).toBe("shop-system");
    expect(container().env.map(({ name }: { name: string }) => name)).toContain("WATCH_NAMESPACE");
    await edit("--namespaced=false");
  });

  test("binds an operator of several namespaces in these only", async () => {
    await edit("--namespaces", "team-b,team-a");
    const bindings = all("RoleBinding").filter(
      ({ metadata }) => metadata.name === "shop-manager-rolebinding",
    );
    expect(new Set(bindings.map(({ metadata }) => metadata.namespace))).toEqual(
      new Set(["team-a", "team-b"]),
    );
    for (const { roleRef, subjects } of bindings) {
      expect(all("ClusterRole").map(({ metadata }) => metadata.name)).toContain(roleRef.name);
      expect(subjects).toEqual([
        { kind: "ServiceAccount", name: "shop-controller-manager", namespace: "shop-system" },
      ]);
    }
    expect(all("ClusterRoleBinding").map(({ metadata }) => metadata.name)).not.toContain(
      "shop-manager-rolebinding",
    );
    expect(container().env).toContainEqual({ name: "WATCH_NAMESPACE", value: "team-a,team-b" });
    await edit("--namespaced=false");
  });

  const choices = ["metrics", "prometheus", "alerts", "metrics-tls", "network-policy"];
  const combinations = ["cert-manager", "self-signed"].flatMap((certificates) =>
    Array.from({ length: 2 ** choices.length }, (_, bits) => [
      certificates,
      ...choices.filter((_name, i) => bits & (1 << i)),
    ]),
  );
  const canStand = (on: readonly string[]): boolean => {
    const needsMetrics = on.includes("prometheus") || on.includes("metrics-tls");
    return (
      (!needsMetrics || on.includes("metrics")) &&
      (!on.includes("alerts") || on.includes("prometheus")) &&
      !(on.includes("metrics-tls") && on.includes("self-signed"))
    );
  };
  const choose = (on: readonly string[]): Promise<string> => {
    const off = ["cert-manager", "self-signed", ...choices].filter((name) => !on.includes(name));
    return edit("--enable", on.join(","), "--disable", off.join(","));
  };

  test("renders with every valid combination of features", async () => {
    for (const on of combinations.filter(canStand)) {
      await choose(on);
      expect(render().length).toBeGreaterThan(10);
    }
  });

  test("rejects every other combination", async () => {
    for (const on of combinations.filter((names) => !canStand(names))) {
      await expect(choose(on)).rejects.toThrow(/needs/);
    }
  });
});

let rendered: Rendered[] | undefined;

/** Renders once for each state of the project. */
function render(): Rendered[] {
  if (rendered) return rendered;
  const text = execFileSync(kubectl!, ["kustomize", join(root, "config/default")], {
    encoding: "utf8",
    env: { ...process.env, KUBECONFIG: "/dev/null" },
  });
  rendered = parseAllDocuments(text).map((document) => document.toJS() as Rendered);
  return rendered;
}

const all = (kind: string): Rendered[] => render().filter((object) => object.kind === kind);
const find = (kind: string): Rendered => all(kind)[0]!;
const named = (kind: string, name: string): Rendered =>
  all(kind).find(({ metadata }) => metadata.name === name)!;
const container = () => find("Deployment").spec.template.spec.containers[0];

function findKubectl(): string | undefined {
  const cloudSdk = "/usr/lib/google-cloud-sdk/bin";
  const versions = existsSync(cloudSdk)
    ? readdirSync(cloudSdk).filter((name) => /^kubectl\.1\.\d+$/.test(name))
    : [];
  const candidates = [
    ...(process.env["PATH"] ?? "").split(":").map((folder) => join(folder, "kubectl")),
    ...versions
      .sort((a, b) => b.localeCompare(a, "en", { numeric: true }))
      .map((name) => join(cloudSdk, name)),
  ];
  return candidates.find((file) => existsSync(file));
}
