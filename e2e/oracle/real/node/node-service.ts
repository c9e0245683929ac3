import { nodeAddress } from "./addresses.ts";

/** A Service that a program on the node serves, as that of a pod in the node's network would. */
export function nodeService(namespace: string, name: string, port: number): object[] {
  return [
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { namespace, name },
      spec: { ports: [{ name: "https", port: 443, targetPort: port }] },
    },
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { namespace, name, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints: [{ addresses: [nodeAddress] }],
      ports: [{ name: "https", protocol: "TCP", port }],
    },
  ];
}
