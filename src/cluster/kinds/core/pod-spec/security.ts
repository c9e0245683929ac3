import {
  duplicate,
  forbidden,
  invalid,
  invalidStruct,
  required,
  tooLong,
  notSupported,
} from "@tsbuilder/apimachinery/errors";
import { relativePathProblems } from "../../checks/names.ts";
import { type Problems, inRange, itemsOf, optionalChoice } from "../../checks/problems.ts";
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
  const { procMount, seccompProfile, appArmorProfile } = context;
  yield* optionalChoice(`${field}.procMount`, procMount, "core/v1.SecurityContext");
  if (hostUsers && procMount === "Unmasked") {
    yield invalid(`${field}.procMount`, procMount, "`hostUsers` must be false to use `Unmasked`");
  }
  yield* seccompProblems(`${field}.seccompProfile`, seccompProfile);
  yield* escalationProblems(field, context);
  yield* appArmorProblems(`${field}.appArmorProfile`, appArmorProfile);
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

const largestID = 2 ** 31 - 1;

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
  yield* appArmorProblems(`${at}.appArmorProfile`, context.appArmorProfile);
  yield* optionalChoice(`${at}.supplementalGroupsPolicy`, context.supplementalGroupsPolicy, type);
  yield* optionalChoice(`${at}.seLinuxChangePolicy`, context.seLinuxChangePolicy, ["Recursive"]);
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
    if (volumeDevices?.length) yield forbidden(`${at}.volumeDevices`, refusal);
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
