import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import {
  duplicate,
  forbidden,
  invalid,
  invalidStruct,
  required,
  tooLong,
  notSupported,
  ruled,
} from "@tsbuilder/apimachinery/errors";
import { isFeatureOn } from "../../../contract/version.ts";
import { relativePathProblems } from "../../checks/names.ts";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { type Problems, checked, inRange, itemsOf, optionalChoice } from "../../checks/problems.ts";
import { type PodSpec, type SeccompProfile, type SecurityContext, containersIn } from "./types.ts";
import { knownValues } from "../../checks/known-values.ts";
import { toGoStruct } from "../../checks/go-struct.ts";

export function* containerSecurityProblems(
  field: string,
  context: SecurityContext | undefined,
  hostUsers: boolean,
): Problems {
  if (!context) return;
  yield* idProblems(field, context, "runAsUser", "runAsGroup");
  const { procMount, seccompProfile, appArmorProfile, windowsOptions } = context;
  yield* optionalChoice(`${field}.procMount`, procMount, "core/v1.SecurityContext");
  if (hostUsers && procMount === "Unmasked") {
    yield invalid(`${field}.procMount`, procMount, "`hostUsers` must be false to use `Unmasked`");
  }
  yield* seccompProblems(`${field}.seccompProfile`, seccompProfile);
  yield* escalationProblems(field, context);
  yield* windowsProblems(`${field}.windowsOptions`, windowsOptions);
  yield* appArmorProblems(`${field}.appArmorProfile`, appArmorProfile);
}

function* windowsProblems(field: string, options: SecurityContext["windowsOptions"] = {}): Problems {
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName: name } = options;
  yield* checked(`${field}.gmsaCredentialSpecName`, specName, checkSubdomain);
  const at = `${field}.gmsaCredentialSpec`;
  if (spec === "") yield invalid(at, spec, "gmsaCredentialSpec cannot be an empty string");
  else if ((spec?.length ?? 0) > 64 * 1024)
    yield invalid(at, spec, "gmsaCredentialSpec size must be under 64 KiB");
  yield* checked(`${field}.runAsUserName`, name, windowsUserReasons);
}

const dnsLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const dnsName = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`, "u");
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;

/** Returns why a text is not the name of a user of Windows, with or without a domain. */
function windowsUserReasons(name: string): string[] {
  const parts = name.split("\\");
  if (name === "") return ["runAsUserName cannot be an empty string"];
  // eslint-disable-next-line no-control-regex -- these are what it looks for
  if (/[\u0000-\u001f\u007f]/u.test(name)) return ["runAsUserName cannot contain control characters"];
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1)!;
  const domain = parts.length === 2 ? parts[0]! : undefined;
  const isDomain = domain === undefined || netBiosName.test(domain) || dnsName.test(domain);
  const failed: ReadonlyArray<readonly [boolean, string]> = [
    [(domain?.length ?? 0) >= 256, "Domain length must be under 256 characters"],
    [!isDomain, "Domain doesn't match the NetBios nor the DNS format"],
    [user === "", "User cannot be empty"],
    [user.length > 104, "User length must not be longer than 104 characters"],
    [/^[. ]+$/u.test(user), "User cannot contain only periods or spaces"],
    [/["/\\:;|=,+*?<>@[\]]/u.test(user), 'User cannot contain the following characters: "/\\:;|=,+*?<>@[]'],
  ];
  return failed.flatMap(([isWrong, reason]) => (isWrong ? [`runAsUserName's ${reason}`] : []));
}

function* escalationProblems(field: string, context: SecurityContext): Problems {
  if (context.allowPrivilegeEscalation !== false) return;
  const shown = toGoStruct(context, "core/v1.SecurityContext");
  const refusal = "cannot set `allowPrivilegeEscalation` to false and";
  if (context.privileged) yield invalidStruct(field, shown, `${refusal} \`privileged\` to true`);
  for (const capability of context.capabilities?.add ?? []) {
    if (capability === "CAP_SYS_ADMIN") {
      yield invalidStruct(field, shown, `${refusal} \`capabilities.Add\` CAP_SYS_ADMIN`);
    }
  }
}

/** The largest ID of users and groups. */
export const largestID = 2 ** 31 - 1;

function* idProblems<Name extends string>(
  field: string,
  context: { readonly [Each in Name]?: number | undefined },
  ...names: Name[]
): Problems {
  for (const name of names) yield* inRange(`${field}.${name}`, context[name], 0, largestID);
}

export function* podSecurityProblems(field: string, spec: PodSpec): Problems {
  const { securityContext: context } = spec;
  if (!context) return;
  const at = `${field}.securityContext`;
  const type = "core/v1.PodSecurityContext";
  yield* idProblems(at, context, "fsGroup", "runAsUser", "runAsGroup");
  for (const [each, group] of itemsOf(`${at}.supplementalGroups`, context.supplementalGroups)) {
    yield* inRange(each, group, 0, largestID);
  }
  if (spec.shareProcessNamespace && spec.hostPID) {
    const detail = "ShareProcessNamespace and HostPID cannot both be enabled";
    yield invalid(`${at}.shareProcessNamespace`, true, detail);
  }
  yield* sysctlProblems(`${at}.sysctls`, spec);
  yield* optionalChoice(`${at}.fsGroupChangePolicy`, context.fsGroupChangePolicy, type);
  yield* seccompProblems(`${at}.seccompProfile`, context.seccompProfile);
  yield* windowsProblems(`${at}.windowsOptions`, context.windowsOptions);
  yield* appArmorProblems(`${at}.appArmorProfile`, context.appArmorProfile);
  yield* optionalChoice(`${at}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, type);
  yield* optionalChoice(`${at}.seLinuxChangePolicy`, context.seLinuxChangePolicy, [
    ...(isFeatureOn("SELinuxMount") ? ["MountOption"] : []),
    "Recursive",
  ]);
}

const noWindowsFields: ReadonlyArray<keyof core.PodSpec> = [
  "hostUsers",
  "hostPID",
  "hostIPC",
  "shareProcessNamespace",
];

const noWindowsContext = [
  "appArmorProfile",
  "seLinuxOptions",
  "seccompProfile",
  "fsGroup",
  "fsGroupChangePolicy",
  "sysctls",
  "runAsUser",
  "runAsGroup",
  "supplementalGroups",
  "supplementalGroupsPolicy",
  "seLinuxChangePolicy",
  "capabilities",
  "readOnlyRootFilesystem",
  "privileged",
  "allowPrivilegeEscalation",
  "procMount",
];

/** Refuses what a pod of Windows can't have. */
export function* windowsOnlyProblems(field: string, spec: PodSpec): Problems {
  const detail = "cannot be set for a windows pod";
  for (const name of noWindowsFields) {
    const isFlag = name === "hostPID" || name === "hostIPC";
    if (isFlag ? spec[name] : spec[name] !== undefined) yield forbidden(`${field}.${name}`, detail);
  }
  const contexts = [...containersIn(field, spec, "initContainers", "containers", "ephemeralContainers")];
  for (const [at, { securityContext = {} }] of [[field, spec] as const, ...contexts]) {
    for (const name of noWindowsContext)
      if (Object.hasOwn(securityContext, name)) yield forbidden(`${at}.securityContext.${name}`, detail);
  }
}

/** All containers are processes of a Windows host, or none. */
export function* hostProcessProblems(field: string, spec: PodSpec): Problems {
  const { hostProcess: ofPod } = spec.securityContext?.windowsOptions ?? {};
  const all = [...containersIn(field, spec, "initContainers", "containers", "ephemeralContainers")];
  const own = all.map(
    ([at, { securityContext }]) => [at, securityContext?.windowsOptions?.hostProcess] as const,
  );
  for (const [at, hostProcess] of own) {
    if (ofPod === undefined || hostProcess === undefined || hostProcess === ofPod) continue;
    const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
    yield invalid(`${at}.securityContext.windowsOptions.hostProcess`, hostProcess, detail);
  }
  const count = own.filter(([, hostProcess]) => hostProcess ?? ofPod).length;
  if (count === 0) return;
  if (count < all.length) {
    const detail =
      "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    yield invalid(field, "", detail);
  }
  if (!spec.hostNetwork)
    yield invalid(
      `${field}.hostNetwork`,
      false,
      "hostNetwork must be true if pod contains any hostProcess containers",
    );
}

/** A pod with hostUsers false can't share the host's namespaces. */
export function* userNamespaceProblems(field: string, spec: PodSpec): Problems {
  if (spec.hostUsers !== false) return;
  const refusal = "when `hostUsers` is false";
  if (spec.hostNetwork) yield forbidden(`${field}.hostNetwork`, refusal);
  // The server names these two fields in Go's spelling.
  if (spec.hostPID) yield forbidden(`${field}.HostPID`, refusal);
  if (spec.hostIPC) yield forbidden(`${field}.HostIPC`, refusal);
  const all = containersIn(field, spec, "initContainers", "containers", "ephemeralContainers");
  for (const [at, { volumeDevices }] of all) {
    if (volumeDevices?.length)
      yield* ruled("devices of user namespaces", [forbidden(`${at}.volumeDevices`, refusal)]);
  }
}

const sysctlPattern = "([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const sysctlName = new RegExp(`^${sysctlPattern}$`);

function* sysctlProblems(field: string, { securityContext, hostNetwork, hostIPC }: PodSpec): Problems {
  const seen = new Set<string>();
  for (const [each, { name = "" }] of itemsOf(field, securityContext?.sysctls)) {
    const at = `${each}.name`;
    if (name === "") yield required(at);
    else if (name.length > 253 || !sysctlName.test(name)) {
      yield invalid(at, name, `must have at most 253 characters and match regex ^${sysctlPattern}$`);
    } else if (seen.has(name)) yield duplicate(at, name);
    seen.add(name);
    if (hostNetwork && name.startsWith("net.")) {
      yield invalid(at, name, "may not be specified when 'hostNetwork' is true");
    } else if (hostIPC && /^(fs\.mqueue\.|kernel\.(shm|msg|sem))/.test(name)) {
      yield invalid(at, name, "may not be specified when 'hostIPC' is true");
    }
  }
}

function* seccompProblems(field: string, profile: SeccompProfile | undefined): Problems {
  if (!profile) return;
  const { type = "", localhostProfile } = profile;
  if (type === "") yield required(`${field}.type`, "type is required when seccompProfile is set");
  else yield* optionalChoice(`${field}.type`, type, "core/v1.SeccompProfile");
  if (type === "Localhost") {
    const at = `${field}.localhostProfile`;
    if (localhostProfile === undefined) yield required(at, "must be set when seccomp type is Localhost");
    else yield* relativePathProblems(at, localhostProfile);
  } else if (localhostProfile !== undefined) {
    const detail = "can only be set when seccomp type is Localhost";
    const shown = toGoStruct(profile, "core/v1.SeccompProfile");
    yield invalidStruct(`${field}.localhostProfile`, shown, detail);
  }
}

function* appArmorProblems(field: string, profile: SeccompProfile | undefined): Problems {
  if (!profile) return;
  const { type = "", localhostProfile } = profile;
  const at = `${field}.localhostProfile`;
  const types = knownValues("core/v1.AppArmorProfile.type");
  if (type === "") yield required(`${field}.type`, "type is required when appArmorProfile is set");
  else if (!types.includes(type)) yield notSupported(`${field}.type`, type, types);
  else if (type !== "Localhost") {
    if (localhostProfile === undefined) return;
    yield invalid(at, localhostProfile, "can only be set when AppArmor type is Localhost");
  } else if (localhostProfile === undefined) {
    yield required(at, "must be set when AppArmor type is Localhost");
  } else {
    if (localhostProfile.trim() !== localhostProfile) {
      yield invalid(at, localhostProfile, "must not be padded with whitespace");
    } else if (localhostProfile === "") yield required(at, "must be set when AppArmor type is Localhost");
    if (localhostProfile.length > 4095) yield tooLong(at, 4095);
  }
}
