import { sandboxAddress } from "../../../../src/cluster/nodes/sandbox.ts";

// Names and addresses inside of the sandbox; those of another sandbox are the same, without touching these.

/** Nodes share the sandbox's network, and so an address; their kubelets have ports of their own. */
export const nodeNames = ["node-1", "node-2"] as const;
export type NodeName = (typeof nodeNames)[number];
export const nodeAddress = sandboxAddress;
export const apiPort = 6443;
export const serviceRange = "10.96.0.0/16";

export function serviceAddress(last: number): string {
  return `10.96.0.${last}`;
}

/** An image registry on the node. */
export const registryName = "registry.example.com";
export const registryHost = `${registryName}:5000`;
