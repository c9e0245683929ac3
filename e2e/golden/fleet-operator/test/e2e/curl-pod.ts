/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { kubectl, show } from "./cluster.ts";

const IMAGE = "curlimages/curl:8.16.0";

/** Requests a URL from inside the cluster, in a pod that the restricted Pod Security Standard allows. */
export function curlPod(url: string, token: string): string {
  const spec = {
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [
      {
        name: "curl",
        image: IMAGE,
        command: ["curl", "--insecure", "--fail", "-H", `Authorization: Bearer ${token}`, url],
        securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
      },
    ],
  };
  kubectl(`run curl --restart=Never --image ${IMAGE} --overrides`, JSON.stringify({ spec }));
  try {
    // Its log is read once it has ended: attached to it, kubectl may miss what it prints first.
    kubectl("wait pod/curl --for=jsonpath={.status.phase}=Succeeded --timeout=60s");
    return kubectl("logs curl");
  } catch (error) {
    show("logs curl");
    throw error;
  } finally {
    kubectl("delete pod curl --now");
  }
}
