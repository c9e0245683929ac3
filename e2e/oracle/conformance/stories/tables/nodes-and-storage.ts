import { type Story, story } from "../../story.ts";
import { core, named, showTable } from "./show-table.ts";

const networking = "/apis/networking.k8s.io/v1";
const storage = "/apis/storage.k8s.io/v1";

/** Nodes, volumes, devices. */
export const nodeAndStorageTables: Story = story("nodes and storage", [
  ...showTable(
    "/api/v1/nodes",
    named("{ns}", {
      metadata: { name: "{ns}", labels: { "node-role.kubernetes.io/worker": "" } },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [{ type: "InternalIP", address: "1.2.3.4" }],
        nodeInfo: {
          kubeletVersion: "v1.2.3",
          osImage: "Linux",
          kernelVersion: "6",
          containerRuntimeVersion: "cri",
        },
      },
    }),
  ),
  ...showTable(
    `${core}/persistentvolumeclaims`,
    named("a", {
      spec: {
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
        storageClassName: "s",
      },
    }),
  ),
  ...showTable(
    "/api/v1/persistentvolumes",
    named("{ns}", {
      spec: {
        accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
        capacity: { storage: "1Gi" },
        hostPath: { path: "/x" },
      },
    }),
  ),
  ...showTable(`${storage}/storageclasses`, named("{ns}", { provisioner: "example.com/p" })),
  ...showTable(`${storage}/csidrivers`, named("{ns}", { spec: {} })),
  ...showTable(
    `${storage}/csinodes`,
    named("{ns}", { spec: { drivers: [{ name: "example.com", nodeID: "n", topologyKeys: ["z"] }] } }),
  ),
  ...showTable(
    `${storage}/namespaces/{ns}/csistoragecapacities`,
    named("a", { storageClassName: "s", capacity: "1Gi" }),
  ),
  ...showTable(
    `${storage}/volumeattachments`,
    named("{ns}", { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "p" } } }),
  ),
  ...showTable(
    `${storage}/volumeattributesclasses`,
    named("{ns}", {
      driverName: "example.com",
      parameters: { a: "b" },
      metadata: { name: "{ns}", finalizers: ["kubernetes.io/vac-protection"] },
    }),
  ),
  ...showTable(`${networking}/servicecidrs`, named("{ns}", { spec: { cidrs: ["10.77.0.0/24"] } })),
  ...showTable("/apis/resource.k8s.io/v1/deviceclasses", named("{ns}", { spec: {} })),
  ...showTable("/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims", named("a", { spec: {} })),
  ...showTable(
    "/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaimtemplates",
    named("a", { spec: { spec: {} } }),
  ),
  ...showTable(
    "/apis/resource.k8s.io/v1/resourceslices",
    named("{ns}", {
      spec: {
        driver: "example.com",
        nodeName: "n",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
      },
    }),
  ),
]);
