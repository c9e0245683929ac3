import type { OlmPlace } from "../../../olm/run/olm-cluster.ts";
import { clusterFlags } from "../../arguments/cluster-flags.ts";
import { type FlagDefinition, type FlagValues, flag } from "../../arguments/command.ts";
import { readDuration } from "../../arguments/flag-values.ts";

/** Flags for the cluster and namespace in which OLM works. */
export const olmFlags = {
  ...clusterFlags,
  namespace: flag.string("namespace of the operator (default: PACKAGE-system)", "NAME", { short: "n" }),
  timeout: flag.string("how long to wait for each step: 5m, or seconds", "DURATION", {
    default: "180s",
    check: readSeconds,
  }),
} as const satisfies Record<string, FlagDefinition>;

/** Parses `180` or `3m` to whole seconds, rounded up. */
function readSeconds(text: string): number {
  return /^[0-9]+$/u.test(text) ? Number(text) : Math.ceil(readDuration("timeout", text) / 1000);
}

/** Returns the cluster, namespace and time limit that the flags name. */
export function placeFor(packageName: string, flags: FlagValues<typeof olmFlags>): OlmPlace {
  const { context, kubeconfig, timeout, namespace = `${packageName}-system` } = flags;
  return { context, kubeconfig, timeout: readSeconds(timeout), namespace };
}
