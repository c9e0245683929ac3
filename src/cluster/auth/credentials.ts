import { randomBytes } from "node:crypto";
import { type CertificateWithKey, createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { type Kubeconfig, kubeconfigOf } from "./kubeconfig.ts";
import type { User } from "../contract/user.ts";

/** The certificates of a cluster and its static tokens. */
export class Credentials {
  readonly ca: CertificateWithKey;
  readonly serving: CertificateWithKey;
  readonly #tokens = new Map<string, User>();

  constructor(given: Partial<{ ca: CertificateWithKey; serving: CertificateWithKey }> = {}) {
    this.ca = given.ca ?? createCA({ commonName: "tsbuilder-cluster-ca" });
    this.serving =
      given.serving ??
      issueCertificate(this.ca, {
        commonName: "kube-apiserver",
        dnsNames: ["localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"],
        ipAddresses: ["127.0.0.1", "::1"],
        usages: ["server"],
      });
  }

  addToken(token: string, user: User): void {
    this.#tokens.set(token, user);
  }

  findToken(token: string): User | undefined {
    return this.#tokens.get(token);
  }

  /** A kubeconfig with a client certificate, and a token for clients that don't support certificates. */
  issue(server: string, name: string, groups: readonly string[]): Kubeconfig {
    const { cert, key } = issueCertificate(this.ca, {
      commonName: name,
      organizations: [...groups],
      usages: ["client"],
    });
    const token = randomBytes(24).toString("base64url");
    this.addToken(token, { name, groups });
    return kubeconfigOf({
      server,
      user: name,
      certificateAuthority: this.ca.cert,
      clientCertificate: cert,
      clientKey: key,
      token,
    });
  }
}
