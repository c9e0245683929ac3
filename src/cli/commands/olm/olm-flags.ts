import { basename, dirname, resolve } from "node:path";
import type { OlmPlace } from "../../../olm/run/olm-cluster.ts";
import type { Bundle } from "../../../olm/validate/bundle.ts";
import { everythingBelow } from "../../../scaffold/tree.ts";
import { clusterFlags } from "../../arguments/cluster-flags.ts";
import type { FlagDefinition, FlagValues } from "../../arguments/command.ts";
import { readDuration } from "../../arguments/flag-values.ts";
import { refuseRules, requireBundle } from "./findings.ts";

/** Flags for the cluster and namespace in which OLM works. */
export const olmFlags = {
  ...clusterFlags,
  namespace: {
    type: "string",
    summary: "namespace of the operator (default: PACKAGE-system)",
    placeholder: "NAME",
    short: "n",
  },
  timeout: {
    type: "string",
    summary: "how long to wait for each step: 5m, or seconds",
    placeholder: "DURATION",
    default: "180s",
    check: readSeconds,
  },
} as const satisfies Record<string, FlagDefinition>;

/** Flags for the catalog that serves a bundle to OLM. */
export const servingFlags = {
  folder: {
    type: "string",
    summary: "folder of the bundle, whose files the image has",
    placeholder: "DIR",
    default: "bundle",
  },
  "opm-image": {
    type: "string",
    summary: "image of opm, which serves the catalog",
    placeholder: "IMAGE",
    default: "quay.io/operator-framework/opm:latest",
  },
  "pull-secret-name": {
    type: "string",
    summary: "secret in the namespace with which OLM pulls the bundle's image",
    placeholder: "NAME",
  },
  "security-context-config": {
    type: "string",
    summary: "security context of the catalog's pod",
    choices: ["restricted", "legacy"],
    default: "restricted",
  },
} as const satisfies Record<string, FlagDefinition>;

/** Flags of operator-sdk without effect here: it pulls images on this machine, and its catalog's pod differs. */
export const servingIgnored = {
  ignored: {
    "ca-secret-name": "OLM unpacks the bundle: the nodes have to trust the registry",
    "service-account": "the catalog's pod needs no rights",
    "decompression-image": "the catalog's file is not compressed",
    "image-pull-policy": "Kubernetes pulls opm's image by its tag",
    mode: "the catalog has a channel of its own",
  },
  ignoredBooleans: {
    "skip-tls": "no image is pulled on this machine",
    "skip-tls-verify": "no image is pulled on this machine",
    "use-http": "no image is pulled on this machine",
  },
} as const;

/** Reads `servingFlags`. */
export function servingOptions(flags: FlagValues<typeof servingFlags>): {
  readonly opmImage: string;
  readonly pullSecret: string | undefined;
  readonly isRestricted: boolean;
} {
  return {
    opmImage: flags["opm-image"],
    pullSecret: flags["pull-secret-name"],
    isRestricted: flags["security-context-config"] === "restricted",
  };
}

/** Parses `180` or `3m` to whole seconds. */
function readSeconds(text: string): number {
  return /^[0-9]+$/u.test(text) ? Number(text) : Math.ceil(readDuration("timeout", text) / 1000);
}

export function placeFor(
  packageName: string,
  {
    namespace,
    timeout,
    context,
    kubeconfig,
  }: {
    readonly namespace: string | undefined;
    readonly timeout: string;
    readonly context: string | undefined;
    readonly kubeconfig: string | undefined;
  },
): OlmPlace {
  return {
    context,
    kubeconfig,
    timeout: readSeconds(timeout),
    namespace: namespace ?? `${packageName}-system`,
  };
}

/** Reads a bundle; throws if it breaks a rule, since OLM would not install it. */
export async function readValidBundle(cwd: string, written: string): Promise<Bundle> {
  const [{ validateBundle }, { readBundle }] = await Promise.all([
    import("../../../olm/validate/validate-bundle.ts"),
    import("../../../olm/validate/bundle.ts"),
  ]);
  const folder = resolve(cwd, written);
  requireBundle(folder, written);
  const tree = everythingBelow(dirname(folder));
  refuseRules("the bundle is not valid", await validateBundle(tree, basename(folder)));
  return readBundle(tree, basename(folder)).bundle;
}
