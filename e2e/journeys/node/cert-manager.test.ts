import { afterAll, beforeAll, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { eventually } from "../../support/eventually.ts";
import { prepareCertManager, startCertManager } from "../../oracle/real/node/cert-manager.ts";
import { registryHost } from "../../oracle/real/node/addresses.ts";
import { type NodeProject, prepareNodeProject } from "../../oracle/real/node/node-project.ts";
import {
  type KeptCertificate,
  keptCertificate,
  type ServedCertificate,
  shownCertificate,
} from "./served-certificate.ts";
import { startTraffic } from "./traffic.ts";

// Certificates of the real cert-manager, for webhooks and metrics, and their rotation. The tests depend on each other.

const prepared = prepareNodeProject("cert-manager on a real node");
const certManager = prepareCertManager();
const missing = prepared.missing ?? ("missing" in certManager ? certManager.missing : undefined);
if ("missing" in certManager) console.log(`left out: cert-manager on a real node: ${certManager.missing}`);
const image = `${registryHost}/team/shop-operator:v1`;
const namespace = "shop-operator-system";
const webhooks: ServedCertificate = {
  namespace,
  secret: "webhook-server-cert",
  service: "shop-operator-webhook-service",
  port: 443,
};
const metrics: ServedCertificate = {
  namespace,
  secret: "metrics-server-cert",
  service: "shop-operator-controller-manager-metrics-service",
  port: 8443,
};
const both = [webhooks, metrics];
let project: NodeProject;
let pods: string;

beforeAll(async () => {
  if (missing !== undefined || "missing" in certManager) return;
  project = await prepared.start("shop-operator");
  const api = ["--group", "apps", "--version", "v1", "--kind", "Shop"];
  await project.create("init", "--domain", "example.com");
  await project.create("create", "api", ...api, "--make=false");
  await project.create("create", "webhook", ...api, "--defaulting", "--programmatic-validation");
  await project.create("edit", "--enable", "metrics-tls");
  await startCertManager(project.node, certManager, (words) => project.kubectl(words));
});

afterAll(() => project?.node.stop());

test.skipIf(missing !== undefined)(
  "a deployed operator serves its certificates, and the API server trusts them",
  async () => {
    await project.tsbuilder("build", "--image", image, "--load", "kind");
    const { stderr } = await project.tsbuilder("deploy", "--image", image, "--wait");
    expect(stderr).toContain("The operator is available.");
    await project.kubectl("apply --kustomize config/samples");
    const ready = "wait --for=condition=Ready shops.apps.example.com/shop-sample";
    expect(await project.kubectl(`${ready} --timeout=${timeoutIn.journey}`)).toContain("condition met");
    for (const served of both)
      expect(await shownCertificate(project, served)).toBe(await keptCertificate(project, served));
    pods = await readPods();
  },
);

test.skipIf(missing !== undefined)(
  "a renewed authority signs renewed certificates, and no request is refused",
  async () => {
    const refusals = await rotate(async () => {
      const authority: KeptCertificate = { namespace, secret: "certificate-authority" };
      const before = await keptCertificate(project, authority);
      await renew("certificate-authority");
      await eventually(async () => expect(await keptCertificate(project, authority)).not.toBe(before));
      await renew("serving-cert");
      await renew("metrics-certs");
    });
    expect(refusals).toEqual([]);
  },
);

test.skipIf(missing !== undefined)(
  "deleted Secrets are issued again, and no request is refused",
  async () => {
    const secrets = both.map(({ secret }) => secret).join(" ");
    const refusals = await rotate(() => project.kubectl(`delete secret --namespace ${namespace} ${secrets}`));
    expect(refusals).toEqual([]);
  },
);

/** Does what `cmctl renew` does. */
async function renew(name: string): Promise<void> {
  const at = new Date().toISOString();
  const condition = { type: "Issuing", status: "True", reason: "ManuallyTriggered", lastTransitionTime: at };
  const target = `certificate shop-operator-${name} --namespace ${namespace} --subresource=status`;
  const patch = [{ op: "add", path: "/status/conditions/-", value: condition }];
  await project.kubectl(`patch ${target} --type=json --patch`, JSON.stringify(patch));
}

/** Sends requests through the webhooks until the same pods serve other certificates; returns why some were refused. */
async function rotate(change: () => Promise<unknown>): Promise<string[]> {
  const before = await Promise.all(both.map((served) => keptCertificate(project, served)));
  const traffic = await startTraffic(project.node.kubeconfig, "v1");
  await change();
  for (const [at, served] of both.entries()) {
    const after = await eventually(async () => {
      const kept = await keptCertificate(project, served);
      return kept !== before[at] && kept;
    });
    // The kubelet writes it into the pod within a minute and a half, and the operator reads it within ten seconds.
    await eventually(async () => expect(await shownCertificate(project, served)).toBe(after));
  }
  const { requests, refusals } = await traffic.stop();
  expect(requests).toBeGreaterThan(20);
  expect(await readPods()).toBe(pods);
  return [...new Set(refusals)];
}

/** The pods with how often they were restarted. */
function readPods(): Promise<string> {
  const fields = "{range .items[*]}{.metadata.name} {.status.containerStatuses[*].restartCount}{end}";
  return project.kubectl(`get pods --namespace ${namespace}`, `--output=jsonpath=${fields}`);
}
