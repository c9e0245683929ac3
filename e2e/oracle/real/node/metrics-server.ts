import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../../support/eventually.ts";
import { type GoPrograms, prepareGoPrograms } from "./go-programs.ts";
import { nodeService } from "./node-service.ts";
import type { RealNode } from "./start-node.ts";

const namespace = "kube-system";
const name = "metrics-server";
const port = 10270;

/** Builds metrics-server, or says why that can't be done. */
export function prepareMetricsServer(): GoPrograms | { readonly missing: string } {
  return prepareGoPrograms({
    module: "sigs.k8s.io/metrics-server",
    version: "v0.9.0",
    programs: ["cmd/metrics-server"],
  });
}

/** Starts it behind the API server; resolves when the metrics of the node are served. `kubectl` works as administrator. */
export async function startMetricsServer(
  node: RealNode,
  { folder }: GoPrograms,
  kubectl: (words: string) => Promise<string>,
): Promise<void> {
  const cert = (file: string): string => join(node.folder, "certs", file);
  const manifest = join(node.folder, "metrics-server.json");
  const items = [...nodeService(namespace, name, port), apiService(readFileSync(cert("ca.crt")))];
  writeFileSync(manifest, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
  await kubectl(`apply --filename ${manifest}`);
  const access = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"];
  const { watched } = node.start(name, [
    join(folder, name),
    ...access.map((flag) => `--${flag}=${node.insideKubeconfig}`),
    `--secure-port=${port}`,
    `--tls-cert-file=${cert("metrics-server.crt")}`,
    `--tls-private-key-file=${cert("metrics-server.key")}`,
    `--kubelet-certificate-authority=${cert("ca.crt")}`,
    "--kubelet-preferred-address-types=InternalIP",
    "--metric-resolution=15s",
  ]);
  await eventually(() => kubectl("top nodes"), watched, 300_000);
}

function apiService(authority: Buffer): object {
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1beta1.metrics.k8s.io" },
    spec: {
      group: "metrics.k8s.io",
      version: "v1beta1",
      service: { namespace, name },
      caBundle: authority.toString("base64"),
      groupPriorityMinimum: 100,
      versionPriority: 100,
    },
  };
}
