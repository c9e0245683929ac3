/** Specs that can't pass on a cluster without containers, and why. */
interface LeftOut {
  readonly why: string;
  readonly specs: readonly RegExp[];
}

const leftOut: readonly LeftOut[] = [
  {
    why: "reads what a container printed, wrote or returned",
    specs: [
      /\[sig-node\] (?:Container|Downward|Ephemeral|ImageVolume|KubeletManaged|PreStop|Probing|Security|Variable)/,
      /\[sig-node\] (?:ConfigMap|Secrets) should be consumable/,
      /\[sig-node\] Kubelet when scheduling (?:a read only|an agnhost)/,
      /\[sig-node\] Kubelet .*(?:print the output|terminated reason)/,
      /\[sig-node\] Pods .*(?:environment variables for services|over websockets)/,
      /\[sig-node\] .*(?:Pod InPlace Resize|support sysctls)/,
      /\[sig-storage\] (?:Downward|EmptyDir|Projected|Subpath)/,
      /\[sig-storage\] (?:ConfigMap|Secrets) .*(?:volume|consumable)/,
      /\[sig-auth\] .*(?:OIDC discovery|mount an API token|mount projected)/,
      /\[sig-auth\] .*ClusterTrustBundleProjection\] should be (?:able|capable) to /,
      /\[sig-auth\] Projected PodCertificate .*should (?:issue cert|allow server|honor)/,
      /\[sig-cli\] (?:Kubectl logs|Kubectl client Kubectl expose)/,
    ],
  },
  {
    why: "a container fails once, and not when it starts again",
    specs: [
      /\[sig-apps\] Job .*(?:locally restarted|DisruptionTarget)/,
      /\[sig-node\] InitContainer .*if init containers fail/,
    ],
  },
  {
    why: "sends requests to pods, where nothing answers",
    specs: [
      /\[sig-network\] (?:DNS|HostPort|Networking|Proxy)/,
      /\[sig-network\] EndpointSlice .*multiple (?:endpoint IPs|ports)/,
      /\[sig-network\] Services should (?:be able|have session|serve)/,
      /\[sig-apps\] .*serve a basic image/,
      /\[sig-cli\] .*(?:Guestbook|Update Demo)/,
    ],
  },
  {
    why: "a container's readiness probe fails on command",
    specs: [/StatefulSetBasic.*(?:Burst|predictable order|rolling updates and roll backs)/],
  },
  {
    why: "waits until a pod has ended, and only those of Jobs do",
    specs: [/\[sig-node\] InitContainer .*on a RestartNever pod \[/],
  },
  { why: "attaching is refused before webhooks are asked", specs: [/deny attaching pod/] },
  { why: "API servers are not aggregated", specs: [/Aggregator/] },
  { why: "the kubelet removes deleted pods at once", specs: [/custom-set generation .*graceful delete/] },
  {
    why: "the kubelet mounts nothing, and so waits for no trust bundle",
    specs: [/ClusterTrustBundleProjection\] should prevent a pod from starting/],
  },
  { why: "the kubelet refuses no pods", specs: [/StatefulSetBasic.*evicted statefulset/] },
];

/** What nodes don't help, and why. */
const leftOutOnNodes: readonly LeftOut[] = [
  {
    why: "pulls an image anew, from a registry that machines of tests don't reach",
    specs: [/ImageVolume .*pull policy of Always/],
  },
];

/** Why a spec is left out, without containers or on nodes; undefined if it isn't. */
export function whyLeftOut(spec: string, { nodes = 0 } = {}): string | undefined {
  const table = nodes > 0 ? leftOutOnNodes : leftOut;
  return table.find(({ specs }) => specs.some((names) => names.test(spec)))?.why;
}
