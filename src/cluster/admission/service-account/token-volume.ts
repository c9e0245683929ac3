import type { Container, PodSpec, Volume } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../../contract/sent.ts";
import { generateName } from "../../registry/object-meta.ts";

const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
const prefix = "kube-api-access-";

/** Seven seconds over an hour mark tokens that a pod got without asking. */
const expirationSeconds = 3607;

/** Mounts a token of the pod's account into all containers but those that have something else at its path. */
export function mountToken(spec: Sent<PodSpec>): void {
  const existing = spec.volumes?.find((volume) => volume.name?.startsWith(prefix));
  const name = existing?.name ?? generateName(prefix);
  const missing = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(hasNoToken);
  for (const container of missing) {
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
  }
  if (!existing && missing.length > 0) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

function hasNoToken({ volumeMounts = [] }: Sent<Container>): boolean {
  return volumeMounts.every((mount) => mount.mountPath !== mountPath);
}

/** The token, the CA certificate and the name of the namespace. */
function tokenVolume(name: string): Volume {
  const fieldRef = { apiVersion: "v1", fieldPath: "metadata.namespace" };
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { expirationSeconds, path: "token" } },
        { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        { downwardAPI: { items: [{ path: "namespace", fieldRef }] } },
      ],
    },
  };
}
