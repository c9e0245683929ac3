import type { PodSpec, Volume } from "../../kinds/core/pod-spec/types.ts";
import { addedCapabilities, baselineChecks, type Check, checkProcMount, checkSeccomp } from "./baseline.ts";

import { containersWhere, nameAll, plural, quoted, settersOf, type Violation } from "./violation.ts";

const { capabilities: _c, hostPathVolumes: _h, seccompProfile: _s, procMount: _p, ...kept } = baselineChecks;

/** The checks of the restricted standard, with those of the baseline that it does not replace by stricter ones. */
export const restrictedChecks: Readonly<Record<string, Check>> = {
  ...kept,
  allowPrivilegeEscalation: unlessWindows(checkEscalation),
  restrictedCapabilities: unlessWindows(checkCapabilities),
  restrictedProcMount: checkProcMount,
  restrictedVolumes: checkVolumes,
  runAsNonRoot: unlessOwnUsers(checkNonRoot),
  runAsUser: unlessOwnUsers(checkUser),
  restrictedSeccompProfile: unlessWindows(checkSeccompSet),
};

/** Windows ignores these fields. */
function unlessWindows(check: Check): Check {
  return (spec, annotations) => (spec.os?.name === "windows" ? undefined : check(spec, annotations));
}

/** Root in a pod with its own user namespace is not root on the node. */
function unlessOwnUsers(check: Check): Check {
  return (spec, annotations) => (spec.hostUsers === false ? undefined : check(spec, annotations));
}

function checkEscalation(spec: PodSpec): Violation | undefined {
  const containers = containersWhere(
    spec,
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  );
  if (containers.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${nameAll("container", containers)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

function checkCapabilities(spec: PodSpec): Violation | undefined {
  const keeping = containersWhere(
    spec,
    ({ securityContext }) => !securityContext?.capabilities?.drop?.includes("ALL"),
  );
  const added = addedCapabilities(spec, new Set(["NET_BIND_SERVICE"]));
  const details = [
    ...(keeping.length > 0
      ? [`${nameAll("container", keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(added === undefined ? [] : [added]),
  ];
  return details.length === 0
    ? undefined
    : { reason: "unrestricted capabilities", detail: details.join("; ") };
}

const allowedVolumes: readonly (keyof Volume)[] = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

function checkVolumes({ volumes = [] }: PodSpec): Violation | undefined {
  const bad = volumes.filter((volume) => !allowedVolumes.some((type) => volume[type] !== undefined));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name = "" }) => name);
  const types = bad.map((volume) => Object.keys(volume).find((field) => field !== "name") ?? "unknown");
  const different = [...new Set(types)].toSorted();
  const use = bad.length === 1 ? "uses" : "use";
  return {
    reason: "restricted volume types",
    detail: `${nameAll("volume", names)} ${use} ${plural("restricted volume type", different.length)} ${quoted(different)}`,
  };
}

function checkNonRoot(spec: PodSpec): Violation | undefined {
  const reason = "runAsNonRoot != true";
  const setters = settersOf(spec, ({ runAsNonRoot }) => runAsNonRoot === false);
  if (setters !== "") return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (spec.securityContext?.runAsNonRoot) return undefined;
  const silent = containersWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return {
    reason,
    detail: `pod or ${nameAll("container", silent)} must set securityContext.runAsNonRoot=true`,
  };
}

function checkUser(spec: PodSpec): Violation | undefined {
  const setters = settersOf(spec, ({ runAsUser }) => runAsUser === 0);
  return setters === ""
    ? undefined
    : { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` };
}

function checkSeccompSet(spec: PodSpec): Violation | undefined {
  const forbidden = checkSeccomp(spec);
  if (forbidden || spec.securityContext?.seccompProfile) return forbidden;
  const silent = containersWhere(spec, ({ securityContext }) => !securityContext?.seccompProfile);
  if (silent.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${nameAll("container", silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}
