import type { ControlPlaneFiles } from "./control-plane-files.ts";

/** The ports of a control plane, all on loopback. */
export interface ControlPlanePorts {
  readonly etcdClient: number;
  readonly etcdPeer: number;
  readonly secure: number;
}

/** etcd's data is not needed after a crash, so it does not wait for the disk. */
export function etcdFlags(
  { etcdData }: ControlPlaneFiles,
  { etcdClient, etcdPeer }: ControlPlanePorts,
): string[] {
  return [
    `--data-dir=${etcdData}`,
    `--listen-client-urls=${local(etcdClient)}`,
    `--advertise-client-urls=${local(etcdClient)}`,
    `--listen-peer-urls=${local(etcdPeer)}`,
    `--initial-advertise-peer-urls=${local(etcdPeer)}`,
    `--initial-cluster=default=${local(etcdPeer)}`,
    "--unsafe-no-fsync",
  ];
}

/** Without controllers namespaces have no ServiceAccount, so pods don't need one, as in envtest. */
export function apiserverFlags(
  files: ControlPlaneFiles,
  { etcdClient, secure }: ControlPlanePorts,
  authorization: "RBAC" | "AlwaysAllow",
): string[] {
  return [
    `--etcd-servers=${local(etcdClient)}`,
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

function local(port: number): string {
  return `http://127.0.0.1:${port}`;
}
