/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { kubectl } from "./cluster.ts";

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
  return kubectl(
    `run curl --rm --attach --quiet --restart=Never --image ${IMAGE} --overrides`,
    JSON.stringify({ spec }),
  );
}
