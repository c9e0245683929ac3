import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { CertificateWithKey } from "@tsbuilder/apimachinery/certs";
import { type Cluster, startCluster } from "../start-cluster.ts";
import type { User } from "../contract/user.ts";
import { explainFlags, listFlags } from "./explain-flags.ts";
import { parseFlags } from "./parse-flags.ts";

/**
 * Runs the embedded cluster with the kube-apiserver flags that envtest passes: envtest's serving certificate, and client
 * certificates signed by its CA. Resolves when the process is told to stop, or at once if a flag is refused.
 */
export async function runKubeApiserver(argv: readonly string[]): Promise<void> {
  const flags = parseFlags(argv, listFlags);
  if (flags.has("help")) {
    process.stdout.write("kube-apiserver of tsbuilder: an embedded Kubernetes API server for tests\n");
    return;
  }
  const { refusal, notes } = explainFlags(flags);
  for (const note of notes) process.stderr.write(`kube-apiserver of tsbuilder: ${note}\n`);
  if (refusal !== undefined) {
    process.stderr.write(`kube-apiserver of tsbuilder: ${refusal}\n`);
    process.exitCode = 1;
    return;
  }
  // The server responds before its start is complete, and may then be told to stop.
  const terminated = untilTerminated();
  const cluster = await startCluster(optionsOf(flags));
  await terminated;
  await stop(cluster);
}

function optionsOf(flags: ReadonlyMap<string, string>) {
  const serving = servingCertificate(flags);
  const clientCA = readFlag(flags, "client-ca-file");
  const signingKey = readFlag(flags, "service-account-signing-key-file");
  const issuer = flags.get("service-account-issuer");
  const bind = flags.get("bind-address") ?? "127.0.0.1";
  return {
    port: Number(flags.get("secure-port") ?? 6443),
    host: bind === "0.0.0.0" ? "127.0.0.1" : bind,
    authorization:
      flags.get("authorization-mode") === "AlwaysAllow" ? ("AlwaysAllow" as const) : ("RBAC" as const),
    certificates: { ...(serving && { serving }), ...(clientCA && { clientCA }) },
    ...(signingKey && { serviceAccountKey: signingKey }),
    ...(issuer && { serviceAccountIssuer: issuer }),
    tokens: readTokens(readFlag(flags, "token-auth-file") ?? ""),
  };
}

function servingCertificate(flags: ReadonlyMap<string, string>): CertificateWithKey | undefined {
  const folder = flags.get("cert-dir") ?? "";
  const certFile = flags.get("tls-cert-file") ?? join(folder, "apiserver.crt");
  const keyFile = flags.get("tls-private-key-file") ?? join(folder, "apiserver.key");
  if (!existsSync(certFile) || !existsSync(keyFile)) return undefined;
  return { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}

function readFlag(flags: ReadonlyMap<string, string>, name: string): string | undefined {
  const path = flags.get(name);
  return path ? readFileSync(path, "utf8") : undefined;
}

/** Lines of `token,user,uid,"group,group"`. */
function readTokens(text: string): Record<string, User> {
  const tokens: Record<string, User> = {};
  for (const line of text.split("\n")) {
    const found = /^([^,]+),([^,]+),([^,]*)(?:,"?([^"]*)"?)?$/.exec(line.trim());
    if (!found) continue;
    const [, token, name, uid, groups = ""] = found;
    const list = groups.split(",").filter((group) => group !== "");
    tokens[token!] = { name: name!, ...(uid && { uid }), groups: list };
  }
  return tokens;
}

export function untilTerminated(): Promise<void> {
  return new Promise((resolve) => {
    process.once("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
  });
}

async function stop(cluster: Cluster): Promise<void> {
  await cluster.stop();
}
