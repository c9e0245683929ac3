import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CertificateOptions,
  createCA,
  issueCertificate,
  type CertificateWithKey,
} from "@tsbuilder/apimachinery/certs";
import { apiPort, nodeAddress, nodeNames, registryName, serviceAddress } from "./addresses.ts";

/** The clients of the API server, with their groups. */
const clients = {
  admin: ["system:masters"],
  "system:kube-controller-manager": [],
  "system:kube-scheduler": [],
  "system:kube-proxy": [],
  "system:node:node-1": ["system:nodes"],
  "system:node:node-2": ["system:nodes"],
} as const;

export type ClientName = keyof typeof clients;

/** Writes the kubeconfig of a client, and returns its file. */
export type WriteKubeconfig = (user: ClientName, options?: { file?: string; server?: string }) => string;

/** The authority of a cluster that is a day old: beside one that is younger than its clock is late, no client connects. */
export function authorityOf(commonName: string): CertificateWithKey {
  return createCA({ commonName, notBefore: new Date(Date.now() - 86_400_000) });
}

/** Writes keys and certificates into `certs`, as kubeadm does; those of the embedded control plane may be there. */
export function writeCredentials(folder: string, ca = authorityOf("kubernetes")): WriteKubeconfig {
  const certs = join(folder, "certs");
  mkdirSync(certs, { recursive: true });
  const proxyCA = authorityOf("front-proxy");
  writeFileSync(join(certs, "ca.crt"), ca.cert);
  writeFileSync(join(certs, "ca.key"), ca.key);
  writeFileSync(join(certs, "front-proxy-ca.crt"), proxyCA.cert);
  const issue = (name: string, options: CertificateOptions, signer: CertificateWithKey = ca): void => {
    const { cert, key } = issueCertificate(signer, options);
    writeFileSync(join(certs, `${name}.crt`), cert);
    writeFileSync(join(certs, `${name}.key`), key);
  };
  issue("apiserver", {
    commonName: "kube-apiserver",
    dnsNames: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", ...nodeNames],
    ipAddresses: ["127.0.0.1", nodeAddress, serviceAddress(1)],
    usages: ["server"],
  });
  issue("registry", { commonName: registryName, dnsNames: [registryName], usages: ["server"] });
  const metricsServer = "metrics-server.kube-system.svc";
  issue("metrics-server", { commonName: metricsServer, dnsNames: [metricsServer], usages: ["server"] });
  issue("kubelet", {
    commonName: "kubelet",
    dnsNames: [...nodeNames],
    ipAddresses: [nodeAddress],
    usages: ["server"],
  });
  issue("apiserver-kubelet-client", {
    commonName: "kube-apiserver-kubelet-client",
    organizations: ["system:masters"],
    usages: ["client"],
  });
  issue("front-proxy-client", { commonName: "front-proxy-client", usages: ["client"] }, proxyCA);
  writeServiceAccountKeys(certs);
  return (user, options = {}) => {
    const { file = user.replaceAll(":", "-"), server = `https://${nodeAddress}:${apiPort}` } = options;
    const client = issueCertificate(ca, {
      commonName: user,
      organizations: [...clients[user]],
      usages: ["client"],
    });
    const path = join(folder, `${file}.kubeconfig`);
    writeFileSync(path, kubeconfigText(server, ca.cert, user, client), { mode: 0o600 });
    return path;
  };
}

function writeServiceAccountKeys(certs: string): void {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(join(certs, "sa.key"), privateKey.export({ type: "pkcs1", format: "pem" }));
  writeFileSync(join(certs, "sa.pub"), publicKey.export({ type: "spki", format: "pem" }));
}

function kubeconfigText(server: string, ca: string, user: string, client: CertificateWithKey): string {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "real-node", cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [
      {
        name: user,
        user: { "client-certificate-data": base64(client.cert), "client-key-data": base64(client.key) },
      },
    ],
    contexts: [{ name: "real-node", context: { cluster: "real-node", user } }],
    "current-context": "real-node",
  });
}
