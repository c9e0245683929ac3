import { join } from "node:path";
import { podRange } from "../../../../src/cluster/nodes/node-files.ts";
import { apiPort, nodeAddress, serviceRange } from "./addresses.ts";

/** The flags of a control plane on one node; what stands in `folder` was written by `writeCredentials`. */
export function controlPlaneFlags(folder: string) {
  const cert = (name: string): string => join(folder, "certs", name);
  return {
    etcd: [
      `--data-dir=${join(folder, "etcd")}`,
      "--listen-client-urls=http://127.0.0.1:2379",
      "--advertise-client-urls=http://127.0.0.1:2379",
      "--unsafe-no-fsync",
    ],
    apiserver: [
      "--etcd-servers=http://127.0.0.1:2379",
      `--secure-port=${apiPort}`,
      "--bind-address=0.0.0.0",
      `--advertise-address=${nodeAddress}`,
      `--service-cluster-ip-range=${serviceRange}`,
      "--authorization-mode=Node,RBAC",
      "--enable-admission-plugins=NodeRestriction",
      "--feature-gates=ShardedListAndWatch=true",
      "--allow-privileged=true",
      `--client-ca-file=${cert("ca.crt")}`,
      `--tls-cert-file=${cert("apiserver.crt")}`,
      `--tls-private-key-file=${cert("apiserver.key")}`,
      `--kubelet-client-certificate=${cert("apiserver-kubelet-client.crt")}`,
      `--kubelet-client-key=${cert("apiserver-kubelet-client.key")}`,
      `--kubelet-certificate-authority=${cert("ca.crt")}`,
      "--kubelet-preferred-address-types=InternalIP",
      "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
      `--service-account-key-file=${cert("sa.pub")}`,
      `--service-account-signing-key-file=${cert("sa.key")}`,
      `--requestheader-client-ca-file=${cert("front-proxy-ca.crt")}`,
      "--requestheader-allowed-names=front-proxy-client",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-username-headers=X-Remote-User",
      `--proxy-client-cert-file=${cert("front-proxy-client.crt")}`,
      `--proxy-client-key-file=${cert("front-proxy-client.key")}`,
    ],
    controllerManager: (kubeconfig: string) => [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      `--service-account-private-key-file=${cert("sa.key")}`,
      `--root-ca-file=${cert("ca.crt")}`,
      `--cluster-signing-cert-file=${cert("ca.crt")}`,
      `--cluster-signing-key-file=${cert("ca.key")}`,
      `--cluster-cidr=${podRange}`,
      "--use-service-account-credentials=true",
      "--leader-elect=false",
    ],
    scheduler: (kubeconfig: string) => [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
    ],
  };
}
