import { createPrivateKey, X509Certificate } from "node:crypto";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createCA, describeCertificate, splitBundle } from "@tsbuilder/apimachinery/certs";
import { defineKind } from "@tsbuilder/apimachinery/meta";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { createClient, type LiveClient } from "../client/live-client.ts";
import { loadConfig } from "../config/load-config.ts";
import { createLogger } from "../log/logger.ts";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { eventually } from "../testing/eventually.ts";
import type { Certificate } from "../tls/certificate-files.ts";
import { ManagedCertificate } from "./managed-certificate.ts";
import { ValidatingWebhookConfiguration } from "../k8s/admissionregistration/v1.ts";
import { CustomResourceDefinition } from "../k8s/apiextensions/v1.ts";
import { Secret } from "../k8s/core/v1.ts";

const Echo = defineKind({ group: "example.com", version: "v1" }, { kind: "Echo", plural: "echoes" });
const service = { name: "hooks", namespace: "default" };
const day = 86_400_000;

let cluster: TestCluster;
let client: LiveClient;
beforeAll(async () => {
  cluster = await startTestCluster();
  client = createClient(() => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }), {
    fieldManager: "test",
  });
  await cluster.install(
    {
      apiVersion: ValidatingWebhookConfiguration.apiVersion,
      kind: ValidatingWebhookConfiguration.kind,
      metadata: { name: "hooks" },
      webhooks: ["ours", "theirs"].map((name) => ({
        name: `${name}.example.com`,
        clientConfig: {
          service: { name: name === "ours" ? "hooks" : "theirs", namespace: "default", path: "/x" },
        },
        rules: [
          { apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothing"] },
        ],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      })),
    },
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "echoes.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { kind: "Echo", listKind: "EchoList", plural: "echoes", singular: "echo" },
        conversion: {
          strategy: "Webhook",
          webhook: {
            conversionReviewVersions: ["v1"],
            clientConfig: { service: { ...service, path: "/convert" } },
          },
        },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
      },
    },
  );
});
afterAll(async () => {
  await client.close();
  await cluster.stop();
});

function makeReplica(clock: FakeClock) {
  const served: Certificate[] = [];
  const config = () => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} });
  const log = createLogger({ write() {} });
  const source = new ManagedCertificate(
    { service: service.name, namespace: service.namespace },
    { client, config, converted: () => [Echo], clock, log },
  );
  onTestFinished(() => source.stop());
  const start = async () => void served.push(await source.start((next) => void served.push(next)));
  return { served, start };
}

const caBundleOf = async () => {
  const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, { name: "hooks" });
  return Buffer.from(webhooks[0]?.clientConfig.caBundle ?? "", "base64").toString();
};

/** Which of them were signed by a CA that the API server was told to trust. */
const areTrusted = async (...certificates: Certificate[]) => {
  const authorities = splitBundle(await caBundleOf()).map((ca) => new X509Certificate(ca).publicKey);
  return certificates.map(({ cert }) => authorities.some((key) => new X509Certificate(cert).verify(key)));
};

test("replicas share one certificate, and its CA is written to the webhook configurations", async () => {
  const clock = new FakeClock(new Date());
  const replicas = [makeReplica(clock), makeReplica(clock), makeReplica(clock)];
  let isStarted = false;
  const started = Promise.all(replicas.map(({ start }) => start())).finally(() => void (isStarted = true));
  // A replica that lost a race retries after a while.
  await eventually(() => clock.advance(100).then(() => isStarted));
  await started;
  expect(new Set(replicas.map(({ served }) => served[0]?.cert)).size).toBe(1);

  const certificate = new X509Certificate(replicas[0]!.served[0]!.cert);
  expect(certificate.checkHost("hooks.default.svc")).toBe("hooks.default.svc");
  const caBundle = await caBundleOf();
  expect(certificate.verify(new X509Certificate(caBundle).publicKey)).toBe(true);
  const { webhooks = [] } = await client.get(ValidatingWebhookConfiguration, { name: "hooks" });
  expect(webhooks[1]?.clientConfig.caBundle).toBeUndefined();
  const crd = await client.get(CustomResourceDefinition, { name: "echoes.example.com" });
  expect(Buffer.from(crd.spec.conversion?.webhook?.clientConfig?.caBundle ?? "", "base64").toString()).toBe(
    caBundle,
  );
});

test("a certificate is replaced after two thirds of its life, and a new CA is trusted beside the previous one", async () => {
  const clock = new FakeClock(new Date());
  const { served, start } = makeReplica(clock);
  await start();
  const first = served[0]!;
  const { serialNumber } = describeCertificate(first.cert);
  await clock.advance(5 * 60_000);
  expect(served).toHaveLength(1);

  const later = new FakeClock(Date.now() + 61 * day);
  const renewed = makeReplica(later);
  await renewed.start();
  const second = renewed.served[0]!;
  expect(describeCertificate(second.cert).serialNumber).not.toBe(serialNumber);
  // The same CA: callers that trust the first certificate trust the second.
  expect(new X509Certificate(second.cert).verify(new X509Certificate(await caBundleOf()).publicKey)).toBe(
    true,
  );

  // The running replica adopts what another one wrote.
  await clock.advance(5 * 60_000);
  await eventually(() => served.at(-1)?.cert === second.cert);

  const muchLater = makeReplica(new FakeClock(Date.now() + 700 * day));
  await muchLater.start();
  const bundle = (await caBundleOf()).match(/BEGIN CERTIFICATE/g);
  expect(bundle).toHaveLength(2);
  expect(new X509Certificate(second.cert).verify(new X509Certificate(await caBundleOf()).publicKey)).toBe(
    false,
  );
});

test.each([
  ["by the replica that made it", 0],
  ["by one that has just started", 1],
])(
  "a Secret that somebody deleted is made anew %s, and what others still serve stays trusted",
  async (_, who) => {
    const clock = new FakeClock(new Date());
    const first = makeReplica(clock);
    await first.start();
    const [before] = first.served;
    await client.delete(Secret, { namespace: "default", name: "hooks-cert" });
    const { served, start } = [first, makeReplica(clock)][who]!;
    if (who === 0) await clock.advance(5 * 60_000);
    else await start();
    await eventually(() => served.at(-1) !== before);
    const after = served.at(-1)!;
    expect(after.cert).not.toBe(before!.cert);
    expect(await areTrusted(before!, after)).toEqual([true, true]);
  },
);

test.each([
  ["a placeholder", "\n"],
  ["text without a certificate", "see the other configuration"],
])(
  "a CA is found although the first configuration has %s: what others still serve stays trusted",
  async (_, text) => {
    const clock = new FakeClock(new Date());
    const first = makeReplica(clock);
    await first.start();
    await client.delete(Secret, { namespace: "default", name: "hooks-cert" });
    const configuration = await client.get(ValidatingWebhookConfiguration, { name: "hooks" });
    await client.patch(ValidatingWebhookConfiguration, configuration, ({ webhooks = [] }) => {
      webhooks[0]!.clientConfig.caBundle = Buffer.from(text).toString("base64");
    });
    const second = makeReplica(clock);
    await second.start();
    expect(await areTrusted(first.served[0]!, second.served[0]!)).toEqual([true, true]);
  },
);

test("a CA that can't be read is replaced", async () => {
  await client.delete(Secret, { namespace: "default", name: "hooks-cert" });
  const configuration = await client.get(ValidatingWebhookConfiguration, { name: "hooks" });
  const garbage = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  await client.patch(ValidatingWebhookConfiguration, configuration, ({ webhooks = [] }) => {
    webhooks[0]!.clientConfig.caBundle = Buffer.from(garbage).toString("base64");
  });
  const { served, start } = makeReplica(new FakeClock(new Date()));
  await start();
  const authority = new X509Certificate(await caBundleOf());
  expect(new X509Certificate(served[0]!.cert).verify(authority.publicKey)).toBe(true);
});

test("an empty Secret is filled, and a configuration that lost its CA gets it again", async () => {
  const secret = await client.get(Secret, { namespace: "default", name: "hooks-cert" });
  await client.patch(Secret, secret, { merge: { data: { "tls.crt": "", "ca.key": "" } } });
  const clock = new FakeClock(new Date());
  const { start, served } = makeReplica(clock);
  await start();
  expect(served[0]?.cert).toContain("BEGIN CERTIFICATE");
  const caBundle = await caBundleOf();
  const configuration = await client.get(ValidatingWebhookConfiguration, { name: "hooks" });
  await client.patch(ValidatingWebhookConfiguration, configuration, ({ webhooks = [] }) => {
    delete webhooks[0]!.clientConfig.caBundle;
  });
  await clock.advance(5 * 60_000);
  await eventually(async () => (await caBundleOf()) === caBundle);
});

const strangers = {
  ca: createCA({ commonName: "stranger" }),
  base64: (text: string) => Buffer.from(text).toString("base64"),
};

test.each<[string, { [name: string]: string }]>([
  ["whose key belongs to another certificate", { "tls.key": strangers.base64(strangers.ca.key) }],
  [
    "whose CA did not sign its certificate",
    { "ca.crt": strangers.base64(strangers.ca.cert), "ca.key": strangers.base64(strangers.ca.key) },
  ],
  ["whose CA's key is another's", { "ca.key": strangers.base64(strangers.ca.key) }],
  ["that was cut off", { "tls.crt": strangers.base64("-----BEGIN CERTIFICATE-----\nMIIB") }],
])("a Secret %s is made anew", async (_, data) => {
  await makeReplica(new FakeClock(new Date())).start();
  const secret = await client.get(Secret, { namespace: "default", name: "hooks-cert" });
  await client.patch(Secret, secret, { merge: { data } });
  const { start, served } = makeReplica(new FakeClock(new Date()));
  await start();
  const { cert, key } = served[0]!;
  const certificate = new X509Certificate(cert);
  expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
  expect(certificate.verify(new X509Certificate(await caBundleOf()).publicKey)).toBe(true);
});
