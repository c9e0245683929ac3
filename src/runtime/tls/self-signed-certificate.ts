import { createCA, issueCertificate } from "@tsbuilder/apimachinery/certs";
import type { Certificate, CertificateSource } from "./certificate-files.ts";

/** A certificate created at the start, for servers whose callers don't verify it, like most scrapers in a cluster. */
export class SelfSignedCertificate implements CertificateSource {
  readonly #names: readonly string[];

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  async start(): Promise<Certificate> {
    const ca = createCA({ commonName: `${this.#names[0]}-ca` });
    return issueCertificate(ca, {
      dnsNames: [...this.#names],
      ipAddresses: ["127.0.0.1"],
      usages: ["server"],
    });
  }

  stop(): void {}
}
