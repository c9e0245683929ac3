import type { Duplex } from "node:stream";
import type { CertificateWithKey } from "@tsbuilder/apimachinery/certs";

/** How the API server connects to kubelets. */
export interface KubeletTLS {
  /** The server's client certificate. */
  readonly client: CertificateWithKey;
  /** The CA of the kubelets' serving certificates, in PEM. Default: they are not verified. */
  readonly ca?: string;
  /** The types of node addresses, the preferred one first. Default: those of kube-apiserver. */
  readonly addressTypes?: readonly string[];
}

/** Connects to an address in the network of nodes: to a node, a pod or a Service. */
export type Connect = (host: string, port: number) => Promise<Duplex>;
