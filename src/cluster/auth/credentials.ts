import { createHmac, randomBytes } from "node:crypto";
import { type CertificateWithKey, createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import { type Kubeconfig, kubeconfigOf } from "./kubeconfig.ts";
import type { User } from "../contract/user.ts";

/** The certificates of a cluster and its static tokens. */
export class Credentials {
  readonly ca: CertificateWithKey;
  readonly serving: CertificateWithKey;
  readonly #tokenKey: string;
  readonly #tokens = new Map<string, User>();

  /** `tokenKey` is the secret from which the tokens of users are derived. */
  constructor(
    given: Partial<{ ca: CertificateWithKey; serving: CertificateWithKey; tokenKey: string }> = {},
  ) {
    this.#tokenKey = given.tokenKey ?? randomBytes(32).toString("base64");
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
    const token = this.#tokenOf(name, groups);
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

  /** With the same key, a user has the same token after a restart. */
  #tokenOf(name: string, groups: readonly string[]): string {
    return createHmac("sha256", this.#tokenKey)
      .update(JSON.stringify([name, groups]))
      .digest("base64url");
  }
}
