import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { expect, onTestFinished, test } from "vitest";
import { type ManifestObject, parseManifest } from "../../ship/manifest.ts";
import { applyManifests } from "./apply-config.ts";
import { sortManifests } from "./manifests.ts";

const manifests = `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: shops }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: shop, namespace: shops }
---
apiVersion: v1
kind: Namespace
metadata: { name: shops }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: shop }
webhooks:
  - name: own.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    clientConfig: { service: { name: shop, namespace: shops, path: /validate } }
  - name: other.example.com
    admissionReviewVersions: [v1]
    sideEffects: None
    clientConfig: { url: "https://policies.example.com/shops" }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shops.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Shop, plural: shops }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: { service: { name: shop, namespace: shops, path: /crdconvert } }
`;

test("any manifests are applied, with the operator's own webhooks on this machine and without kinds that the cluster lacks", async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const client = createClient(await loadConfig({ kubeconfig: await cluster.kubeconfigFile(), env: {} }));
  onTestFinished(() => client.close());
  const webhooks = { url: "https://127.0.0.1:9443", caBundle: Buffer.from("ca").toString("base64") };
  const leftOut: ManifestObject[] = [];
  const place = { namespace: "shops", webhooks, onLeftOut: (object: ManifestObject) => leftOut.push(object) };
  const objects = parseManifest(manifests);
  await applyManifests(sortManifests(objects), client, place);

  const read = async (path: string): Promise<unknown> => JSON.parse((await client.request({ path })).text);
  expect(await read("/api/v1/namespaces/shops/configmaps/settings")).toMatchObject({ kind: "ConfigMap" });
  expect(leftOut.map(({ kind }) => kind)).toEqual(["ServiceMonitor"]);
  const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  expect(await read(`${configurations}/shop`)).toMatchObject({
    webhooks: [
      { name: "own.example.com", clientConfig: { url: "https://127.0.0.1:9443/validate" } },
      { name: "other.example.com", clientConfig: { url: "https://policies.example.com/shops" } },
    ],
  });
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  expect(await read(`${crds}/shops.example.com`)).toMatchObject({
    spec: {
      conversion: { webhook: { clientConfig: { url: "https://127.0.0.1:9443/crdconvert" } } },
    },
  });
});
