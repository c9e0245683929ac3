import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { issueCertificate } from "@tsbuilder/apimachinery/certs";
import { freePort } from "@tsbuilder/apimachinery/port";
import { Credentials } from "../../auth/credentials.ts";
import { type Kubeconfig, kubeconfigOf } from "../../auth/kubeconfig.ts";
import { send } from "../send.ts";
import { writeControlPlaneFiles } from "./control-plane-files.ts";
import { apiserverFlags, etcdFlags } from "./control-plane-flags.ts";
import { type Program, startProgram } from "./program.ts";

/** A kube-apiserver and its etcd. They end with this process. */
export interface ControlPlane {
  readonly url: string;
  /** Issues a kubeconfig for a user with any name and groups. */
  issue(user: string, groups: readonly string[]): Kubeconfig;
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** The folder with the programs. */
  readonly assets: string;
  /** Default: a free port. */
  readonly port?: number | undefined;
  readonly authorization?: "RBAC" | "AlwaysAllow" | undefined;
}

/** Starts a real control plane on loopback, with a temporary folder. */
export async function startControlPlane({
  assets,
  port,
  authorization = "RBAC",
}: ControlPlaneOptions): Promise<ControlPlane> {
  const credentials = new Credentials();
  const files = writeControlPlaneFiles(credentials);
  const ports = {
    etcdClient: await freePort(),
    etcdPeer: await freePort(),
    secure: port || (await freePort()),
  };
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
  const watched = new AbortController();
  try {
    await Promise.race([
      failWhenEnded("etcd", etcd),
      failWhenEnded("kube-apiserver", apiserver),
      ready(issue("tsbuilder-testing", ["system:masters"]), watched.signal),
    ]);
    return { url, issue, stop };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    watched.abort();
  }
}

async function failWhenEnded(name: string, program: Program): Promise<never> {
  await program.ended;
  throw new Error(`${name} exited before it was ready. Its last output:\n${lastLines(program.log())}`);
}

/** Waits without a time limit: callers have their own, and a program that can't start ends by itself. */
async function ready(administrator: Kubeconfig, signal: AbortSignal): Promise<void> {
  for (const path of ["/readyz", "/api/v1/namespaces/default"]) {
    while (!signal.aborted && !(await answers(administrator, path))) await delay(50);
  }
}

async function answers(administrator: Kubeconfig, path: string): Promise<boolean> {
  try {
    return (await send(administrator, { method: "GET", path })).code === 200;
  } catch {
    return false;
  }
}

function lastLines(log: string): string {
  return log.trim().split("\n").slice(-15).join("\n");
}
