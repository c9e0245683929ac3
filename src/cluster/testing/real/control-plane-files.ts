import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Credentials } from "../../auth/credentials.ts";

/** The files of a control plane, in a folder that is deleted with it. */
export interface ControlPlaneFiles {
  readonly folder: string;
  readonly etcdData: string;
  readonly clientCA: string;
  readonly servingCert: string;
  readonly servingKey: string;
  readonly serviceAccountKey: string;
}

/** Writes certificates and keys to a new folder that only its owner can read. */
export function writeControlPlaneFiles({ ca, serving }: Credentials): ControlPlaneFiles {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-control-plane-"));
  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  // In this format kube-apiserver accepts the private key as the public one, too.
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    folder,
    etcdData: join(folder, "etcd"),
    clientCA: write("client-ca.crt", ca.cert),
    servingCert: write("serving.crt", serving.cert),
    servingKey: write("serving.key", serving.key),
    serviceAccountKey: write(
      "service-account.key",
      privateKey.export({ type: "sec1", format: "pem" }) as string,
    ),
  };
}
