import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { issueCertificate } from "@tsbuilder/apimachinery/certs";
import { freePort } from "@tsbuilder/apimachinery/port";
import { Credentials, type Kubeconfig, kubeconfigOf } from "../../auth/credentials.ts";
import { send } from "../send.ts";
import { type Program, startProgram } from "./program.ts";

interface ControlPlaneOptions {
  /** The folder with the programs. */
  readonly assets: string;
  /** Default: a free port. */
  readonly port?: number | undefined;
  readonly authorization?: "RBAC" | "AlwaysAllow" | undefined;
}

/**
 * Starts a kube-apiserver and its etcd on loopback, with a temporary folder. They end with this process. Resolves when the
 * server is ready; rejects with the last output of a program that has ended.
 */
export async function startControlPlane({ assets, port, authorization = "RBAC" }: ControlPlaneOptions) {
  const credentials = new Credentials();
  const files = writeControlPlaneFiles(credentials);
  const secure = port || (await freePort());
  const ports = { etcdClient: await freePort(), etcdPeer: await freePort(), secure };
  const url = `https://127.0.0.1:${ports.secure}`;
  const issue = (user: string, groups: readonly string[]): Kubeconfig => {
    const subject = { commonName: user, organizations: groups };
    const { cert, key } = issueCertificate(credentials.ca, { ...subject, usages: ["client"] });
    const certificateAuthority = credentials.ca.cert;
    return kubeconfigOf({ server: url, user, certificateAuthority, clientCertificate: cert, clientKey: key });
  };
  const etcd = startProgram(join(assets, "etcd"), etcdFlags(files, ports));
  const apiserver = startProgram(join(assets, "kube-apiserver"), apiserverFlags(files, ports, authorization));
  const stop = async (): Promise<void> => {
    await Promise.all([apiserver.stop(), etcd.stop()]);
    rmSync(files.folder, { recursive: true, force: true });
  };
  const waiting = new AbortController();
  try {
    await Promise.race([
      rejectWhenEnded("etcd", etcd),
      rejectWhenEnded("kube-apiserver", apiserver),
      waitUntilReady(issue("tsbuilder-testing", ["system:masters"]), waiting.signal),
    ]);
    return { url, issue, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    waiting.abort();
  }
}

/** The ports of a control plane, all on loopback. */
interface ControlPlanePorts {
  readonly etcdClient: number;
  readonly etcdPeer: number;
  readonly secure: number;
}

/** The files of a control plane, in a folder that is deleted with it. */
type ControlPlaneFiles = ReturnType<typeof writeControlPlaneFiles>;

/** etcd's data is not needed after a crash, so it does not wait for the disk. */
function etcdFlags({ etcdData }: ControlPlaneFiles, { etcdClient, etcdPeer }: ControlPlanePorts): string[] {
  return [
    `--data-dir=${etcdData}`,
    `--listen-client-urls=${loopback(etcdClient)}`,
    `--advertise-client-urls=${loopback(etcdClient)}`,
    `--listen-peer-urls=${loopback(etcdPeer)}`,
    `--initial-advertise-peer-urls=${loopback(etcdPeer)}`,
    `--initial-cluster=default=${loopback(etcdPeer)}`,
    "--unsafe-no-fsync",
  ];
}

/** Without controllers namespaces have no ServiceAccount, so pods don't need one, as in envtest. */
function apiserverFlags(
  files: ControlPlaneFiles,
  { etcdClient, secure }: ControlPlanePorts,
  authorization: "RBAC" | "AlwaysAllow",
): string[] {
  return [
    `--etcd-servers=${loopback(etcdClient)}`,
    `--secure-port=${secure}`,
    "--bind-address=127.0.0.1",
    `--client-ca-file=${files.clientCA}`,
    `--tls-cert-file=${files.servingCert}`,
    `--tls-private-key-file=${files.servingKey}`,
    "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
    `--service-account-key-file=${files.serviceAccountKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    "--service-cluster-ip-range=10.0.0.0/24",
    `--authorization-mode=${authorization}`,
    "--disable-admission-plugins=ServiceAccount",
    "--allow-privileged=true",
  ];
}

/** Writes certificates and keys to a new folder that only its owner can read. */
function writeControlPlaneFiles({ ca, serving }: Credentials) {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-control-plane-"));
  const write = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content, { mode: 0o600 });
    return path;
  };
  // In this format, kube-apiserver also accepts the private key as the public one.
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "sec1", format: "pem" }) as string;
  return {
    folder,
    etcdData: join(folder, "etcd"),
    clientCA: write("client-ca.crt", ca.cert),
    servingCert: write("serving.crt", serving.cert),
    servingKey: write("serving.key", serving.key),
    serviceAccountKey: write("service-account.key", key),
  };
}

function loopback(port: number): string {
  return `http://127.0.0.1:${port}`;
}

async function rejectWhenEnded(name: string, program: Program): Promise<never> {
  await program.ended;
  const lastLines = program.log().trim().split("\n").slice(-15).join("\n");
  throw new Error(`${name} exited before it was ready. Its last output:\n${lastLines}`);
}

/** Waits without a time limit: callers have their own, and a program that can't start exits. */
async function waitUntilReady(administrator: Kubeconfig, signal: AbortSignal): Promise<void> {
  for (const path of ["/readyz", "/api/v1/namespaces/default"]) {
    while (!signal.aborted && !(await isServed(administrator, path))) await delay(50);
  }
}

async function isServed(administrator: Kubeconfig, path: string): Promise<boolean> {
  try {
    return (await send(administrator, { method: "GET", path })).code === 200;
  } catch {
    return false;
  }
}
