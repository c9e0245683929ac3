import { afterAll, beforeAll, expect, test } from "vitest";
import { type CustomResource, defineKind } from "@tsbuilder/apimachinery/meta";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { startTestManager, type TestManager } from "../testing/test-manager.ts";

interface Disk extends CustomResource<{ size?: number; class?: string }> {}
interface OldDisk extends CustomResource<{ gigabytes?: number; class?: string }> {}
const names = { kind: "Disk", plural: "disks" };
const Disk = defineKind<Disk>({ group: "example.com", version: "v1" }, names);
const OldDisk = defineKind<OldDisk>({ group: "example.com", version: "v1beta1" }, names);

const service = { name: "webhook-service", namespace: "default" };
const openVersion = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
});
const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "disks.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { ...names, listKind: "DiskList", singular: "disk" },
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { service: { ...service, path: "/convert" } },
      },
    },
    versions: [openVersion("v1", true), openVersion("v1beta1", false)],
  },
};

/** As generated from markers. */
function webhookConfiguration(kind: string, verb: string) {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind,
    metadata: { name: verb },
    webhooks: [
      {
        name: `${verb}.example.com`,
        clientConfig: { service: { ...service, path: `/${verb}-example-com-v1-disk` } },
        rules: [
          {
            apiGroups: ["example.com"],
            apiVersions: ["v1"],
            operations: ["CREATE", "UPDATE", "DELETE"],
            resources: ["disks"],
          },
        ],
        failurePolicy: "Fail",
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  };
}

let cluster: TestCluster;
let running: TestManager;
beforeAll(async () => {
  cluster = await startTestCluster({
    crds: [crd],
    resolveService() {
      const [host = "", port] = running.manager.addresses.webhooks?.split(":") ?? [];
      return { host, port: Number(port) };
    },
  });
  await cluster.install(
    webhookConfiguration("MutatingWebhookConfiguration", "mutate"),
    webhookConfiguration("ValidatingWebhookConfiguration", "validate"),
  );
  running = await startTestManager(
    {
      kubeconfig: cluster.kubeconfig,
      webhooks: { port: 0, host: "127.0.0.1", selfManaged: { service: service.name, namespace: "default" } },
    },
    (manager) =>
      manager
        .webhookFor(Disk)
        .defaulter({
          default(disk) {
            disk.spec.size ??= 10;
          },
        })
        .validator({
          validateCreate({ spec: { size = 0 } }, { warn }) {
            if (size > 100) warn("that is a large disk");
            return size < 1 ? [{ field: "spec.size", value: size, message: "must be positive" }] : [];
          },
          validateUpdate({ spec: { size = 0 } }, old) {
            if (size < (old.spec.size ?? 0))
              return [{ field: "spec.size", value: size, message: "can't shrink" }];
          },
          validateDelete(disk) {
            if (disk.spec.class === "gold") throw new Error("gold is for ever");
          },
        })
        .conversion(OldDisk, {
          toHub: ({ spec: { gigabytes, ...rest } }) => ({
            spec: { ...rest, ...(gigabytes && { size: gigabytes }) },
          }),
          fromHub: ({ spec: { size, ...rest } }) => ({ spec: { ...rest, ...(size && { gigabytes: size }) } }),
        })
        .complete(),
  );
});
afterAll(async () => {
  await running.stop();
  await cluster.stop();
});

const disk = (name: string, spec: Disk["spec"]) => ({ metadata: { name, namespace: "default" }, spec });

test("an API server with the CA defaults, validates and converts through this process", async () => {
  const { client } = running;
  const made = await client.create(Disk, disk("d", { class: "gold" }));
  expect(made.spec).toEqual({ class: "gold", size: 10 });

  await expect(client.create(Disk, disk("bad", { size: -1 }))).rejects.toMatchObject({
    isInvalid: true,
    message: expect.stringContaining("spec.size: Invalid value: -1: must be positive") as string,
  });
  await expect(client.patch(Disk, made, { merge: { spec: { size: 5 } } })).rejects.toThrow(/can't shrink/);
  await expect(client.delete(Disk, made)).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining("gold is for ever") as string,
  });

  const old = await client.get(OldDisk, { namespace: "default", name: "d" });
  expect(old.spec).toEqual({ class: "gold", gigabytes: 10 });
  await client.create(OldDisk, {
    metadata: { name: "old", namespace: "default" },
    spec: { gigabytes: 7 },
  });
  expect((await client.get(Disk, { namespace: "default", name: "old" })).spec).toEqual({ size: 7 });
});
