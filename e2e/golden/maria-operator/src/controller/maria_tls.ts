/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Stored } from "@tsbuilder/runtime";
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Maria } from "../../api/v1/maria_types.ts";
import { readSecret } from "./maria_credentials.ts";
import { hostOf, TLS_ANNOTATION } from "./maria_names.ts";
import { type Observed, type Pass, primaryPodOf, serversOf } from "./maria_observed.ts";
import { Problem } from "./maria_problem.ts";

/** The files that a server needs for TLS. */
export type TlsFiles = Readonly<Record<"tls.crt" | "tls.key" | "ca.crt", string>>;

/** Reads the certificate that the spec selects. A wrong one is not passed on: servers could not start with it. */
export async function readCertificate(pass: Pass): Promise<TlsFiles | undefined> {
  const { client, mysql, observed, clock } = pass;
  const { tls } = mysql.spec;
  if (!tls) return undefined;
  const data = await readSecret(client, mysql, tls.secret);
  const { "tls.crt": crt = "", "tls.key": key = "", "ca.crt": ca = "" } = data;
  const files = { "tls.crt": crt, "tls.key": key, "ca.crt": ca };
  const hosts = Array.from({ length: serversOf(mysql, observed) }, (_, at) => hostOf(mysql, at));
  const wrong = whatIsWrong(files, hosts, clock.now());
  if (wrong) throw new Problem("CertificateInvalid", `Secret "${tls.secret}" ${wrong}`);
  return files;
}

/** What servers or their clients would refuse about a certificate. */
export function whatIsWrong(files: TlsFiles, hosts: string[], now: number): string | undefined {
  const lacks = Object.entries(files).find(([, content]) => !content);
  if (lacks) return `has no key ${lacks[0]}`;
  try {
    const certificate = new X509Certificate(files["tls.crt"]);
    new X509Certificate(files["ca.crt"]);
    const fits = certificate.checkPrivateKey(createPrivateKey(files["tls.key"]));
    if (!fits) return "has a key that is not the certificate's";
    if (Date.parse(certificate.validTo) < now) return `has expired on ${certificate.validTo}`;
    const missing = hosts.find((host) => !certificate.checkHost(host));
    return missing && `has a certificate that is not valid for ${missing}`;
  } catch (error) {
    return `can't be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Whether servers and Jobs connect with TLS: as soon as the primary has been restarted with a certificate. */
export function usesTls(mysql: Stored<Maria>, observed: Observed): boolean {
  const name = primaryPodOf(mysql, observed);
  const primary = observed.pods.find(({ metadata }) => metadata.name === name);
  const hasIt = !primary || primary.metadata.annotations?.[TLS_ANNOTATION] !== undefined;
  return mysql.spec.tls !== undefined && hasIt;
}
