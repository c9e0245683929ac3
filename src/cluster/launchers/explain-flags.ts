import { builtinResources } from "@tsbuilder/apimachinery/kinds";

/** The outcome of flags that choose features: a refusal ends the program, notes are printed. */
export interface Explained {
  readonly refusal?: string;
  readonly notes: readonly string[];
}

/** Flags whose values are lists; repeated ones add to each other. */
export const listFlags: ReadonlySet<string> = new Set([
  "feature-gates",
  "runtime-config",
  "enable-admission-plugins",
  "disable-admission-plugins",
]);

/** Explains the flags that choose features, of which the embedded server can follow only a part. */
export function explainFlags(flags: ReadonlyMap<string, string>): Explained {
  const entries = (name: string): string[] =>
    (flags.get(name) ?? "")
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "");
  const enabled = entries("enable-admission-plugins");
  const disabled = entries("disable-admission-plugins");
  for (const [flag, names] of [
    ["enable-admission-plugins", enabled],
    ["disable-admission-plugins", disabled],
  ] as const) {
    const unknown = names.find((name) => !alwaysOn.has(name) && !missing.has(name));
    if (unknown !== undefined) return { refusal: `${flag} plugin "${unknown}" is unknown`, notes: [] };
  }
  const gates = entries("feature-gates");
  const malformed = gates.find((each) => readGate(each) === undefined);
  if (malformed !== undefined) {
    const refusal = `invalid value "${malformed}" for --feature-gates: write Gate=true or Gate=false`;
    return { refusal, notes: [] };
  }
  return {
    notes: [
      ...gates
        .filter((each) => readGate(each) !== "ShardedListAndWatch=true")
        .map(
          (each) => `--feature-gates=${each} changes nothing: the embedded server has Kubernetes' defaults`,
        ),
      ...entries("runtime-config").flatMap(explainVersion),
      ...enabled
        .filter((name) => missing.has(name))
        .map(
          (name) =>
            `--enable-admission-plugins=${name} changes nothing: the embedded server lacks this plugin`,
        ),
      ...disabled
        .filter((name) => alwaysOn.has(name) && name !== "ServiceAccount")
        .map((name) => `--disable-admission-plugins=${name} changes nothing: this plugin is always on`),
    ],
  };
}

/** Reads `Gate=T` as `Gate=true`; undefined if it is malformed. */
function readGate(entry: string): string | undefined {
  const [, gate, value = ""] = /^([^=]+)=([^=]*)$/u.exec(entry) ?? [];
  const isOn = parseBool(value.trim());
  return gate === undefined || isOn === undefined ? undefined : `${gate.trim()}=${isOn}`;
}

/** The words of Go's ParseBool. */
function parseBool(text: string): boolean | undefined {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  return ["0", "f", "F", "false", "FALSE", "False"].includes(text) ? false : undefined;
}

/** Versions of the embedded server can be neither added nor taken away. */
function explainVersion(entry: string): string[] {
  const [name = "", value = "true"] = entry.split("=");
  const wanted = parseBool(value) ?? true;
  const isServed = builtinResources().some(({ apiVersion }) => apiVersion === name) || name === "api/ga";
  if (wanted === isServed) return [];
  const why = wanted
    ? "the embedded server serves no more versions"
    : "the embedded server serves all its versions";
  return [`--runtime-config=${entry} changes nothing: ${why}`];
}

/** The plugins of the embedded server. */
const alwaysOn: ReadonlySet<string> = new Set([
  "DefaultTolerationSeconds",
  "LimitRanger",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionWebhook",
  "NamespaceLifecycle",
  "PersistentVolumeClaimResize",
  "PodSecurity",
  "Priority",
  "ResourceQuota",
  "RuntimeClass",
  "ServiceAccount",
  "StorageObjectInUseProtection",
  "TaintNodesByCondition",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
]);

/** The other plugins of kube-apiserver 1.36. */
const missing: ReadonlySet<string> = new Set([
  "AlwaysAdmit",
  "AlwaysDeny",
  "AlwaysPullImages",
  "CertificateApproval",
  "CertificateSigning",
  "CertificateSubjectRestriction",
  "ClusterTrustBundleAttest",
  "DefaultIngressClass",
  "DefaultStorageClass",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "JobValidation",
  "LimitPodHardAntiAffinityTopology",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "NodeDeclaredFeatureValidator",
  "NodeRestriction",
  "OwnerReferencesPermissionEnforcement",
  "PodGroupProtection",
  "PodGroupWorkloadExists",
  "PodNodeSelector",
  "PodResizeValidator",
  "PodTolerationRestriction",
  "PodTopologyLabels",
]);
